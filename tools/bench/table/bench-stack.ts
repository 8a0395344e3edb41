import { progressBar } from '@ugc/shared/cli/output';
import { ForeignIndex } from '@ugc/indexer/targets/target-indices';
import { insertPending } from '@ugc/shared/outbox/mark-pending';
import type { Database } from '@ugc/shared/postgres/postgres';
import pg from 'pg';
import { startCluster, type Cluster } from '../../../test/support/cluster/cluster.ts';
import { until } from '../../../test/support/jest/until.ts';
import type { Environment } from '../../../test/support/processes/environment.ts';
import { untilIndexed } from '../../../test/support/processes/service.ts';
import { indexDeps } from '../../../test/support/indices/index-deps.ts';
import { rebuildIndex, removeOtherIndices } from '../../../test/support/indices/index-lock.ts';
import { tokenOf } from '../../../test/support/http/tokens.ts';
import { words } from '../fill-index.ts';

/** More users than connections, because the active requests of one user are limited. */
const USERS = 512;
const INSERT_BATCH = 5_000;
const EDIT_RANGE = 100_000;
const INDEXED_WITHIN_MS = 3_600_000;
/** The names of a stack that is started again are the same. It is large, so two ranges are filled at a time. */
const KEPT = { CONTENT_ALIAS: 'bench', QUEUE_PREFIX: 'bench', INDEX_FILL_CONCURRENCY: '2' };

export type BenchUser = { userId: number; authorization: string };
/** A stack of its own whose items are all indexed. */
export type BenchStack = { cluster: Cluster; items: number; users: BenchUser[] };

/**
 * @param items their ids are 1 to this number
 * @param keptIn a folder for the data, in which a later call continues
 */
export async function startBenchStack(items: number, keptIn?: string): Promise<BenchStack> {
  // As in production, PostgreSQL waits for the disk.
  const stores = { postgres: { settings: { fsync: 'on' } }, elasticsearch: true, redis: true };
  const cluster = await startCluster({ ...stores, apis: 2, keptIn }, keptIn === undefined ? {} : KEPT);
  const users = await addUsers(cluster.database);
  await addItems(cluster.database, items);
  await indexItems(cluster, items);
  await vacuum(cluster.env);
  return { cluster, items, users };
}

/** Adds items until there are so many. Their names and descriptions are words, of which the first ones are frequent. */
async function addItems(database: Database, items: number): Promise<void> {
  const [row] = await database.query<{ last: number }>('select coalesce(max(content_id), 0) as last from content');
  const bar = progressBar('Inserting');
  for (let last = row?.last ?? 0; last < items; last += INSERT_BATCH) {
    await insertItems(database, Math.min(INSERT_BATCH, items - last), { pending: false });
    bar.update(Math.min(last + INSERT_BATCH, items), items);
  }
  bar.end();
}

/** A rebuild that was interrupted continues. */
async function indexItems(cluster: Cluster, items: number): Promise<void> {
  const { count } = await cluster.elasticsearch.count({ index: cluster.alias });
  if (count >= items) return;
  const bar = progressBar('Indexing');
  const rebuild = async (): Promise<boolean> => {
    try {
      await rebuildIndex(indexDeps(cluster), (_, filled, total) => bar.update(filled, total));
      return true;
    } catch (error) {
      if (error instanceof ForeignIndex) return false;
      throw error;
    }
  };
  // PostgreSQL may have another port than before. The index then seems to belong to another database for a minute.
  await until('the index belongs to this database', rebuild);
  bar.end();
  // Changes are also written to the previous index, here that of the first start.
  await removeOtherIndices(indexDeps(cluster));
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

/** Otherwise autovacuum does it in the middle of a measurement. It takes longer than other statements may. */
async function vacuum({ DATABASE_URL }: Environment): Promise<void> {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

/** Edits every tenth item, and waits until the changes are indexed. */
export async function editTenth({ cluster, items }: BenchStack): Promise<void> {
  const bar = progressBar('Editing');
  for (let first = 1; first <= items; first += EDIT_RANGE) {
    await cluster.database.query(
      `with c as (
         update content set description = description || ' edited', revision = revision + 1
         where content_id between $1 and $2 and content_id % 10 = 0 returning content_id, revision
       ), o as (${insertPending('c', { delayMs: '0', traceparent: 'null' })})
       select count(*) from c`,
      [first, Math.min(first + EDIT_RANGE - 1, items)],
    );
    bar.update(Math.min(first + EDIT_RANGE - 1, items), items);
  }
  bar.end();
  await untilIndexed(cluster, cluster.env, { timeoutMs: INDEXED_WITHIN_MS });
}

export async function addUsers(database: Database): Promise<BenchUser[]> {
  await database.query(
    `insert into users (username, credential) select 'bench ' || n, 'bench|' || n from generate_series(1, $1::int) n
     on conflict do nothing`,
    [USERS],
  );
  const rows = await database.query<{ userId: number }>(`select user_id from users where credential like 'bench|%' order by user_id`);
  return Promise.all(rows.map(async ({ userId }) => ({ userId, authorization: `Bearer ${await tokenOf(userId)}` })));
}
