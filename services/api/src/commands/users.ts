import { parseEnv, storeEnv } from '@ugc/shared/env';
import { connectPostgres, type Database } from '@ugc/shared/postgres';
import pg from 'pg';
import { parseArgs } from 'node:util';

const USAGE = `Usage: npx pnpm users add NAME [--credential HANDLE]   adds a user and prints the id
       npx pnpm users list`;
const UNIQUE_VIOLATION = '23505';

const database = connectPostgres({
  url: databaseUrl(),
  applicationName: 'ugc-users',
  maxConnections: 1,
  statementTimeoutMs: 10_000,
  onIdleError: () => undefined,
});
try {
  await run(database, process.argv.slice(2));
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
} finally {
  await database.close();
}

function databaseUrl(): string {
  try {
    return parseEnv(storeEnv.pick({ DATABASE_URL: true }), process.env).DATABASE_URL;
  } catch (error) {
    fail(`${error instanceof Error ? error.message : String(error)}\nIs the stack started?`);
  }
}

async function run(database: Database, args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { credential: { type: 'string' } } });
  const [command, name] = positionals;
  if (command === 'list' && positionals.length === 1) return list(database);
  if (command !== 'add' || name === undefined || positionals.length !== 2) fail(USAGE);
  console.log(await add(database, name, values.credential ?? `local|${name}`));
}

async function add(database: Database, username: string, credential: string): Promise<number> {
  try {
    const [user] = await database.query<{ user_id: number }>(`insert into users (username, credential) values ($1, $2) returning user_id`, [
      username,
      credential,
    ]);
    return user?.user_id ?? fail('the user was not stored');
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION)
      fail(`There is a user with the credential ${credential} already; --credential gives another.`);
    throw error;
  }
}

async function list(database: Database): Promise<void> {
  const users = await database.query<{ user_id: number; username: string; credential: string }>(
    `select user_id, username, credential from users order by user_id`,
  );
  for (const { user_id: id, username, credential } of users) console.log([id, username, credential].join('\t'));
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
