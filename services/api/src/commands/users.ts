import { parseEnv, storeEnv } from '@ugc/shared/process/env';
import { errorMessage } from '@ugc/shared/process/error-message';
import { connectPostgres, type Database } from '@ugc/shared/stores/postgres';
import { progressBar } from '@ugc/shared/process/progress-bar';
import pg from 'pg';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { UserId } from '../auth/claims.ts';
import { renameUser } from '../users/rename-user.ts';
import { Credential, UserName } from '../users/user-fields.ts';

const USAGE = `Usage: npx pnpm users add NAME [--credential HANDLE]   adds a user and prints the id
       npx pnpm users rename ID NEW_NAME               renames a user; lists follow
       npx pnpm users list`;
const UNIQUE_VIOLATION = '23505';

// Before anything is connected: what is wrong with the arguments can be told without PostgreSQL.
const run = commandOf(process.argv.slice(2));
const database = connectPostgres({
  url: databaseUrl(),
  applicationName: 'ugc-users',
  maxConnections: 1,
  statementTimeoutMs: 10_000,
  onIdleError: () => undefined,
});
try {
  await run(database);
} catch (error) {
  fail(errorMessage(error));
} finally {
  await database.close();
}

function databaseUrl(): string {
  try {
    return parseEnv(storeEnv.pick({ DATABASE_URL: true }), process.env).DATABASE_URL;
  } catch (error) {
    fail(`${errorMessage(error)}\nIs the stack started?`);
  }
}

function commandOf(args: string[]): (database: Database) => Promise<void> {
  const { positionals, credential } = parse(args);
  const [command, ...given] = positionals;
  const [first = '', second = ''] = given;
  if (command === 'list' && given.length === 0) return list;
  if (command === 'rename' && given.length === 2) {
    const [userId, name] = [valid('ID', UserId, first), valid('NEW_NAME', UserName, second)];
    return (database) => rename(database, userId, name);
  }
  if (command !== 'add' || given.length !== 1) fail(USAGE);
  const username = valid('NAME', UserName, first);
  const handle = valid('HANDLE', Credential, credential ?? `local|${username}`);
  return (database) => add(database, username, handle);
}

function parse(args: string[]): { positionals: string[]; credential: string | undefined } {
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { credential: { type: 'string' } } });
    return { positionals, credential: values.credential };
  } catch (error) {
    fail(`${errorMessage(error)}\n${USAGE}`);
  }
}

function valid<T>(argument: string, schema: z.ZodType<T>, text: string): T {
  const { data, error } = schema.safeParse(text);
  return data ?? fail(`${argument} ${error?.issues.map(({ message }) => message).join(', ') ?? ''}.\n${USAGE}`);
}

async function add(database: Database, username: string, credential: string): Promise<void> {
  try {
    const [user] = await database.query<{ user_id: number }>(`insert into users (username, credential) values ($1, $2) returning user_id`, [
      username,
      credential,
    ]);
    console.log(user?.user_id ?? fail('the user was not stored'));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION)
      fail(`There is a user with the credential ${credential} already; --credential gives another.`);
    throw error;
  }
}

async function rename(database: Database, userId: number, name: string): Promise<void> {
  const bar = progressBar('Items');
  const renamed = await renameUser(database, userId, name, bar.update);
  bar.end();
  if (renamed === undefined) fail(`There is no user ${userId}.`);
  console.log(`User ${userId} is ${name}; ${renamed} items follow in the lists.`);
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
