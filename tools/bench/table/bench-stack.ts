import type { Database } from '@ugc/shared/postgres/postgres';
import { startCluster, type Cluster } from '../../../test/support/cluster/cluster.ts';
import { tokenOf } from '../../../test/support/http/tokens.ts';
import { fillCollection } from '../collection/fill.ts';
import { words } from '../collection/words.ts';

/** More users than connections, because the active requests of one user are limited. */
const USERS = 512;
/** The names of a stack that is started again are the same. */
const KEPT = { CONTENT_ALIAS: 'bench', QUEUE_PREFIX: 'bench' };

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
  await fillCollection(cluster, items);
  return { cluster, items, users };
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

export async function addUsers(database: Database): Promise<BenchUser[]> {
  await database.query(
    `insert into users (username, credential) select 'bench ' || n, 'bench|' || n from generate_series(1, $1::int) n
     on conflict do nothing`,
    [USERS],
  );
  const rows = await database.query<{ userId: number }>(`select user_id from users where credential like 'bench|%' order by user_id`);
  return Promise.all(rows.map(async ({ userId }) => ({ userId, authorization: `Bearer ${await tokenOf(userId)}` })));
}
