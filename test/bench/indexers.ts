import { insertItems } from '../support/insert-items.ts';
import { startCluster } from '../support/cluster.ts';

const ITEMS = 10_000;
/** Two may not be slower than one; runs of the same differ by more than a tenth. */
const LEAST_RATIO = 0.8;

/** How fast a backlog is indexed by one and by two indexers: in turns, in one run, so that the machine's mood strikes both. */
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
  if (ratio < LEAST_RATIO) throw new Error(`two indexers are slower than one by more than runs differ (${ratio.toFixed(2)})`);
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
