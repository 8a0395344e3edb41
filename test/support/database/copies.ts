import pg from 'pg';
import { createDatabase, uniqueName } from './database.ts';
import type { Environment } from '../processes/environment.ts';

/** Keeps a copy of a database, like a backup, while others are connected to it. @returns the name of the copy */
export async function backUpDatabase(url: string): Promise<string> {
  const copy = `${nameOf(url)}_backup`;
  await replace(url, { from: nameOf(url), to: copy, drop: copy });
  return copy;
}

/** Replaces the database by the copy, while API and indexer may be running. */
export async function restoreDatabase(url: string): Promise<void> {
  const name = nameOf(url);
  await replace(url, { from: `${name}_backup`, to: name, drop: name });
}

type Replacement = { from: string; to: string; drop: string };

/** A database can only be copied or dropped while nobody is connected to it. */
async function replace(url: string, { from, to, drop }: Replacement): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl(url) });
  await admin.connect();
  try {
    await admin.query(`alter database ${nameOf(url)} with allow_connections false`);
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`, [
      nameOf(url),
    ]);
    await admin.query(`drop database if exists ${drop} with (force)`);
    await admin.query(`create database ${to} template ${from}`);
    await admin.query(`alter database ${nameOf(url)} with allow_connections true`);
  } finally {
    await admin.end();
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function serverUrl(url: string): string {
  const server = new URL(url);
  server.pathname = '/postgres';
  return server.href;
}

/**
 * Copies the database of a service that is stopped, as a restored dump: with the same contents and another identity.
 * @returns the environment of a service on the copy
 */
export async function copyDatabase(env: Environment, overrides: Environment = {}): Promise<Environment> {
  const source = new URL(env['DATABASE_URL'] ?? '').pathname.slice(1);
  return { ...env, DATABASE_URL: await createDatabase(uniqueName(), source), ...overrides };
}
