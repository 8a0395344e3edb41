import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../database/database.ts';
import { apiCommand, indexCommand, type Result } from '../processes/command.ts';
import type { Environment } from '../processes/environment.ts';
import type { Service } from '../processes/service.ts';
import { shapeOf } from './shapes.ts';

const LINES = [
  {
    externalId: 'kept/1',
    name: 'An imported lighthouse',
    creator: { credential: 'issuer|imported', username: 'imported' },
    description: '',
    version: 1,
    data: '',
    createdAt: '2019-04-01',
    downloadsCount: 7,
    unknown: 1,
  },
  { externalId: 'kept/2', name: 7 },
];

type Deps = Pick<Service, 'env' | 'database' | 'indexed' | 'client'>;
type Run = (service: 'api' | 'indexer', words: string, ...args: string[]) => Promise<Result>;

/** Runs a command, with its subcommand and arguments, and records each field of its JSON and the exit code. */
function recorder(env: Environment, entries: string[]): Run {
  return async (service, words, ...args) => {
    const [name = '', ...subcommand] = words.split(' ');
    const result = await (service === 'api' ? apiCommand : indexCommand)(env, name, ...subcommand, ...args);
    if (result.code > 1) throw new Error(`${words} exits with ${result.code}: ${result.stderr}`);
    const options = args.filter((arg) => arg.startsWith('--') && arg !== '--json');
    const what = [`services/${service}/src/commands/${name}.ts`, ...subcommand, ...options].join(' ');
    entries.push(`${what}: exits with ${result.code}`, ...result.json.flatMap((line) => shapeOf(line, what)));
    return result;
  };
}

/** Runs each command of a running service with what it prints as JSON. */
export async function keptCommands({ env, database, indexed, client }: Deps): Promise<string[]> {
  const entries: string[] = [];
  const run = recorder(env, entries);
  const folder = await mkdtemp(join(tmpdir(), 'kept-commands-'));
  const userOf = ({ json }: Result): string => String((json[0] as { userId: number }).userId);
  const ids = [await client.upload({ name: 'rejected' }), await client.upload({ name: 'dropped' }), await client.upload({ name: 'kept' })];
  await indexed();
  const [rejected, dropped, kept] = ids.map(String) as [string, string, string];

  const file = join(folder, 'lines.ndjson');
  await writeFile(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await run('api', 'import', file, '--json', '--ids', join(folder, 'ids'));
  await run('api', 'import', file, '--dry-run', '--json');
  for (const [what, name] of [
    ['rejected lines', 'lines.ndjson.rejected.ndjson'],
    ['ids', 'ids'],
  ] as const)
    for (const line of (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n'))
      entries.push(...(line.startsWith('{') ? shapeOf(JSON.parse(line), what) : [`${what}: ${line.split('\t').length} columns`]));

  const dora = userOf(await run('api', 'users add', 'Dora', '--credential', 'issuer|dora', '--json'));
  const erased = userOf(await run('api', 'users add', 'Emil', '--credential', 'issuer|emil', '--json'));
  await client.upload({ name: 'of Emil', creatorId: Number(erased) }, Number(erased));
  await indexed();
  await run('api', 'users rename', dora, 'Dora D.', '--json');
  await run('api', 'users block', dora, '--reason', 'spam', '--hide', '--json');
  await run('api', 'users list', '--json');
  await run('api', 'users unblock', dora, '--show', '--json');
  await run('api', 'users link', dora, 'issuer|other', '--json');
  await run('api', 'users erase', erased, '999999', '--json');
  await run('api', 'users receipts', erased, '--json');
  await run('api', 'users export', '1');
  await run('api', 'export', '--people');
  await run('api', 'items hide', kept, '--reason', 'copied', '--json');
  await run('api', 'items show', kept, '--json');
  await run('api', 'items show', '999999', '--json');
  const token = (await run('api', 'token', '--user', '1', '--json')).json[0] as { token: string };
  entries.push(...shapeOf(JSON.parse(Buffer.from(token.token.split('.')[1] ?? '', 'base64url').toString()), 'claims of a token'));
  await run('api', 'migrate', '--json');
  const synonyms = join(folder, 'synonyms.txt');
  await writeFile(synonyms, 'gba, game boy advance\n');
  await run('api', 'search-synonyms', synonyms, 'gba', '--json');
  await database.query(
    `insert into search_insight (day, prompt_hash, users, nothing_found, corrected, last_at, prompt, correction)
     values (current_date, substring(sha256('x') for 16), 9, 3, 6, now(), 'lighthuose', 'lighthouse')`,
  );
  await run('api', 'search-insights', '--json');

  await database.query(
    `insert into index_outbox (content_id, revision, rejected_reason) select content_id, revision, 'too long' from content where content_id = any($1)`,
    [[rejected, dropped].map(Number)],
  );
  await run('indexer', 'index-rejected list', '--json');
  await run('indexer', 'index-rejected drop', dropped, '--json');
  await run('indexer', 'index-rejected retry', rejected, kept, '--json');
  await indexed();
  await run('indexer', 'index-status', '--json');
  await run('indexer', 'index-status', '--item', kept, '--json');
  await run('indexer', 'index-audit', '--json');
  await run('indexer', 'index-audit', '--repair', '--json');
  await run('indexer', 'index-pause pause', '--json');
  await run('indexer', 'index-pause resume', '--json');
  await run('indexer', 'index-rebuild', '--json');
  await run('indexer', 'index-rebuild', '--rollback', '--json');
  await run('indexer', 'index-rebuild', '--finish', '--json');
  await run('indexer', 'index-adopt', '--json');
  await run('indexer', 'embeddings status', '--json');
  await run('indexer', 'embeddings rebuild', '--json');

  const fields = join(folder, 'fields.json');
  await writeFile(fields, JSON.stringify({ licence: { type: 'keyword', required: true } }));
  await run('api', 'fields check', fields, '--json');
  await run('api', 'fields apply', fields, '--json');
  await run('api', 'fields show', '--json');

  await rm(folder, { recursive: true });
  return entries;
}

/** Backs up a database of which no process runs, and restores the file. @param env with PATH to the programs of PostgreSQL */
export async function keptBackup(env: Environment, file: string): Promise<string[]> {
  const entries: string[] = [];
  await recorder(env, entries)('api', 'backup', file, '--json');
  await recorder({ ...env, DATABASE_URL: await createDatabase() }, entries)('api', 'restore', file, '--as', 'copy', '--json');
  return entries;
}

/** Rows that are there for a moment only, such as while a user is renamed or erased. */
export async function fillTransient(database: Service['database']): Promise<void> {
  for (const statement of [
    `insert into rename_progress (user_id, after_content_id) values (1, 2)`,
    `insert into user_erasure (user_id, credential_hash) values (999998, sha256('x'))`,
    `insert into blocked_user (credential_hash, reason) values (sha256('y'), 'spam')`,
    `insert into index_lock (name, token, holder, expires_at) values ('kept', gen_random_uuid(), 'nobody', now())`,
    `insert into index_outbox (content_id, revision, due_at) select content_id, revision, 'infinity' from content order by content_id limit 1`,
    `insert into index_dropped (content_id, revision, reason) select content_id, revision, 'too long' from content order by content_id limit 1 on conflict do nothing`,
    `insert into hidden_content (content_id, creator_id, reason)
     select content_id, creator_id, 'copied' from content where name = 'kept' on conflict do nothing`,
    `update content set deleted_at = 'infinity' where name = 'kept'`,
    `insert into embedding_work (content_id, due_at) select content_id, 'infinity' from content where deleted_at is null order by content_id limit 1 on conflict do nothing`,
    `insert into backup (made_by) values ('pg_dump')`,
    `update index_ahead set items = 1, first_seen_at = now(), last_seen_at = now()`,
  ])
    await database.query(statement);
}
