import { progressBar } from '@ugc/shared/cli/output';
import { toDocument } from '@ugc/indexer/documents/document';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Cluster } from '../../test/support/cluster/cluster.ts';
import { generator, itemRow } from './item-row.ts';

export type Collection = { items: number; creators: number; tagsOf: () => string[] };

const BATCH_SIZE = 4_000;
/** Other programs may be busy. The client does not wait longer for one request than for others. */
const TIMEOUT_MS = 600_000;

/**
 * Writes documents directly to the index: uploading that many would take hours. Items uploaded later have other ids.
 * @param present so many of the items are in the index already
 */
export async function fillIndex(cluster: Cluster, collection: Collection, present = 0): Promise<void> {
  const { database, env } = cluster;
  const elasticsearch = patientClient(cluster);
  const index = env['CONTENT_ALIAS'] ?? '';
  const { items } = collection;
  await database.query(`select setval(pg_get_serial_sequence('content', 'content_id'), $1)`, [items]);
  await elasticsearch.indices.putSettings({ index, settings: { refresh_interval: '-1' } });
  const bar = progressBar('Indexing');
  for (let first = present + 1; first <= items; first += BATCH_SIZE) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, items + 1 - first) }, (_, n) => first + n);
    await writeItems({ elasticsearch, env }, ids, collection);
    bar.update(Math.min(first + BATCH_SIZE, items), items);
  }
  await elasticsearch.indices.putSettings({ index, settings: { refresh_interval: '1s' } });
  await elasticsearch.indices.refresh({ index });
  await elasticsearch.close();
  bar.end();
}

/** The caller closes it. */
export function patientClient({ env }: Pick<Cluster, 'env'>): Elasticsearch {
  return connectElasticsearch(env['ELASTICSEARCH_URL'] ?? '', TIMEOUT_MS);
}

type Index = Pick<Cluster, 'elasticsearch' | 'env'>;

export async function writeItems({ elasticsearch, env }: Index, ids: number[], collection: Collection): Promise<void> {
  const operations = ids.flatMap((id) => [{ index: { _id: String(id) } }, documentOf(id, collection)]);
  const request = { index: env['CONTENT_ALIAS'] ?? '', operations, filter_path: 'errors' };
  const { errors } = await elasticsearch.bulk(request);
  if (errors) throw new Error('a document was rejected');
}

/** Every run has the same items. */
export const random = generator(7);

export const SYLLABLES = ['ka', 'lo', 'mi', 're', 'tu', 'na', 'so', 'vi', 'de', 'pa', 'ro', 'shi', 'ter', 'gan', 'bel', 'qua'];
/** The first words are frequent, most are rare. */
export const VOCABULARY = Array.from({ length: 3_000 }, (_, n) => {
  return [n, n >> 4, n >> 8].map((part) => SYLLABLES[part % SYLLABLES.length]).join('') + (n % 3 === 2 ? 's' : 'n');
});

export function words(count: number): string {
  return Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)]).join(' ');
}

function documentOf(contentId: number, { creators, tagsOf }: Collection): object {
  const name = words(2 + Math.floor(random() * 3));
  const description = words(5 + Math.floor(random() * 40));
  const row = itemRow(contentId, { name, description, tags: tagsOf(), fields: {} }, { creators, random });
  return toDocument(row, NEWEST_RULES);
}
