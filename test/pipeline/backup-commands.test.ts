import { beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_TABLES } from '@ugc/api/commands/postgres-programs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { createDatabase } from '../support/database/database.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { openStores } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

let env: Environment;
beforeAll(async () => {
  env = await createEnvironment();
});

/** A PATH with nothing but this program, and the shell's. @param script lines of sh @param others programs that do nothing */
async function pathWith(name: string, script: string, others: string[] = []): Promise<string> {
  const folder = await dataFolder('path-');
  for (const program of [name, ...others]) {
    await writeFile(join(folder, program), `#!/bin/sh\n${program === name ? script : 'exit 0'}\n`);
    await chmod(join(folder, program), 0o755);
  }
  return `${folder}:/usr/bin:/bin`;
}

async function emptyFolder(): Promise<string> {
  const folder = join(await dataFolder('out-'), 'empty');
  await mkdir(folder);
  return folder;
}

it('a restore that overwrites removes every table that the migrations create', async () => {
  const stores = openStores(env);
  const tables = await stores.database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
  );
  await stores.close();
  expect(SERVICE_TABLES).toEqual(tables.map(({ name }) => name));
});

it('a backup says what to install when pg_dump is missing', async () => {
  const { code, stderr } = await apiCommand({ ...env, PATH: '/nowhere' }, 'backup');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('There is no pg_dump on PATH: install the client programs of'),
  });
});

it.each([
  ['pg_dump', ['backup']],
  ['pg_restore', ['restore', 'some.dump', '--as', 'copy', '--overwrite']],
])('says what to install when %s is older than the server', async (program, [name = '', ...args]) => {
  const says = `case $1 in --version) echo "${program} (PostgreSQL) 15.9 (Debian 15.9-0+deb12u1)";; *) echo refused >&2; exit 1;; esac`;
  const folder = await emptyFolder();
  const { code, stderr } = await apiCommand(
    { ...env, PATH: await pathWith(program, says) },
    name,
    ...(name === 'backup' ? [join(folder, 'ugc.dump')] : args),
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^(Checking some.dump\n)?refused\n\w+ has failed. It is that of PostgreSQL 15, and the server has version (\d+): .*apt-get install postgresql-client-\2/), // prettier-ignore
  });
});

it('a backup gives the password to pg_dump in the environment, and not in the arguments', async () => {
  const out = await emptyFolder();
  const url = new URL(env['DATABASE_URL'] ?? '');
  url.password = 'se%cret';
  const PATH = await pathWith('pg_dump', `echo "$@" > ${out}/arguments; echo "$PGPASSWORD" > ${out}/password`, ['pg_restore']);
  expect(failureOf(await apiCommand({ DATABASE_URL: url.href, PATH }, 'backup', join(out, 'ugc.dump')))).toBe('');
  expect(await readFile(join(out, 'arguments'), 'utf8')).not.toMatch(/cret/);
  expect(await readFile(join(out, 'password'), 'utf8')).toBe('se%cret\n');
});

it('a backup that fails leaves no file, and shows what pg_dump says', async () => {
  const out = await emptyFolder();
  const PATH = await pathWith(
    'pg_dump',
    'for option; do case $option in --file=*) echo begun > "${option#--file=}";; esac; done; echo "pg_dump: error: the disk is full" >&2; exit 1',
  );
  const { code, stderr } = await apiCommand({ ...env, PATH }, 'backup', join(out, 'ugc.dump'));
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'pg_dump: error: the disk is full\npg_dump has failed.\n' });
  expect(await readdir(out)).toEqual([]);
});

it('a backup that is stopped leaves no file, and ends pg_dump', async () => {
  const out = await emptyFolder();
  const PATH = await pathWith('pg_dump', 'exec sleep 600');
  const { process: command, result } = startApiCommand({ ...env, PATH }, 'backup', join(out, 'ugc.dump'));
  await until('the file is begun', async () => (await readdir(out)).length > 0);
  command.kill('SIGTERM');
  expect((await result).code).toBe(130);
  expect(await readdir(out)).toEqual([]);
});

describe('nothing is asked of PostgreSQL', () => {
  const NO_DATABASE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };

  it.each<[string, string[], string]>([
    ['no role', ['some.dump'], "required option '--as <ROLE>' not specified"],
    ['an unknown role', ['some.dump', '--as', 'twin'], '--as must be replacement or copy'],
    ['two files', ['one.dump', 'two.dump', '--as', 'copy'], 'too many arguments'],
  ])('when the arguments of restore contain %s', async (_, args, message) => {
    const { code, stderr } = await apiCommand(NO_DATABASE, 'restore', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

it('a database that something else has restored becomes a copy with an identity of its own, without a file', async () => {
  const stores = openStores(env);
  const identity = async () => (await stores.database.query<{ id: string }>('select database_id::text as id from index_control'))[0]?.id;
  const before = await identity();
  const { code, stdout } = await apiCommand(env, 'restore', '--as', 'copy');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^1\. Set CONTENT_ALIAS and QUEUE_PREFIX/) });
  expect(await identity()).not.toBe(before);
  await stores.close();
});

it('a replacement is to get again what no store knows: erasures, blocks, and what was hidden', async () => {
  const { code, json } = await apiCommand(env, 'restore', '--as', 'replacement', '--json');
  const [result] = json as [{ unscheduled: number; nextSteps: string[] }];
  expect({ code, unscheduled: result.unscheduled }).toEqual({ code: 0, unscheduled: 0 });
  expect(result.nextSteps.join('\n')).toMatch(/npx pnpm users erase ID…[^]*npx pnpm users list[^]*users block ID[^]*Hide again/);
});

it('a database without the tables of the service is neither backed up nor made a copy', async () => {
  const PATH = await pathWith('pg_dump', 'exit 0');
  const empty = { ...env, PATH, DATABASE_URL: await createDatabase() };
  const message = expect.stringContaining('does not hold the tables of this service');
  expect(await apiCommand(empty, 'backup')).toMatchObject({ code: 1, stderr: message });
  expect(await apiCommand(empty, 'restore', '--as', 'copy')).toMatchObject({ code: 1, stderr: message });
});
