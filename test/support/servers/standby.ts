import { serverAccount } from '@ugc/local-stack/account';
import { makeFolder } from '@ugc/local-stack/folders';
import { postgresServer } from '@ugc/local-stack/postgres-server';
import type { Server } from '@ugc/local-stack/server';
import { migrate } from '@ugc/shared/postgres/migrate';
import { chown, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ChaosProxy } from '../cluster/chaos-proxy.ts';
import { freePorts } from '../cluster/cluster-servers.ts';
import { until } from '../jest/until.ts';
import { insertUsers } from '../processes/environment.ts';
import { dataFolder } from './data-folder.ts';

/** A primary, its standby, and the one address that clients know. */
export type Replication = {
  primary: Server;
  standby: Server;
  /** Clients connect to it. It leads to the primary until `switchOver`. */
  proxy: ChaosProxy;
  /** The way of the changes to the standby. */
  stream: ChaosProxy;
  /** Until the standby has all that is committed. */
  caughtUp(): Promise<void>;
  /** Waits for the standby with each commit. */
  synchronous(): Promise<void>;
  /** Makes the standby a primary, and leads new connections to it. Those to the former primary stay open. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
};

const NAME = 'standby';

/** Starts a migrated PostgreSQL with a streaming standby; the package of the local stack has no pg_basebackup. */
export async function startReplication(): Promise<Replication> {
  const folder = await dataFolder('replication-');
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2);
  // As `writeWithoutSync` of the shared server.
  const settings = { fsync: 'off' };
  const serverAt = (name: string, port: number, more = {}): Server =>
    postgresServer({ dataDir: join(folder, name), port, as: serverAccount(), settings: { ...settings, ...more } });
  const primary = serverAt('primary', primaryPort);
  await primary.start();
  await migrate(primary.url).then(() => insertUsers(primary.url));
  const stream = await ChaosProxy.before(primary.url);
  const { port } = new URL(stream.url);
  await copyRunning(primary.url, join(folder, 'primary', 'data'), join(folder, NAME, 'data'));
  const standby = serverAt(NAME, standbyPort, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=ugc application_name=${NAME}`,
    primary_slot_name: NAME,
    wal_retrieve_retry_interval: '100ms',
  });
  await standby.start();
  const proxy = await ChaosProxy.before(primary.url);
  const onServer = async <R extends pg.QueryResultRow>({ url }: Server, ...statements: string[]): Promise<R | undefined> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      let last: pg.QueryResult<R> | undefined;
      for (const statement of statements) last = await client.query<R>(statement);
      return last?.rows[0];
    } finally {
      await client.end();
    }
  };
  const caughtUp = (): Promise<void> =>
    until('the standby has caught up', async () => {
      const lag = `select pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) = 0 as done from pg_stat_replication`;
      return (await onServer<{ done: boolean }>(primary, lag))?.done === true;
    });
  const failOver = async (): Promise<void> => {
    await onServer(standby, 'select pg_promote()');
    proxy.leadTo(standby.url);
  };
  const synchronous = async (): Promise<void> => {
    await onServer(primary, `alter system set synchronous_standby_names = '${NAME}'`, 'select pg_reload_conf()');
    const state = `select sync_state = 'sync' as done from pg_stat_replication`;
    await until('the standby is synchronous', async () => (await onServer<{ done: boolean }>(primary, state))?.done === true);
  };
  const stop = async (): Promise<void> => {
    for (const each of [proxy, stream]) await each.close();
    // A frozen server does not end in an orderly way.
    await primary.kill();
    await standby.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { primary, standby, proxy, stream, caughtUp, synchronous, failOver, stop };
}

/** PostgreSQL's low-level backup, without the log of changes: the standby reads that from the primary. */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`select pg_create_physical_replication_slot($1, true)`, [NAME]);
  await client.query(`select pg_backup_start($1, true)`, [NAME]);
  await makeFolder(join(to, '..'));
  await copyFiles(from, to);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  for (const [name, text] of Object.entries({ backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' }))
    await writeOwned(join(to, name), (path) => writeFile(path, text));
}

const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/;

async function copyFiles(from: string, to: string): Promise<void> {
  await writeOwned(to, (path) => mkdir(path, { mode: 0o700 }));
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(from.length + 1) }));
  for (const { entry, path } of paths.filter((each) => !LEFT_OUT.test(each.path))) {
    const copy = (copied: string) => (entry.isDirectory() ? mkdir(copied, { mode: 0o700 }) : copyFile(join(from, path), copied));
    // A file may be removed meanwhile; the log of changes knows.
    await writeOwned(join(to, path), copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

async function writeOwned(path: string, write: (path: string) => Promise<unknown>): Promise<void> {
  await write(path);
  const as = serverAccount();
  if (as) await chown(path, as.uid, as.gid);
}
