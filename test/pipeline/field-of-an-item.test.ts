import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRelease, type RunningRelease } from '../support/cluster/release.ts';
import { Client } from '../support/http/client.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { commandOf, failureOf, type Result } from '../support/processes/command.ts';
import { createEnvironment, USERS, type Environment } from '../support/processes/environment.ts';
import { itemsOf } from '../support/processes/imports.ts';
import { recipe, sourceWith, type Addition } from '../support/processes/recipe.ts';
import { openStores, untilIndexed, type Stores } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

// Follows the recipe "A field of an item" of CONTRIBUTING.md in a copy of the source, with its optional text `license`.

const ADDITIONS = recipe('A field of an item');

let [source, dataDir]: string[] = [];
let [env, otherEnv]: Environment[] = [];
let stores: Stores;
let release: RunningRelease;
let client: Client;
beforeAll(async () => {
  [source, dataDir, env, otherEnv] = [
    await sourceWith(ADDITIONS),
    await dataFolder('field-'),
    await createEnvironment(),
    await createEnvironment(),
  ];
  const other = openStores(otherEnv);
  // The databases of the tests are copies of one, with its id.
  await other.database.query('update index_control set database_id = gen_random_uuid()');
  await other.close();
  for (const each of [env, otherEnv]) expect(failureOf(await run(each, 'migrate'))).toBe('');
  stores = openStores(env);
  release = await startRelease(source, dataDir, { ...env, LOG_LEVEL: 'info' }, 1);
  client = new Client(release.url);
  await until('lists return 200', async () => (await client.list()).status === 200);
});
afterAll(async () => {
  await release.stop();
  await stores.close();
});

const run = (of: Environment, name: string, ...args: string[]): Promise<Result> => commandOf(source ?? '', of, name, ...args);
const read = async (id: number) => (await client.get(`/api/content/${id}`)).body as { license?: unknown };
const edit = (id: number, license: unknown) => client.send('PATCH', `/api/content/${id}`, { license });
const listed = async (name: string) => {
  await untilIndexed(stores, env ?? {});
  return (await client.list({ prompt: `"${name}"` })).body.content;
};
const exported = async (from: Environment, ...args: string[]): Promise<Record<string, unknown>[]> => {
  const result = await (args.length > 0 ? run(from, 'users', ...args) : run(from, 'export'));
  expect(failureOf(result)).toBe('');
  return args.length > 0 ? (result.json as Record<string, unknown>[]) : itemsOf(result);
};
const imported = async (into: Environment, lines: object[]): Promise<unknown> => {
  const file = join(dataDir ?? '', 'lines.ndjson');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const result = await run(into, 'import', file, '--json', '--no-wait');
  expect(failureOf(result)).toBe('');
  return result.json[0];
};

it('a new field is stored, edited, listed, returned, checked and erased like the others', async () => {
  const id = await client.upload({ name: 'Licensed', license: 'CC0-1.0' });
  const without = await client.upload({ name: 'Unlicensed' });
  expect(await listed('Licensed')).toMatchObject([{ contentId: id, license: 'CC0-1.0' }]);
  expect([await read(id), await read(without)]).toMatchObject([{ license: 'CC0-1.0' }, { license: null }]);
  expect(await edit(id, ' ')).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/license' }] } });
  expect((await edit(id, 'MIT')).body).toMatchObject({ license: 'MIT' });
  expect(await listed('Licensed')).toMatchObject([{ contentId: id, license: 'MIT' }]);
  expect((await edit(id, null)).body).toMatchObject({ license: null });
  await edit(id, 'MIT');
  expect((await client.send('DELETE', `/api/content/${id}`)).status).toBe(204);
  expect(await stores.database.query('select license from content where content_id = $1', [id])).toEqual([{ license: null }]);
});

it('an export has a new field, also that of one user; an import stores, changes and removes it', async () => {
  const names = ['exported', 'changed', 'removed', 'none'];
  for (const name of names) await client.upload({ name, ...(name !== 'none' && { license: 'CC0-1.0' }) }, USERS.boris);
  const lines = (await exported(env ?? {})).filter(({ name }) => names.includes(String(name)));
  expect(lines.map(({ license }) => license)).toEqual(['CC0-1.0', 'CC0-1.0', 'CC0-1.0', null]);
  const [, ...ofUser] = await exported(env ?? {}, 'export', String(USERS.boris));
  expect(ofUser).toEqual(lines);

  expect(await imported(otherEnv ?? {}, lines)).toMatchObject({ created: 4 });
  const [, changed, removed] = lines;
  const next = [
    { externalId: changed?.['externalId'], license: 'MIT' },
    { externalId: removed?.['externalId'], license: null },
  ];
  expect(await imported(otherEnv ?? {}, next)).toMatchObject({ changed: 2 });
  expect((await exported(otherEnv ?? {})).map(({ license }) => license)).toEqual(['CC0-1.0', 'MIT', null, null]);
});

long.it('the type checker accepts what the recipe makes, and names each file in which the field is forgotten', async () => {
  expect(await typeErrors(ADDITIONS)).toEqual([]);
  const onlyInContract = ADDITIONS.filter(({ file }) => file === 'packages/shared/src/contracts/content.ts');
  expect(await typeErrors(onlyInContract)).toEqual([
    'packages/items/src/fields/upload-schema.ts',
    'packages/items/src/files/import-line.ts',
    'packages/shared/src/indices/write-probe.ts',
    'test/support/indices/indexed-content.ts',
  ]);
});

const COMPILER = join(CHECKOUT, 'node_modules/typescript/bin/tsc');

/** @returns the files in which the type checker finds errors */
async function typeErrors(additions: Addition[]): Promise<string[]> {
  const folder = await sourceWith(additions);
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, [COMPILER, '--noEmit'], { cwd: folder, maxBuffer: Infinity }, (_, stdout) => resolve(stdout));
  const files = [...(await promise).matchAll(/^([\w./-]+)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
  return [...new Set(files)].toSorted();
}
