import { beforeAll, describe, expect, it } from '@jest/globals';
import { apiCommand } from '../support/command.ts';
import { createEnvironment, type Environment } from '../support/environment.ts';

let env: Environment;
beforeAll(async () => {
  env = await createEnvironment();
});

const NO_DATABASE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

describe('a user', () => {
  it('is added, listed and renamed', async () => {
    const name = '😀'.repeat(200);
    const added = await apiCommand(env, 'users', 'add', name, '--credential', 'x'.repeat(400));
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    const id = added.stdout.trim();
    expect((await apiCommand(env, 'users', 'list')).stdout).toContain(`${id}\t${name}\t`);
    expect(await apiCommand(env, 'users', 'rename', id, 'Dora')).toMatchObject({ code: 0 });
    expect((await apiCommand(env, 'users', 'list')).stdout).toContain(`${id}\tDora\t`);
  });

  it.each<[string, string[], string]>([
    ['without a name', ['add', ''], 'NAME must have at least 1 character'],
    ['with a blank name', ['add', ' \u3000'], 'NAME must not be blank'],
    ['with a name of 201 characters', ['add', 'x'.repeat(201)], 'NAME must have at most 200 characters, but has 201'],
    ['with an empty credential', ['add', 'Dora', '--credential', ''], 'HANDLE must have at least 1 character'],
    [
      'with a credential of 401 characters',
      ['add', 'Dora', '--credential', 'x'.repeat(401)],
      'HANDLE must have at most 400 characters, but has 401',
    ],
    ['renamed to nothing', ['rename', '1', ''], 'NEW_NAME must have at least 1 character'],
    ['renamed to 201 characters', ['rename', '1', 'x'.repeat(201)], 'NEW_NAME must have at most 200 characters, but has 201'],
    ['whose id is not decimal', ['rename', '0x1', 'Dora'], 'ID must be a positive integer'],
    ['and an option that does not exist', ['add', 'Dora', '--admin'], "Unknown option '--admin'"],
    ['and a command that does not exist', ['remove', '1'], 'Usage:'],
  ])('%s is refused with exit code 2, without asking PostgreSQL', async (_, args, message) => {
    const { code, stderr } = await apiCommand(NO_DATABASE, 'users', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('Usage: npx pnpm users');
  });
});

it.each([
  ['a user that is not decimal', ['--user', '0x1']],
  ['no user', []],
  ['hours without end', ['--user', '1', '--hours', 'Infinity']],
])('a token for %s is refused with exit code 2', async (_, args) => {
  const { code, stdout, stderr } = await apiCommand(env, 'token', ...args);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('must be') });
});
