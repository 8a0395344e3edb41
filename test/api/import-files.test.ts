import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { storeContent } from '../support/database/stored-content.ts';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { createImports, lineWith, NONE } from '../support/processes/imports.ts';
import { openStores, type Stores } from '../support/processes/service.ts';

// The files of imports and exports: their first and last lines, other forms than lines of JSON, and disks that are full.

let env: Environment;
let stores: Stores;
let [folder, importOf]: [string, Awaited<ReturnType<typeof createImports>>['importOf']] = ['', () => Promise.reject(new Error())];
beforeAll(async () => {
  env = await createEnvironment();
  stores = openStores(env);
  ({ folder, importOf } = await createImports());
});
afterAll(() => stores.close());

const linesFor = (name: string, count = 2) => Array.from({ length: count }, (_, n) => lineWith({ externalId: `${name}/${n}`, name }));
const FIRST = { export: {} };
const end = (lines: number) => ({ end: { lines } });
const CUT = 'is cut: its first line announces a last one, which is not there';

describe('the first and the last line of an export', () => {
  it('announce the end and have the number of the lines between them', async () => {
    await storeContent(stores.database, [{}, {}, {}]);
    const { json } = await apiCommand(env, 'export');
    const [first, ...rest] = json as object[];
    expect(first).toEqual({ export: { from: expect.stringMatching(/^ugc:[\da-f-]{36}\/$/), at: expect.stringMatching(/\+00:00$/) } });
    expect(rest.at(-1)).toEqual(end(rest.length - 1));
    expect(rest.length).toBeGreaterThan(3);
    expect(await importOf(env, json as object[])).toMatchObject({ code: 0, json: [{ ...NONE, unchanged: rest.length - 1 }] });
  });

  it.each<[string, object[], number]>([
    ['the last line is not there', [FIRST, ...linesFor('cut')], 2],
    ['a line is cut', [FIRST, ...linesFor('cut in a line'), { cut: true }], 2],
    ['nothing but the first line is there', [FIRST], 0],
    ['another export follows that does not continue it', [FIRST, ...linesFor('two'), FIRST, ...linesFor('other'), end(2)], 4],
    ['the one that follows is not the continuation after its last item', [FIRST, lineWith({ externalId: 'after', contentId: 7 }), { export: { after: 8 } }, end(0)], 1], // prettier-ignore
  ])('tell that a file is cut where %s, which fails also without storing', async (_, lines, stored) => {
    for (const args of [['--dry-run'], []]) {
      const { code, json, stderr } = await importOf(env, lines, ...args);
      expect({ code, json, stderr }).toEqual({ code: 1, json: [expect.objectContaining({ created: stored, isCut: true })], stderr: expect.stringContaining(CUT) }); // prettier-ignore
      expect(stderr.includes('What it has is stored')).toBe(args.length === 0);
    }
  });

  it.each<[string, (object | string)[]]>([
    ['a file without them, as earlier exports and other programs write', linesFor('earlier')],
    ['a file that has both', [FIRST, ...linesFor('both'), end(2)]],
    ['a file with a last line only', [...linesFor('last only'), end(2)]],
    ['exports after each other', [FIRST, ...linesFor('one'), end(2), '', FIRST, ...linesFor('next'), end(2)]],
    [
      'an export that was stopped, and its continuation after its last item',
      [FIRST, lineWith({ externalId: 'stopped', contentId: 7 }), { export: { after: 7 } }, ...linesFor('continued'), end(2)],
    ],
  ])('accept %s', async (_, lines) => {
    const { code, stderr } = await importOf(env, lines);
    expect({ code, isCut: stderr.includes('cut'), isCounted: stderr.includes('counts') }).toEqual({ code: 0, isCut: false, isCounted: false }); // prettier-ignore
  });

  it('tell that lines were removed or added since, which is no error', async () => {
    const { code, stderr } = await importOf(env, [FIRST, ...linesFor('counted'), end(3)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('The last line of an export counts 3 lines, and there are 2') }); // prettier-ignore
  });

  it('are not taken for an item with a field of that name', async () => {
    const { json } = await importOf(env, [lineWith({ externalId: 'own fields', export: {}, end: { lines: 1 } })]);
    expect(json).toEqual([{ ...NONE, created: 1 }]);
  });

  it('tell it of standard input, too', async () => {
    const { process: child, result } = startApiCommand(env, 'import', '-', '--json');
    child.stdin?.end(`${JSON.stringify(FIRST)}\n`);
    expect(await result).toMatchObject({ code: 1, stderr: expect.stringContaining(`Standard input ${CUT}`) });
  });
});

describe('a disk that gets full', () => {
  /** Runs a command of the API that may write files of a few blocks only: as much of a write as fits is written. */
  async function withinBlocks(blocks: number, output: string, name: string, ...args: string[]) {
    const command = `ulimit -f ${blocks}; exec "$0" "$@" > ${output}`;
    const words = ['-c', command, process.execPath, join(CHECKOUT, `services/api/src/commands/${name}.ts`), ...args];
    return promisify(execFile)('sh', words, { env: { PATH: process.env['PATH'], ...env } }).then(
      () => ({ code: 0, stderr: '' }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    );
  }

  it('is an error of an export, which names the file and says what to do', async () => {
    const output = join(folder, 'full.ndjson');
    const { code, stderr } = await withinBlocks(1, output, 'export');
    const message = new RegExp(`The result could not be written to standard output: EFBIG.*'${output}': make room there, or redirect`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(await importOf(env, (await readFile(output, 'utf8')).split('\n'))).toMatchObject({ code: 1, stderr: expect.stringContaining(CUT) }); // prettier-ignore
  });

  it('is an error of a result that is written at once, of which a part is written', async () => {
    expect(await withinBlocks(1, join(folder, 'help.txt'), 'import', '--help')).toMatchObject({ code: 1 });
  });

  it.each([
    ['--ids', linesFor('ids', 100)],
    ['--rejected', Array.from({ length: 100 }, () => ({}))],
  ])('is an error of the file of %s, which is named; the same command continues', async (option, lines) => {
    const file = join(folder, `full ${option}.ndjson`);
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const report = join(folder, `report ${option}`);
    const { code, stderr } = await withinBlocks(1, '/dev/null', 'import', file, option, report);
    const message = `'${report}': make room there, or name another file with ${option}. The same command then continues.`;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
    const again = await apiCommand(env, 'import', file, '--ids', join(folder, `ids ${option}`), '--json');
    expect(option === '--ids' ? failureOf(again) : again.json).toEqual(option === '--ids' ? '' : [{ ...NONE, rejected: 100 }]);
  });
});
