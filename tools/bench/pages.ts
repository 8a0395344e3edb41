import type { estypes } from '@elastic/elasticsearch';
import { LIVE } from '@ugc/shared/contracts/content-index';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { fillCollection } from './collection/fill.ts';
import { FREQUENT } from './collection/words.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const SIZE = 10;
const ROUNDS = 7;
/** Shares of the list, and one item. */
const DEPTHS = { 'item 1,500': 1_500, '10 %': 0.1, '50 %': 0.5, '90 %': 0.9, 'near the end': 1 };

const WORDS = FREQUENT.slice(0, 3).join(' ');

const LISTS: Record<string, string> = {
  'createdAt,desc': 'sort=createdAt,desc',
  'downloadsCount,desc (60 % tied)': 'sort=downloadsCount,desc',
  'avgRating,desc, then name': 'sort=avgRating,desc&sort=name',
  'name,asc': 'sort=name,asc',
  'creatorName,asc': 'sort=creatorName,asc',
  'prompt, createdAt,desc': `prompt=${WORDS}&sort=createdAt,desc`,
  'prompt, name,asc': `prompt=${WORDS}&sort=name,asc`,
  'relevance, one word': `prompt=${FREQUENT[0]}&sort=relevance`,
  'relevance, three words': `prompt=${WORDS}&sort=relevance`,
};

/** Compares the response times of deep pages with those of the first page of the same list. */
export async function benchPages(): Promise<void> {
  const cluster = await startCluster();
  await fillCollection(cluster, ITEMS);
  const rows = [];
  for (const [name, parameters] of Object.entries(LISTS)) rows.push({ list: name, ...(await measureList(cluster, parameters)) });
  const walked = await measureWalk(cluster);
  await cluster.stop();
  console.log(`A walk (see "Walk a list" in docs/api.md)`);
  console.table(walked);
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

const WALKED_SIZE = 200;

/** The first page and page 5,000 of a walk, and pages of 200 items beside the same searches sent to Elasticsearch. */
async function measureWalk(cluster: Cluster): Promise<Record<string, string | number>> {
  const deepPage = Math.min(5_000, Math.floor(ITEMS / SIZE) - ROUNDS - 1);
  const next = async (address: string): Promise<string | undefined> => {
    const { headers } = await cluster.client.get(`/api/content${address}`);
    return /<(.*)>/.exec(headers.get('link') ?? '')?.[1];
  };
  const medianOf = async (address: string): Promise<number> => {
    const durations: number[] = [];
    for (let round = 0, at: string | undefined = address; round < ROUNDS && at !== undefined; round += 1) {
      const startedAt = performance.now();
      at = await next(at);
      durations.push(performance.now() - startedAt);
    }
    return percentile(durations, 0.5);
  };
  const [first, deep] = [await medianOf('?totals=false'), await medianOf((await next(`?page=${deepPage}`)) ?? '')];
  const startedAt = performance.now();
  for (let at: string | undefined = `?size=${WALKED_SIZE}`; at !== undefined;) at = await next(at);
  const walkMs = performance.now() - startedAt;
  return {
    'first page, ms': first.toFixed(1),
    [`page ${deepPage} : first`]: (deep / first).toFixed(2),
    'items per second, size=200': Math.round((ITEMS / walkMs) * 1_000),
    'of the same searches': ((await walkIndex(cluster)) / walkMs).toFixed(2),
  };
}

/** @returns the duration in milliseconds */
async function walkIndex({ elasticsearch, env }: Cluster): Promise<number> {
  const startedAt = performance.now();
  const search = {
    index: env['CONTENT_ALIAS'] ?? '',
    query: LIVE,
    sort: ['createdAt:desc', 'contentId:desc'],
    size: WALKED_SIZE,
    track_total_hits: false,
  };
  let last: { sort?: estypes.SortResults } | undefined;
  do {
    const { hits }: estypes.SearchResponse = await elasticsearch.search({ ...search, ...(last?.sort && { search_after: last.sort }) });
    last = hits.hits.at(WALKED_SIZE - 1);
  } while (last);
  return performance.now() - startedAt;
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
