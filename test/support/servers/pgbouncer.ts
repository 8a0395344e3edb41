import { serverAccount } from '@ugc/local-stack/account';
import { choosePorts } from '@ugc/local-stack/ports';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { dataFolder } from './data-folder.ts';
import { until } from '../jest/until.ts';

/** The PgBouncer of this machine, if it has one. */
export const PGBOUNCER = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path));

/** Starts PgBouncer in transaction mode, otherwise with its own defaults. */
export async function startPgBouncer(databaseUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const [port = 0] = await choosePorts([{ server: 'PgBouncer', variable: 'port', port: 0 }]);
  const folder = await dataFolder('pgbouncer-');
  const url = new URL(databaseUrl);
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  await writeFile(users, `"${url.username}" ""\n`);
  await writeFile(
    settings,
    `[databases]\n* = host=${url.hostname} port=${url.port}\n[pgbouncer]\npool_mode = transaction\nlisten_addr = 127.0.0.1\n` +
      `listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}\ndefault_pool_size = 8\n`,
  );
  const as = serverAccount();
  for (const path of as ? [folder, users, settings] : []) await chown(path, as?.uid ?? 0, as?.gid ?? 0);
  const server = spawn(PGBOUNCER ?? '', ['-q', settings], { stdio: 'ignore', ...(as && { uid: as.uid, gid: as.gid }) });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  url.port = String(port);
  await until('PgBouncer accepts connections', () => accepts(url.href));
  const close = async (): Promise<void> => {
    server.kill('SIGINT');
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url: url.href, close };
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  return client
    .connect()
    .then(() => client.query('select 1'))
    .then(() => true)
    .catch(() => false)
    .finally(() => void client.end());
}
