import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rows } from '../support/jest/long.ts';
import { failureOf, startApiCommand, startIndexCommand } from '../support/processes/command.ts';
import { createEnvironment, USERS, type Environment } from '../support/processes/environment.ts';
import { openStores, type Stores } from '../support/processes/service.ts';

// Elsewhere, commands run in the process of the tests.
const apiCommand = (...command: Parameters<typeof startApiCommand>) => startApiCommand(...command).result;
const indexCommand = (...command: Parameters<typeof startIndexCommand>) => startIndexCommand(...command).result;

const NO_DATABASE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

describe('npx pnpm users', () => {
  let env: Environment;
  beforeAll(async () => {
    env = await createEnvironment();
  });

  it('adds, lists and renames a user', async () => {
    const name = '😀'.repeat(200);
    const added = await apiCommand(env, 'users', 'add', name, '--credential', 'x'.repeat(400));
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    const id = added.stdout.trim();
    expect((await apiCommand(env, 'users', 'list')).stdout).toContain(`${id}\t${name}\t`);
    expect(failureOf(await apiCommand(env, 'users', 'rename', id, 'Dora'))).toBe('');
    const listed = { userId: Number(id), name: 'Dora', credential: 'x'.repeat(400) };
    expect((await apiCommand(env, 'users', 'list', '--json')).json).toContainEqual(listed);
  });

  const WRONG: [string, string[], string][] = [
    ['a name of 201 characters', ['add', 'x'.repeat(201)], 'NAME must have at most 200 characters, but has 201'],
    ['an unknown option', ['add', 'Dora', '--admin'], "unknown option '--admin'"],
    ['a blank name', ['add', ' \u3000'], 'NAME must not be blank'],
    ['an empty credential', ['add', 'Dora', '--credential', ''], 'HANDLE must have at least 1 character'],
    ['a credential of 401 characters', ['add', 'Dora', '--credential', 'x'.repeat(401)], 'HANDLE must have at most 400 characters'],
    ['a new name of 201 characters', ['rename', '1', 'x'.repeat(201)], 'NEW_NAME must have at most 200 characters, but has 201'],
    ['a hexadecimal id', ['rename', '0x1', 'Dora'], 'ID must be a positive integer'],
    ['an unknown subcommand', ['remove', '1'], "unknown command 'remove'"],
  ];

  it.each(rows(2, WRONG))('exits with code 2 before it connects to PostgreSQL when the arguments contain %s', async (_, args, message) => {
    const { code, stderr } = await apiCommand(NO_DATABASE, 'users', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Run "npx pnpm users --help" for usage.');
  });

  it('exits with code 1 if there is no such user', async () => {
    const { code, stderr } = await apiCommand(env, 'users', 'rename', '999999', 'Dora');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no user 999999.\n' });
  });
});

/** What moves the cursor, ends a line or overrides a direction. The other names are those of the test users. */
const FORGED = 'x\x1b[2K\r\n999\tForged\x9b1A\u202egnorw\u2028\u2066';
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

describe('what a stranger has written', () => {
  let env: Environment;
  let stores: Stores;
  beforeAll(async () => {
    env = await createEnvironment();
    stores = openStores(env);
    const { database } = stores;
    await database.query(`insert into users (username, credential) values ($1, $1)`, [FORGED]);
    await database.query(
      `insert into blocked_user (credential_hash, user_id, reason) select sha256(convert_to(credential, 'UTF8')), user_id, $1 from users where username = $1`,
      [FORGED],
    );
    await database.query(
      `with item as (insert into content (creator_id, name, description, data, version) select user_id, $1, $1, $1, 1 from users where username = $1 returning content_id)
       insert into index_outbox (content_id, revision, rejected_reason) select content_id, 1, $1 from item`,
      [FORGED],
    );
    await database.query(
      `insert into search_insight (day, prompt_hash, users, nothing_found, corrected, last_at, prompt, correction)
       values (current_date, substring(sha256('x') for 16), 9, 0, 9, now(), $1, $1)`,
      [FORGED],
    );
  });
  afterAll(() => stores.close());

  it.each<[command: string, lines: number, 'api' | 'indexer', string[]]>([
    ['users list', Object.keys(USERS).length + 1, 'api', ['users', 'list']],
    ['users block', 1, 'api', ['users', 'block', '1', '--reason', FORGED]],
    ['users link', 1, 'api', ['users', 'link', '1', `${FORGED}|1`]],
    ['search:insights', 2, 'api', ['search-insights']],
    ['index:rejected list', 2, 'indexer', ['index-rejected', 'list']],
    ['index:status --item', 3, 'indexer', ['index-status', '--item', '1']],
    ['export', 3, 'api', ['export']],
  ])('forges no line in the output of %s', async (_, lines, service, [name = '', ...args]) => {
    const run = service === 'api' ? apiCommand : indexCommand;
    const { stdout, stderr } = await run(env, name, ...args);
    expect(`${stdout}${stderr}`).not.toMatch(HARMFUL);
    expect(stdout.trimEnd().split('\n')).toHaveLength(lines);
    for (const line of stdout.split('\n')) expect(line).not.toMatch(/^999/);
  });

  it('forges no line in an error, of a store or of a command', async () => {
    const { stderr } = await apiCommand(env, 'users', 'add', 'Dora', '--credential', FORGED);
    expect(stderr).toMatch(/^A user with the credential .* exists already; .*\n$/);
    expect(stderr).not.toMatch(HARMFUL);
    const database = `postgres://u@127.0.0.1:1/x%1b%5b2K%0a999`;
    expect((await apiCommand({ DATABASE_URL: database }, 'users', 'list')).stderr).not.toMatch(HARMFUL);
  });

  it('has the same value in JSON', async () => {
    const { stdout, json } = await apiCommand(env, 'users', 'list', '--json');
    expect(stdout).not.toMatch(HARMFUL);
    expect(json).toContainEqual(expect.objectContaining({ name: FORGED, credential: FORGED }));
    expect((await indexCommand(env, 'index-rejected', 'list', '--json')).json).toEqual([expect.objectContaining({ reason: FORGED })]);
  });

  it('becomes blanks in the name of a user that is added or renamed', async () => {
    const blanks = FORGED.replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, ' ');
    const { stdout } = await apiCommand(env, 'users', 'add', FORGED, '--credential', 'added');
    await apiCommand(env, 'users', 'rename', '1', FORGED);
    const names = await stores.database.query(`select username from users where user_id in (1, $1)`, [Number(stdout)]);
    expect(names).toEqual([{ username: blanks }, { username: blanks }]);
  });
});

it.each(rows(2, [['users', 'list'], ['token', '--user', '1'], ['welcome']]))(
  'npx pnpm %s exits with code 78 when the configuration is wrong',
  async (name, ...args) => {
    const { code, stderr } = await apiCommand({ DATABASE_URL: 'x' }, name, ...args);
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining('The configuration is not valid:') });
  },
);

const TOKENS: [string, string[], string][] = [
  ['a user id that is not decimal', ['--user', '0x1'], '--user must be'],
  ['no user id', [], "required option '--user <ID>'"],
  ['an infinite lifetime', ['--user', '1', '--hours', 'Infinity'], '--hours must be'],
];

it.each(rows(1, TOKENS))('npx pnpm run token exits with code 2 when the arguments contain %s', async (_, args, message) => {
  const { code, stdout, stderr } = await apiCommand({}, 'token', ...args);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

it.each<Record<string, string>>([{ USERS_FROM_TOKENS: 'true' }, { JWT_SUBJECTS_ARE_USER_IDS: 'false' }])(
  'npx pnpm run token says whose token it is, and what to set, where it is not that of the user: %j',
  async (rules) => {
    const settings = { JWT_SECRET: 'x'.repeat(32), JWT_ISSUER: 'https://issuer.test/', ...rules };
    const printed = await apiCommand(settings, 'token', '--user', '1');
    const whose = /not that of user 1, but of the account 1 of the issuer https:\/\/issuer.test\/.* set JWT_SUBJECTS_ARE_USER_IDS=true/;
    expect(printed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ey/), stderr: expect.stringMatching(whose) });
    const set = await apiCommand({ ...settings, JWT_SUBJECTS_ARE_USER_IDS: 'true' }, 'token', '--user', '1');
    expect(set).toMatchObject({ code: 0, stderr: '' });
  },
);

const HELP: ['api' | 'indexer', string, string[]][] = [
  ['api', 'users', ['rename']],
  ['indexer', 'index-status', []],
  ['api', 'items', ['hide']],
  ['api', 'fields', ['apply']],
  ['api', 'users', []],
  ['api', 'token', []],
  ['api', 'migrate', []],
  ['api', 'welcome', []],
  ['api', 'search-insights', []],
  ['indexer', 'index-audit', []],
  ['indexer', 'index-rebuild', []],
  ['indexer', 'index-rejected', ['retry']],
  ['indexer', 'index-pause', ['pause']],
];

it.each(rows(2, HELP))(
  'the %s command %s %j --help prints usage, exit codes and an example without a configuration',
  async (service, name, args) => {
    const run = service === 'api' ? apiCommand : indexCommand;
    const { code, stdout, stderr } = await run({}, name, ...args, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const part of ['Usage: ', 'Options:', 'Exit codes:', 'Example:']) expect(stdout).toContain(part);
  },
);
