import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** A message of the PostgreSQL wire protocol: type, length and body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATED = message('R', Buffer.from([0, 0, 0, 0]));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

let server: Server;
let database: Database;
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN])));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  database = connectPostgres({
    url: `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`,
    applicationName: 'test',
    maxConnections: 2,
    statementTimeoutMs: 1_000,
    onIdleError: () => undefined,
  });
});
afterAll(async () => {
  await database.close();
  server.close();
});

it('a connection that PostgreSQL accepts and closes immediately while it shuts down rejects the query and does not crash the process', async () => {
  const statements = Array.from({ length: 5 }, () => database.transaction((tx) => tx.query('select 1')));
  for (const { status, reason } of (await Promise.allSettled(statements)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(DatabaseUnavailable);
  }
});
