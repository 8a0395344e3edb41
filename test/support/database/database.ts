import pg from 'pg';

/** Migrated once per run. Every test file gets a copy, which takes milliseconds. */
export const TEMPLATE_DATABASE = 'template_ugc';

/** @returns the URL of the new database */
export async function createDatabase(name: string, template?: string): Promise<string> {
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
