import { startApiCommand } from '../../test/support/processes/command.ts';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { insertItems } from '../../test/support/database/insert-items.ts';
import { tokenOf } from '../../test/support/http/tokens.ts';
import { until } from '../../test/support/jest/until.ts';
import { USERS } from '../../test/support/processes/environment.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const LIMIT_MS = 5_000;

/** An item that is hidden while many changes are pending, and uploads beside the erasure of a user with many items. */
export async function benchModeration(): Promise<void> {
  const cluster = await startCluster();
  const hiddenMs = await hideBesideBacklog(cluster);
  await cluster.indexed();
  const uploadMs = await uploadBesideErasure(cluster);
  await cluster.stop();
  const rows = [
    { what: `${ITEMS} pending changes, one indexer: a hidden item is gone from lists`, ms: Math.round(hiddenMs) },
    { what: `a user with ${ITEMS} items is erased: an upload is searchable (p95)`, ms: Math.round(percentile(uploadMs, 0.95)) },
  ];
  console.table(rows);
  if (rows.some(({ ms }) => ms > LIMIT_MS)) throw new Error(`longer than ${LIMIT_MS} ms`);
}

async function hideBesideBacklog({ client, database, indexed }: Cluster): Promise<number> {
  const id = await client.upload({ name: 'quokkaphone' }, USERS.boris);
  await indexed();
  await insertItems(database, { count: ITEMS });
  const token = await tokenOf(USERS.boris, { scope: 'content:moderate' });
  const headers = { 'content-type': 'application/json' };
  const startedAt = performance.now();
  await client.request('PUT', `/api/content/${id}/hidden`, { token, headers, body: JSON.stringify({ reason: 'measured' }) });
  await until('it is hidden', async () => (await client.search('quokkaphone', { correct: 'false' })).length === 0);
  return performance.now() - startedAt;
}

/** The items of `insertItems` are those of user 1. */
async function uploadBesideErasure({ client, env }: Cluster): Promise<number[]> {
  const durations: number[] = [];
  const erasure = { hasEnded: false };
  const erased = startApiCommand(env, 'users', 'erase', '1', '--json').result.finally(() => (erasure.hasEnded = true));
  while (!erasure.hasEnded) {
    const startedAt = performance.now();
    await client.tryUpload({}, USERS.boris, { prefer: 'wait=10' });
    durations.push(performance.now() - startedAt);
  }
  const { code, stderr } = await erased;
  if (code !== 0) throw new Error(stderr);
  return durations;
}
