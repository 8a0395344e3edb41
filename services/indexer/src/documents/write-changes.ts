import { errors } from '@elastic/elasticsearch';
import { classifyFailedRequest, describeFailedRequest, type BulkItems } from '@ugc/shared/elasticsearch/errors';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { bulkLines, bytesOf, splitIntoBulks, toWriteResult, type Change, type WriteResult } from './bulk.ts';
import { probeWrite } from '@ugc/shared/indices/write-probe';

export type WriteResults = Map<number, WriteResult>;

/** Elasticsearch recommends a few megabytes. With more documents, or fewer, it takes longer for each. */
const BULK_LIMITS = { bytes: 4 * 1024 * 1024, documents: 500 };

/** Elasticsearch may close the connection of a request this large before the client has read the 413. */
const LARGE_BYTES = 512 * 1024;

/** Elasticsearch takes 5 % longer for a document if the response contains everything. */
const ITEM_RESULTS = ['items.*.status', 'items.*.error', 'items.*.result'];

const MALFORMED = 400;
const TOO_LARGE = 413;

/** Errors of Elasticsearch become results and are not thrown. */
export async function writeChanges(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<WriteResults> {
  const batches = splitIntoBulks(changes, BULK_LIMITS);
  const results = await Promise.all(batches.map((batch) => writeBatch(elasticsearch, indexName, batch)));
  return new Map(results.flatMap((written) => [...written]));
}

async function writeBatch(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<WriteResults> {
  try {
    const { items } = await elasticsearch.bulk({ index: indexName, operations: bulkLines(changes), filter_path: ITEM_RESULTS });
    return matchItems(changes, items);
  } catch (error) {
    if (changes.length > 1 && mayBeCausedByOneChange(changes, error)) return writeHalves(elasticsearch, indexName, changes);
    const { outcome } = classifyFailedRequest(changes.length === 1 ? 'document' : 'request', error);
    return sameForAll(changes, { outcome: outcome === 'reject' ? outcome : 'retry', reason: describeFailedRequest(error) });
  }
}

/** Elasticsearch can fail the complete request because of one document. Halving the batch finds that document. */
function mayBeCausedByOneChange(changes: Change[], error: unknown): boolean {
  if (error instanceof errors.ResponseError) return error.statusCode === TOO_LARGE || error.statusCode === MALFORMED;
  return error instanceof errors.ConnectionError && bytesOf(changes) > LARGE_BYTES;
}

async function writeHalves(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<WriteResults> {
  const middle = Math.ceil(changes.length / 2);
  const first = await writeBatch(elasticsearch, indexName, changes.slice(0, middle));
  const second = await writeBatch(elasticsearch, indexName, changes.slice(middle));
  return new Map([...first, ...second]);
}

/** The items of a bulk response have the order of its request. */
function matchItems(changes: Change[], items: BulkItems): WriteResults {
  if (items.length !== changes.length)
    return sameForAll(changes, { outcome: 'retry', reason: `the response has ${items.length} items for ${changes.length} changes` });
  return new Map(
    changes.map((change, position) => {
      const item = items[position]?.['index'] ?? items[position]?.['delete'];
      return [change.contentId, item ? toWriteResult(item) : { outcome: 'retry', reason: 'the response lacks this item' }];
    }),
  );
}

function sameForAll(changes: Change[], result: WriteResult): WriteResults {
  return new Map(changes.map((change) => [change.contentId, result]));
}

/**
 * An index that rejects these changes also rejects every other one if the fault is its own, such as a missing pipeline.
 * The fault is that of a change if the index accepts an ordinary item and then rejects the change again.
 * @returns `reject` for the changes that are at fault, and `retry` for the others
 */
export async function confirmRejections(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<WriteResults> {
  const refusal = await probeWrite(elasticsearch, indexName);
  if (refusal) return retryAll(changes, `it accepts no item: ${refusal.reason}`);
  const again = await writeChanges(elasticsearch, indexName, changes);
  const retried = retryAll(changes, 'it rejected the change and accepts it now');
  return new Map([...retried, ...[...again].filter(([, { outcome }]) => outcome !== 'done')]);
}

function retryAll(changes: Change[], reason: string): WriteResults {
  return new Map(changes.map(({ contentId }) => [contentId, { outcome: 'retry', reason }]));
}
