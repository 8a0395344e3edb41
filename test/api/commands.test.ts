import { beforeAll, describe, expect, it } from '@jest/globals';
import { rows } from '../support/jest/long.ts';
import { apiCommand, failureOf, indexCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';

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

const HELP: ['api' | 'indexer', string, string[]][] = [
  ['api', 'users', ['rename']],
  ['indexer', 'index-status', []],
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
