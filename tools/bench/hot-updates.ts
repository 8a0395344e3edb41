import type { Database } from '@ugc/shared/postgres/postgres';
import { insertItems } from '../../test/support/database/insert-items.ts';
import { createEnvironment } from '../../test/support/processes/environment.ts';
import { openStores } from '../../test/support/processes/service.ts';

const COUNT = Number(process.env['BENCH_ITEMS'] ?? 50_000);
const ROUNDS = 20;
/** Parts of the items that each round changes. Popular items are counted more often. */
const [COUNTED, EDITED, INSERTED] = [0.1, 0.01, 0.01];

const SIZE = `select pg_relation_size('content') as bytes`;

/**
 * Which part of the updates of counters stays in the page of its row (HOT) and so writes no index, in a table that lives:
 * items are counted, edited and inserted, and vacuumed now and then.
 */
export async function benchHotUpdates(): Promise<void> {
  for (const fillfactor of [100, 90, 85]) {
    const { database, close } = openStores(await createEnvironment());
    await database.query(`alter table content set (fillfactor = ${fillfactor}, autovacuum_enabled = false)`);
    await insertItems(database, { count: COUNT, pending: false });
    const filled = await bytesOf(database);
    const shares: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      shares.push(await hotShareOf(database, () => count(database, COUNT * COUNTED)));
      await edit(database, COUNT * EDITED);
      await insertItems(database, { count: COUNT * INSERTED, prefix: `round ${round}`, pending: false });
      if (round % 2 === 0) await database.query('vacuum content');
    }
    const percents = (some: number[]): string => `${((100 * some.reduce((a, b) => a + b, 0)) / some.length).toFixed(1)} %`;
    const size = `${Math.round(filled / 1e6)} MB filled, ${Math.round((await bytesOf(database)) / 1e6)} MB at the end`;
    console.log(`fillfactor ${fillfactor}: HOT ${percents(shares.slice(0, 2))} at first, ${percents(shares.slice(-10))} later; ${size}`);
    await close();
  }
}

/** One by one, as the service does, with few in a transaction. */
async function count(database: Database, updates: number): Promise<void> {
  await database.query(
    `do $$ declare highest bigint := (select max(content_id) from content); id bigint; begin
       for n in 1..${Math.round(updates)} loop
         id := 1 + floor(highest * power(random(), 3));
         update content set downloads_count = downloads_count + 1 where content_id = id;
         if n % 10 = 0 then commit; end if;
       end loop; end $$`,
  );
}

async function edit(database: Database, edits: number): Promise<void> {
  await database.query(
    `update content set description = description || repeat(' edited', (random() * 20)::int), revision = revision + 1
     where content_id in (select content_id from content order by random() limit ${Math.round(edits)})`,
  );
}

type Updates = { updated: number; hot: number };

async function hotShareOf(database: Database, work: () => Promise<void>): Promise<number> {
  const read = async (): Promise<Updates> => {
    const [row] = await database.query<Updates>(
      `select pg_stat_get_tuples_updated('content'::regclass) as updated, pg_stat_get_tuples_hot_updated('content'::regclass) as hot`,
    );
    return row ?? { updated: 0, hot: 0 };
  };
  const flushed = async (): Promise<Updates> => {
    await database.query('select pg_stat_force_next_flush()');
    return read();
  };
  const before = await flushed();
  await work();
  const after = await flushed();
  return (after.hot - before.hot) / (after.updated - before.updated);
}

async function bytesOf(database: Database): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(SIZE);
  return row?.bytes ?? 0;
}
