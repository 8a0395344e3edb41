import { MIGRATIONS } from '@ugc/shared/postgres/schema';
import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { dataFolder } from '../servers/data-folder.ts';

/** @returns a folder with the migrations of this release and another one */
export async function migrationsWith(name: string, text: string): Promise<string> {
  const dir = await dataFolder('migrations-');
  await cp(MIGRATIONS, dir, { recursive: true });
  await writeFile(join(dir, name), text);
  return dir;
}

/** @returns a folder with the first migration only, as before an upgrade */
export async function firstMigration(): Promise<string> {
  const dir = await dataFolder('migrations-');
  const [first = ''] = (await readdir(MIGRATIONS)).toSorted();
  await cp(join(MIGRATIONS, first), join(dir, first));
  return dir;
}

/** Begins a transaction that reads the tables of the service, as a backup does, and stays open until `commit`. */
export async function beginBackup(databaseUrl: string): Promise<pg.Client & { processID?: number }> {
  const backup = new pg.Client({ connectionString: databaseUrl, application_name: 'nightly backup' });
  await backup.connect();
  await backup.query('begin isolation level repeatable read');
  await backup.query('lock table content, index_outbox, users in access share mode');
  await backup.query('select from content');
  return backup;
}
