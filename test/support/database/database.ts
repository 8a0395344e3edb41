import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Migrated once per run. Every test file gets a copy, which takes milliseconds. */
export const TEMPLATE_DATABASE = 'template_ugc';

/** For a database, an alias or a queue. */
export function uniqueName(): string {
  return `t${randomBytes(6).toString('hex')}`;
}

/** @returns the URL of the new database */
export async function createDatabase(name = uniqueName(), template?: string): Promise<string> {
  const server = process.env['TEST_DATABASE_URL'] ?? '';
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Makes PostgreSQL not wait for the disk. A commit that waits for a busy disk longer than the time limit of a request
 * is a 503, which no test of something else should see. Nothing is lost if a process is killed, only if the machine is.
 */
export async function writeWithoutSync(): Promise<void> {
  const client = new pg.Client(process.env['TEST_DATABASE_URL']);
  await client.connect();
  try {
    await client.query('alter system set fsync = off');
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
