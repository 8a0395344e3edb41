import { progressBar } from '@ugc/shared/cli/progress-bar';
import { toDocument } from '@ugc/indexer/documents/document';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const BATCH_SIZE = 4_000;
const SIZE = 10;
const ROUNDS = 7;
/** Shares of the list, and one item. */
const DEPTHS = { 'item 1,500': 1_500, '10 %': 0.1, '50 %': 0.5, '90 %': 0.9, 'near the end': 1 };

const LISTS: Record<string, string> = {
  'createdAt,desc': 'sort=createdAt,desc',
  'downloadsCount,desc (80 % tied)': 'sort=downloadsCount,desc',
  'avgRating,desc, then name': 'sort=avgRating,desc&sort=name',
  'name,asc': 'sort=name,asc',
  'creatorName,asc': 'sort=creatorName,asc',
  'prompt, createdAt,desc': 'prompt=kakakan lokakan mikakas&sort=createdAt,desc',
  'prompt, name,asc': 'prompt=kakakan lokakan mikakas&sort=name,asc',
  'relevance, one word': 'prompt=kakakan&sort=relevance',
  'relevance, three words': 'prompt=kakakan lokakan mikakas&sort=relevance',
};

/** Compares the response times of deep pages with those of the first page of the same list. */
export async function benchPages(): Promise<void> {
  const cluster = await startCluster();
  await fill(cluster);
  const rows = [];
  for (const [name, parameters] of Object.entries(LISTS)) rows.push({ list: name, ...(await measureList(cluster, parameters)) });
  await cluster.stop();
  console.log(`Response time : response time of the first page, median of ${ROUNDS} (searches)`);
  console.table(rows);
}

async function measureList(cluster: Cluster, parameters: string) {
  await measure(cluster, parameters, 0);
  const first = await measure(cluster, parameters, 0);
  const row: Record<string, string | number> = { items: first.total, 'first, ms': Math.round(first.ms) };
  const lastPage = Math.ceil(first.total / SIZE) - 1;
  for (const [name, depth] of Object.entries(DEPTHS)) {
    const page = Math.floor((depth > 1 ? depth : depth * first.total) / SIZE);
    const { ms, searches } = await measure(cluster, parameters, Math.min(page, lastPage - ROUNDS));
    row[name] = `${(ms / first.ms).toFixed(1)} (${searches})`;
  }
  return row;
}

/** Reads a few pages that follow each other, so that none is cached. */
async function measure(cluster: Cluster, parameters: string, firstPage: number) {
  const durations: number[] = [];
  let total = 0;
  const before = await countSearches(cluster);
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = firstPage === 0 ? 0 : firstPage + round;
    const startedAt = performance.now();
    const { status, body } = await cluster.client.get(`/api/content?${parameters}&page=${page}&size=${SIZE}`);
    durations.push(performance.now() - startedAt);
    if (status !== 200) return { ms: NaN, total, searches: NaN };
    total = body.totalElements;
  }
  const searches = Math.round(((await countSearches(cluster)) - before) / ROUNDS);
  return { ms: percentile(durations, 0.5), total, searches };
}

async function countSearches({ elasticsearch, env }: Cluster): Promise<number> {
  const { _all: all } = await elasticsearch.indices.stats({ index: env['CONTENT_ALIAS'] ?? '', metric: 'search' });
  return all.total?.search?.query_total ?? NaN;
}

/** Writes documents directly to the index: uploading that many would take hours. */
async function fill({ elasticsearch, env }: Cluster): Promise<void> {
  const index = env['CONTENT_ALIAS'] ?? '';
  const bar = progressBar('Indexing');
  for (let first = 1; first <= ITEMS; first += BATCH_SIZE) {
    const ids = Array.from({ length: Math.min(BATCH_SIZE, ITEMS + 1 - first) }, (_, n) => first + n);
    const operations = ids.flatMap((id) => [{ index: { _id: String(id) } }, documentOf(id)]);
    const { errors } = await elasticsearch.bulk({ index, operations, filter_path: 'errors' });
    if (errors) throw new Error('a document was rejected');
    bar.update(Math.min(first + BATCH_SIZE, ITEMS), ITEMS);
  }
  await elasticsearch.indices.refresh({ index });
  bar.end();
}

let state = 7;
/** A linear congruential generator with a fixed seed: every run has the same items. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const SYLLABLES = ['ka', 'lo', 'mi', 're', 'tu', 'na', 'so', 'vi', 'de', 'pa', 'ro', 'shi', 'ter', 'gan', 'bel', 'qua'];
const VOCABULARY = Array.from({ length: 3_000 }, (_, n) => {
  return [n, n >> 4, n >> 8].map((part) => SYLLABLES[part % SYLLABLES.length]).join('') + (n % 3 === 2 ? 's' : 'n');
});

/** A few words are frequent, most are rare. */
function words(count: number): string {
  return Array.from({ length: count }, () => VOCABULARY[Math.floor(VOCABULARY.length * random() ** 3)]).join(' ');
}

function documentOf(contentId: number): object {
  const popular = random() < 0.2;
  const creatorId = 1 + Math.floor(5_000 * random() ** 2);
  const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(contentId / 3) * 1_000);
  return toDocument({
    content_id: contentId,
    creator_id: creatorId,
    creator_name: `user ${creatorId}`,
    name: words(2 + Math.floor(random() * 3)),
    description: words(5 + Math.floor(random() * 40)),
    data: 'x'.repeat(100),
    tags: [words(1)],
    version: 1 + Math.floor(10 * random() ** 4),
    downloads_count: popular ? Math.floor(1 / (random() + 1e-4)) : 0,
    latest_downloads_count: 0,
    avg_rating: popular ? Math.round(random() * 40 + 10) / 10 : 0,
    created_at: createdAt,
    updated_at: createdAt,
    edits: 0,
    revision: 1,
    deleted_at: null,
  });
}
