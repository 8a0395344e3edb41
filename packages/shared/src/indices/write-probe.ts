import type { ContentDocument } from '../contracts/content-index.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { countMissingShards, explainMissingShard, SHARD_TIMEOUT } from './missing-shards.ts';
import { classifyFailedRequest, classifyItem, describeFailedRequest, describeRefusal, type ErrorKind } from '../elasticsearch/errors.ts';

/**
 * The condition of a write that Elasticsearch checks like any other, with pipelines and mapping, and never stores: no
 * document has this sequence number. An index that accepts the write responds with a version conflict.
 */
const NEVER_STORED = { if_seq_no: Number.MAX_SAFE_INTEGER, if_primary_term: 1 };

const CONFLICT = 409;

/** Has every field and nothing unusual: an index that does not accept it accepts no item. One without `data` accepts it too. */
const ORDINARY: ContentDocument = {
  contentId: 1,
  creatorId: 1,
  creatorName: 'a name',
  name: 'a name',
  description: 'a text',
  data: 'a text',
  tags: ['a tag'],
  fileName: 'a name',
  hasThumbnail: true,
  version: 1,
  downloadsCount: 1,
  latestDownloadsCount: 1,
  avgRating: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  nameSort: 'a name',
  creatorNameSort: 'a name',
  folded: { name: 'a name', tags: ['a tag'], description: 'a text', creatorName: 'a name', repeated: ['a name'] },
  literals: ['a'],
  forms: ['de=a'],
  nameKey: ['a'],
  tagKeys: ['a'],
  facets: { creatorId: '1', stars: '1', downloads: '1' },
  quality: 1,
  qualityFactor: 1,
  deleted: false,
};

/** `kind`: undefined if the response is no error. */
export type Refusal = { kind: ErrorKind | undefined; reason: string };

/** @returns why the index does not accept every item now; undefined if it does */
export async function probeWrite(elasticsearch: Elasticsearch, indexName: string): Promise<Refusal | undefined> {
  // A write reaches one shard only.
  const [refusal, missing] = await Promise.all([tryWrite(elasticsearch, indexName), countMissingShards(elasticsearch, indexName)]);
  if (refusal || missing === 0) return refusal;
  const explanation = await explainMissingShard(elasticsearch, indexName);
  const reason = `${missing} of its shards ${missing === 1 ? 'is' : 'are'} missing${explanation === undefined ? '' : `: ${explanation}`}`;
  return { kind: 'unavailable', reason };
}

async function tryWrite(elasticsearch: Elasticsearch, indexName: string): Promise<Refusal | undefined> {
  const operations = [JSON.stringify({ index: { _id: '0', ...NEVER_STORED } }), JSON.stringify(ORDINARY)];
  try {
    const { items } = await elasticsearch.bulk({ index: indexName, operations, timeout: SHARD_TIMEOUT });
    const item = items[0]?.index;
    if (!item) return { kind: 'bad_request', reason: 'the response lacks the item' };
    if (item.status === CONFLICT) return undefined;
    return { kind: classifyItem(item).kind, reason: describeRefusal(item) };
  } catch (error) {
    return { kind: classifyFailedRequest('request', error).kind, reason: describeFailedRequest(error) };
  }
}
