import { expect, it } from '@jest/globals';
import type { Client } from '../support/http/client.ts';
import { startCluster } from '../support/cluster/cluster.ts';
import { Uploads } from '../support/cluster/uploads.ts';
import { insertItems, insertPoison } from '../support/database/insert-items.ts';
import { countOutbox, NOT_REJECTED } from '../support/database/outbox.ts';
import { scrape } from '../support/http/scrape.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';

const INDEXERS = 3;
const ITEMS = 3_000;
const MIN_SHARE = 0.6;
const STOPPED_WITHIN_MS = 15_000;
/** Changes are indexed within about 2 s on an idle machine. */
const NOT_DELAYED_MS = 10_000;

const cluster = forAllTests(() => startCluster({ indexers: INDEXERS }));

it('several indexers share the work, and none indexes less than 60 % of the mean', async () => {
  const acknowledged = () =>
    Promise.all(cluster.indexers.map(async ({ url }) => (await scrape(url)).get('ugc_index_changes_total{result="acknowledged"}') ?? 0));
  const before = await acknowledged();
  await insertItems(cluster.database, { count: ITEMS });
  let indexed: number[] = [];
  // An indexer counts a change after it has left the outbox.
  await until('all changes are counted', async () => {
    indexed = (await acknowledged()).map((changes, n) => changes - (before[n] ?? 0));
    return indexed.reduce((sum, changes) => sum + changes, 0) >= ITEMS;
  });
  expect(Math.min(...indexed)).toBeGreaterThanOrEqual((MIN_SHARE * ITEMS) / INDEXERS);
});

it('an item that Elasticsearch rejects delays no other item', async () => {
  await insertPoison(cluster.database);
  await insertItems(cluster.database, { count: 2, prefix: 'neighbour' });
  await until('nothing else is pending', async () => (await countOutbox(cluster.database, NOT_REJECTED)) === 0, NOT_DELAYED_MS);
});

it('an API that is stopped under load exits within 15 s', async () => {
  const uploads = new Uploads();
  const flood = Array.from({ length: 20 }, (_, n) => uploadUntilGone(uploads, cluster.client, `under load ${n}`));
  await until('uploads are under way', () => uploads.accepted.size > 100);
  const stoppedAt = performance.now();
  await cluster.api.stop();
  expect(performance.now() - stoppedAt).toBeLessThanOrEqual(STOPPED_WITHIN_MS);
  await Promise.all(flood);
});

async function uploadUntilGone(uploads: Uploads, client: Client, prefix: string): Promise<void> {
  for (let n = 0; (await uploads.send(client, `${prefix} ${n}`)) !== undefined; n++);
}
