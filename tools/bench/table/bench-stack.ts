import { progressBar } from '@ugc/shared/cli/progress-bar';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Environment } from '../../../test/support/processes/environment.ts';
import { startCluster, type Cluster } from '../../../test/support/cluster/cluster.ts';
import { indexDeps } from '../../../test/support/indices/index-deps.ts';
import { rebuildIndex, removeOtherIndices } from '../../../test/support/indices/index-lock.ts';
import { tokenOf } from '../../../test/support/http/tokens.ts';
import { words } from '../fill-index.ts';

/** More users than connections, because the active requests of one user are limited. */
const USERS = 512;
const INSERT_BATCH = 5_000;

export type BenchUser = { userId: number; authorization: string };
/** A stack of its own whose items are all indexed. */
export type BenchStack = { cluster: Cluster; items: number; users: BenchUser[] };

/** @param items their ids are 1 to this number */
export async function startBenchStack(items: number, env: Environment = {}): Promise<BenchStack> {
  const cluster = await startCluster({ postgres: true, elasticsearch: true, redis: true, apis: 2 }, env);
  const users = await addUsers(cluster.database);
  await addItems(cluster.database, items);
  const bar = progressBar('Indexing');
  await rebuildIndex(indexDeps(cluster), (_, filled, total) => bar.update(filled, total));
  bar.end();
  // Changes are also written to the previous index, here that of the first start.
  await removeOtherIndices(indexDeps(cluster));
  // Otherwise autovacuum does it in the middle of a measurement.
  await cluster.database.query('vacuum analyze');
  return { cluster, items, users };
}

/** Adds indexed items. Their names and descriptions are words of a vocabulary in which the first ones are frequent. */
async function addItems(database: Database, count: number): Promise<void> {
  const bar = progressBar('Inserting');
  for (let inserted = 0; inserted < count; inserted += INSERT_BATCH) {
    await insertItems(database, Math.min(INSERT_BATCH, count - inserted), { pending: false });
    bar.update(inserted + INSERT_BATCH, count);
  }
  bar.end();
}

/** Adds items of the first user. With `pending`, their changes are still to be indexed. */
export async function insertItems(database: Database, count: number, { pending }: { pending: boolean }): Promise<void> {
  const items = Array.from({ length: count }, () => ({ name: words(3), description: words(40), tags: words(3).split(' ') }));
  await database.query(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags)
       select 1, name, description, repeat('x', 500), 1, tags
       from json_to_recordset($1) as item(name text, description text, tags text[]) returning content_id, revision
     ), o as (insert into index_outbox (content_id, revision) select content_id, revision from c where $2)
     select count(*) from c`,
    [JSON.stringify(items), pending],
  );
}

async function addUsers(database: Database): Promise<BenchUser[]> {
  const rows = await database.query<{ userId: number }>(
    `insert into users (username, credential) select 'bench ' || n, 'bench|' || n from generate_series(1, $1::int) n returning user_id`,
    [USERS],
  );
  return Promise.all(rows.map(async ({ userId }) => ({ userId, authorization: `Bearer ${await tokenOf(userId)}` })));
}
