import pg from 'pg';
import type { Database } from '@ugc/shared/postgres/postgres';
import { until } from '../jest/until.ts';

const END_THOSE_OF_SERVICES = `select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ '^ugc-(api|indexer)'`;

/** Opens connections until none is free, and terminates those of API and indexer. @returns what closes them */
export async function takeAllConnections(databaseUrl: string | undefined): Promise<() => Promise<void>> {
  const taken = [await connect(databaseUrl)];
  await taken[0]?.query(END_THOSE_OF_SERVICES);
  const isDone = async (): Promise<boolean> => {
    for (let another; (another = await connect(databaseUrl).catch(() => undefined));) taken.push(another);
    return (await taken[0]?.query(END_THOSE_OF_SERVICES))?.rowCount === 0;
  };
  // In a pause, the services would take what is free.
  await until('no connection is free, and the services have none', isDone, undefined, 0);
  return async () => void (await Promise.all(taken.map((client) => client.end())));
}

async function connect(databaseUrl: string | undefined): Promise<pg.Client> {
  const client = new pg.Client(databaseUrl);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The number of sessions of the test's database that wait for a lock. */
export async function countLockWaits(database: Database): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(
    `select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row?.waiting ?? 0;
}
