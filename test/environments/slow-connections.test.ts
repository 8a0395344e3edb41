import { expect, it } from '@jest/globals';
import { connectPostgres } from '@ugc/shared/stores/postgres';
import type pg from 'pg';
import { createEnvironment } from '../support/processes/environment.ts';

it('a connection that is ready after its statement has given up returns to the pool', async () => {
  const { DATABASE_URL = '' } = await createEnvironment();
  const limits = { maxConnections: 2, statementTimeoutMs: 20_000, connectTimeoutMs: 500 };
  const database = connectPostgres({ url: DATABASE_URL, applicationName: 'test', onIdleError: () => undefined, ...limits });
  await database.query('select 1');
  database.pool.once('connect', (client) => delayNextQuery(client, 600));
  // The second statement needs a new connection, which is ready too late.
  const results = await Promise.allSettled([database.query('select 1'), database.query('select 1')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  // It waits until each connection has returned.
  await database.close();
});

function delayNextQuery(client: pg.PoolClient, delayMs: number): void {
  const query = client.query.bind(client) as (...args: unknown[]) => void;
  const delayed = (...args: unknown[]): void => {
    Object.assign(client, { query });
    setTimeout(() => query(...args), delayMs);
  };
  Object.assign(client, { query: delayed });
}
