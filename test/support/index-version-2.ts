import type { estypes } from '@elastic/elasticsearch';
import { INDEXED_CONTENT, type IndexedContent } from '@ugc/shared/contracts/content';
import { addNextTarget, changeTargets, setRole, setUuid } from '@ugc/shared/indices/targets';
import type { Stores } from './service.ts';

// What the release with mapping version 2 writes to Elasticsearch. It stays as it is when the mapping changes.

const STOP_WORDS =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  );

const SETTINGS: estypes.IndicesIndexSettings = {
  number_of_shards: 1,
  auto_expand_replicas: '0-1',
  refresh_interval: '1s',
  max_result_window: 100_000,
  analysis: {
    filter: {
      possessive: { type: 'stemmer', language: 'possessive_english' },
      stop_words: { type: 'stop', stopwords: STOP_WORDS },
    },
    analyzer: {
      english: { type: 'custom', tokenizer: 'standard', filter: ['possessive', 'lowercase', 'asciifolding', 'stop_words', 'porter_stem'] },
      folded: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] },
    },
  },
};

const searched: estypes.MappingProperty = { type: 'text', analyzer: 'english', copy_to: 'words' };
const sorted: estypes.MappingProperty = { type: 'keyword', index: false };

const PROPERTIES: Record<string, estypes.MappingProperty> = {
  contentId: { type: 'long' },
  creatorId: { type: 'long' },
  creatorName: searched,
  name: searched,
  description: searched,
  tags: { ...searched, fields: { exact: { type: 'keyword' } } },
  words: { type: 'text', analyzer: 'folded', index_prefixes: { min_chars: 2, max_chars: 8 } },
  data: { type: 'keyword', index: false, doc_values: false },
  version: { type: 'integer' },
  downloadsCount: { type: 'long' },
  latestDownloadsCount: { type: 'long' },
  avgRating: { type: 'double' },
  createdAt: { type: 'date' },
  updatedAt: { type: 'date' },
  nameSort: sorted,
  creatorNameSort: sorted,
  deleted: { type: 'boolean' },
};

export const VERSION_2_BODY = {
  settings: SETTINGS,
  mappings: { dynamic: false, _meta: { version: 2 }, properties: PROPERTIES },
} satisfies Omit<estypes.IndicesCreateRequest, 'index'>;

type Version2 = Pick<Stores, 'database' | 'elasticsearch'> & { alias: string };

/** Creates what the release with mapping version 2 leaves behind: an index with all items, listed as the searched one. */
export async function createVersion2Index({ database, elasticsearch, alias }: Version2): Promise<string> {
  const index = `${alias}-v2-20260101000000000`;
  await elasticsearch.indices.create({ index, ...VERSION_2_BODY, aliases: { [alias]: {} } });
  const { [index]: state } = await elasticsearch.indices.get({ index });
  await changeTargets(database, async (tx) => {
    await addNextTarget(tx, index);
    await tx.query(`update index_target set mapping_version = 2 where index_name = $1`, [index]);
    await setRole(tx, index, 'search');
  });
  await setUuid(database, index, state?.settings?.index?.uuid ?? '');
  await writeVersion2Documents({ database, elasticsearch, alias }, index);
  return index;
}

async function writeVersion2Documents({ database, elasticsearch }: Version2, index: string): Promise<void> {
  const rows = await database.query<IndexedContent>(`select ${INDEXED_CONTENT} from content c join users u on u.user_id = c.creator_id`);
  const operations = rows.flatMap((row) => [
    { index: { _id: String(row.content_id), version: row.revision, version_type: 'external_gte' as const } },
    toVersion2Document(row),
  ]);
  const { errors } = await elasticsearch.bulk({ index, operations, refresh: true });
  if (errors) throw new Error('the index of version 2 rejects a document');
  await database.query('delete from index_outbox');
}

export function toVersion2Document(row: IndexedContent): object {
  if (row.deleted_at !== null) return { contentId: row.content_id, deleted: true };
  return {
    contentId: row.content_id,
    creatorId: row.creator_id,
    creatorName: row.creator_name,
    name: row.name,
    description: row.description,
    data: row.data,
    tags: row.tags,
    version: row.version,
    downloadsCount: row.downloads_count,
    latestDownloadsCount: row.latest_downloads_count,
    avgRating: row.avg_rating,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    nameSort: sortKey(row.name),
    creatorNameSort: sortKey(row.creator_name),
    deleted: false,
  };
}

const SORT_KEY_CHARACTERS = 200;

function sortKey(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return [...folded].slice(0, SORT_KEY_CHARACTERS).join('');
}
