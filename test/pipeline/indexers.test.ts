import { afterEach, expect, it } from '@jest/globals';
import { insertItems } from '../support/database/insert-items.ts';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

const ITEMS = 3_000;
const INDEXERS = 3;
const MIN_SHARE = 0.6;

let cluster: Cluster;
afterEach(() => cluster.stop());

it('several indexers share the work, and none indexes less than 60 % of the mean', async () => {
  cluster = await startCluster({ indexers: INDEXERS });
  await insertItems(cluster.database, { count: ITEMS });
  await cluster.indexed();
  let indexed: number[] = [];
  // An indexer counts a change after it has left the outbox.
  await until('all changes are counted', async () => {
    indexed = await countsOf(cluster);
    return indexed.reduce((sum, changes) => sum + changes, 0) >= ITEMS;
  });
  expect(Math.min(...indexed)).toBeGreaterThanOrEqual((MIN_SHARE * ITEMS) / INDEXERS);
});

async function countsOf({ indexers }: Cluster): Promise<number[]> {
  return Promise.all(indexers.map(async ({ url }) => (await scrape(url)).get('ugc_index_changes_total{result="acknowledged"}') ?? 0));
}
