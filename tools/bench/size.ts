import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { fillIndex, writeItems, words, type Collection } from './fill-index.ts';
import { median } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
/** The sizes that are measured, until all items are written. */
const SIZES = [10_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000].filter((size) => size < ITEMS).concat(ITEMS);
const ROUNDS = 9;
const COLLECTION: Omit<Collection, 'items'> = { creators: 5_000, tagsOf: () => [words(1)] };

const LISTS: Record<string, string> = {
  'default list': '',
  'createdAt,asc': 'sort=createdAt,asc',
  'avgRating,desc': 'sort=avgRating,desc',
  'downloadsCount,desc': 'sort=downloadsCount,desc',
  best: 'sort=best',
  'items with a rating of 4': 'minRating=4',
  'three words, by relevance': 'prompt=kakakan+lokakan+mikakas&match=any&sort=relevance',
  'two words, by date': 'prompt=kakakan+lokakan',
  phrase: 'prompt="kakakan+lokakan"&sort=relevance',
  'misspelt word': 'prompt=kakkaan&sort=relevance',
};

type Row = { list: string; items: string; matches: number; ms: number; withoutTotalsMs: number };

/** Response times of lists while the collection grows, each after a refresh, with and without totals. */
export async function benchSize(): Promise<void> {
  const cluster = await startCluster();
  const rows: Row[] = [];
  for (const [n, size] of SIZES.entries()) {
    await fillIndex(cluster, { ...COLLECTION, items: size }, SIZES[n - 1] ?? 0);
    const { _all: all } = await cluster.elasticsearch.indices.stats({ index: alias(cluster), metric: 'store' });
    console.log(
      `${size.toLocaleString('en')} items: ${Math.round((all.primaries?.store?.size_in_bytes ?? 0) / size)} bytes of the index per item`,
    );
    for (const [list, parameters] of Object.entries(LISTS)) rows.push(await measure(cluster, size, list, parameters));
    console.table(rows.slice(-Object.keys(LISTS).length));
  }
  await cluster.stop();
  console.log('Nanoseconds per match between the two largest sizes, with and without totals:');
  console.table(Object.keys(LISTS).map((list) => slopeOf(rows.filter((row) => row.list === list).slice(-2))));
}

async function measure(cluster: Cluster, size: number, list: string, parameters: string): Promise<Row> {
  const withTotals: number[] = [];
  const without: number[] = [];
  let matches = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const counted = await timeAfterRefresh(cluster, parameters);
    const slice = await timeAfterRefresh(cluster, `${parameters}&totals=false`);
    // The first requests find nothing in memory.
    if (round === 0) continue;
    withTotals.push(counted.ms);
    without.push(slice.ms);
    matches = counted.matches;
  }
  return { list, items: size.toLocaleString('en'), matches, ms: rounded(median(withTotals)), withoutTotalsMs: rounded(median(without)) };
}

/** Writes an item again, so that the refresh ends what Elasticsearch has cached. */
async function timeAfterRefresh(cluster: Cluster, parameters: string): Promise<{ ms: number; matches: number }> {
  await writeItems(cluster, [1], { ...COLLECTION, items: 1 });
  await cluster.elasticsearch.indices.refresh({ index: alias(cluster) });
  const startedAt = performance.now();
  const { status, body } = await cluster.client.get(`/api/content?${parameters}`);
  const ms = performance.now() - startedAt;
  if (status !== 200) throw new Error(`the list ${parameters} returned ${status}`);
  return { ms, matches: body.totalElements };
}

function slopeOf([smaller, larger]: Row[]) {
  if (!smaller || !larger) return {};
  const per = (key: 'ms' | 'withoutTotalsMs'): number =>
    rounded(((larger[key] - smaller[key]) * 1_000_000) / Math.max(1, larger.matches - smaller.matches));
  return { list: larger.list, 'ns per match': per('ms'), 'without totals': per('withoutTotalsMs') };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function alias({ env }: Cluster): string {
  return env['CONTENT_ALIAS'] ?? '';
}
