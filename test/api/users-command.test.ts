import { beforeAll, describe, expect, it } from '@jest/globals';
import { failureOf, apiCommand, indexCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';

let env: Environment;
beforeAll(async () => {
  env = await createEnvironment();
});

const NO_DATABASE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

describe('npx pnpm users', () => {
  it('adds, lists and renames a user', async () => {
    const name = '😀'.repeat(200);
    const added = await apiCommand(env, 'users', 'add', name, '--credential', 'x'.repeat(400));
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    const id = added.stdout.trim();
    expect((await apiCommand(env, 'users', 'list')).stdout).toContain(`${id}\t${name}\t`);
    expect(failureOf(await apiCommand(env, 'users', 'rename', id, 'Dora'))).toBe('');
    expect((await apiCommand(env, 'users', 'list')).stdout).toContain(`${id}\tDora\t`);
    expect((await apiCommand(env, 'users', 'list', '--json')).json).toContainEqual({
      userId: Number(id),
      name: 'Dora',
      credential: 'x'.repeat(400),
    });
  });

  it.each<[string, string[], string]>([
    ['an empty name', ['add', ''], 'NAME must have at least 1 character'],
    ['a blank name', ['add', ' \u3000'], 'NAME must not be blank'],
    ['a name of 201 characters', ['add', 'x'.repeat(201)], 'NAME must have at most 200 characters, but has 201'],
    ['an empty credential', ['add', 'Dora', '--credential', ''], 'HANDLE must have at least 1 character'],
    [
      'a credential of 401 characters',
      ['add', 'Dora', '--credential', 'x'.repeat(401)],
      'HANDLE must have at most 400 characters, but has 401',
    ],
    ['an empty new name', ['rename', '1', ''], 'NEW_NAME must have at least 1 character'],
    ['a new name of 201 characters', ['rename', '1', 'x'.repeat(201)], 'NEW_NAME must have at most 200 characters, but has 201'],
    ['a hexadecimal id', ['rename', '0x1', 'Dora'], 'ID must be a positive integer'],
    ['an unknown option', ['add', 'Dora', '--admin'], "unknown option '--admin'"],
    ['an unknown subcommand', ['remove', '1'], "unknown command 'remove'"],
  ])('exits with code 2 before it connects to PostgreSQL when the arguments contain %s', async (_, args, message) => {
    const { code, stderr } = await apiCommand(NO_DATABASE, 'users', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Run "npx pnpm users --help" for usage.');
  });
});

it.each([
  ['a user id that is not decimal', ['--user', '0x1'], '--user must be'],
  ['no user id', [], "required option '--user <ID>'"],
  ['an infinite lifetime', ['--user', '1', '--hours', 'Infinity'], '--hours must be'],
])('npx pnpm run token exits with code 2 when the arguments contain %s', async (_, args, message) => {
  const { code, stdout, stderr } = await apiCommand(env, 'token', ...args);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

it.each([
  ['api', 'users', []],
  ['api', 'users', ['rename']],
  ['api', 'token', []],
  ['api', 'migrate', []],
  ['api', 'welcome', []],
  ['api', 'search-insights', []],
  ['indexer', 'index-status', []],
  ['indexer', 'index-audit', []],
  ['indexer', 'index-rebuild', []],
  ['indexer', 'index-rejected', ['retry']],
  ['indexer', 'index-pause', ['pause']],
])('the %s command %s %j --help prints usage, exit codes and an example without a configuration', async (service, name, args) => {
  const run = service === 'api' ? apiCommand : indexCommand;
  const { code, stdout, stderr } = await run({}, name, ...args, '--help');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const part of ['Usage: ', 'Options:', 'Exit codes:', 'Example:']) expect(stdout).toContain(part);
});
