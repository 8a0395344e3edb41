import { afterEach, expect, it } from '@jest/globals';
import { insertItems } from '../support/insert-items.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { scrape } from '../support/scrape.ts';

const ITEMS = 3_000;
const INDEXERS = 3;
const LEAST_SHARE = 0.6;

let cluster: Cluster;
afterEach(() => cluster.stop());

it('several indexers share the work: none does less than 60 % of the mean', async () => {
  cluster = await startCluster({ indexers: INDEXERS });
  await insertItems(cluster.database, { count: ITEMS });
  await cluster.indexed();
  const indexed = await Promise.all(
    cluster.indexers.map(async ({ url }) => (await scrape(url)).get('ugc_index_documents_total{outcome="indexed"}') ?? 0),
  );
  expect(indexed.reduce((sum, documents) => sum + documents, 0)).toBeGreaterThanOrEqual(ITEMS);
  expect(Math.min(...indexed)).toBeGreaterThanOrEqual((LEAST_SHARE * ITEMS) / INDEXERS);
});
