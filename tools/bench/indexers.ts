import { insertItems } from '../../test/support/database/insert-items.ts';
import { startCluster } from '../../test/support/cluster/cluster.ts';

const ITEMS = 10_000;
/** Two indexers must not be slower than one. Equal runs differ by more than 10 %. */
const MIN_RATIO = 0.8;

/**
 * Measures how fast one and two indexers index a backlog. The runs alternate, so that other load on the machine affects
 * both.
 */
export async function benchIndexers(): Promise<void> {
  const perSecond: Record<number, number[]> = { 1: [], 2: [] };
  for (const indexers of [1, 2, 2, 1, 1, 2]) perSecond[indexers]?.push(await indexBacklog(indexers));
  const [one = 1, two = 1] = Object.values(perSecond).map((rates) => rates.reduce((sum, rate) => sum + rate, 0) / rates.length);
  const ratio = two / one;
  console.table([
    { indexers: 1, 'items per s': Math.round(one), runs: perSecond[1]?.map(Math.round).join(' '), 'times one': 1 },
    {
      indexers: 2,
      'items per s': Math.round(two),
      runs: perSecond[2]?.map(Math.round).join(' '),
      'times one': Number(ratio.toFixed(2)),
    },
  ]);
  if (ratio < MIN_RATIO) throw new Error(`two indexers reach only ${ratio.toFixed(2)} times the throughput of one`);
}

async function indexBacklog(indexers: number): Promise<number> {
  const cluster = await startCluster({ indexers });
  await insertItems(cluster.database, { count: ITEMS });
  const startedAt = performance.now();
  await cluster.indexed();
  const seconds = (performance.now() - startedAt) / 1_000;
  await cluster.stop();
  return ITEMS / seconds;
}
