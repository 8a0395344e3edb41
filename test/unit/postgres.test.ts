import { expect, it } from '@jest/globals';
import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuthority } from '../support/servers/tls.ts';

/** A message of the PostgreSQL wire protocol: type, length and body. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATED = message('R', Buffer.from([0, 0, 0, 0]));
const READY = message('Z', Buffer.from('I'));
const SHUTTING_DOWN = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

async function connectTo(accept: (socket: Socket) => void, connectTimeoutMs: number): Promise<{ server: Server; database: Database }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => accept(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d`;
  const limits = { maxConnections: 2, statementTimeoutMs: 1_000, connectTimeoutMs };
  return { server, database: connectPostgres({ url, applicationName: 'test', onIdleError: () => undefined, ...limits }) };
}

it('a connection that PostgreSQL accepts and closes immediately while it shuts down rejects the query and does not crash the process', async () => {
  const { server, database } = await connectTo((socket) => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTTING_DOWN])), 10_000);
  const statements = Array.from({ length: 5 }, () => database.transaction((tx) => tx.query('select 1')));
  for (const { status, reason } of (await Promise.allSettled(statements)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(DatabaseUnavailable);
  }
  await database.close();
  server.close();
});

it('a statement that is not answered is given up soon after the time that the server has for it', async () => {
  const { server, database } = await connectTo((socket) => socket.write(Buffer.concat([AUTHENTICATED, READY])), 100);
  // Timers of one process fire in their order, however busy the machine is.
  const later = delay(10_000, 'later', { ref: false });
  const error: unknown = await Promise.race([database.query('select 1').catch((reason: unknown) => reason), later]);
  expect(error).toBeInstanceOf(DatabaseUnavailable);
  await database.close();
  server.close();
});

it('a request that waits for a connection while a file of certificates is missing is refused, and the process goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ugc-postgres-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, (await createAuthority('an authority')).cert);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => void rm(folder, { recursive: true }).then(() => socket.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `postgresql://u@127.0.0.1:${(server.address() as AddressInfo).port}/d?sslmode=verify-full&sslrootcert=${file}`;
  const limits = { maxConnections: 1, statementTimeoutMs: 1_000 };
  const database = connectPostgres({ url, applicationName: 'test', onIdleError: () => undefined, ...limits });
  const [, waiting] = await Promise.allSettled([database.query('select 1'), database.query('select 2')]);
  expect(waiting).toMatchObject({ reason: { cause: { message: `DATABASE_URL: sslrootcert: the file ${file} cannot be read` } } });
  await database.close();
  server.close();
});
