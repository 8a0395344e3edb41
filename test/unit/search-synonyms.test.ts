import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiCommand } from '../support/processes/command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synonyms-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(rules: string, ...args: string[]) {
  const file = join(folder, 'synonyms.txt');
  await writeFile(file, rules);
  return apiCommand({}, 'search-synonyms', file, ...args);
}

const RULES = 'gba, game boy advance\nsofa, divan => couch, day bed\n';

it('search:synonyms shows what prompts become, without any store', async () => {
  const { code, stdout } = await check(RULES, 'Blue SOFA', 'gba', 'lamp', '"sofa"');
  expect({ code, lines: stdout.trimEnd().split('\n').slice(1) }).toEqual({
    code: 0,
    lines: [
      'Blue SOFA\t"couch" in place of "sofa"; "day bed" in place of "sofa"',
      'gba\t"game boy advance" besides "gba"',
      'lamp\tno synonym',
      '"sofa"\tno synonym',
    ],
  });
  expect((await check(RULES, '--json', 'gba')).json).toEqual([
    { rules: 2 },
    { prompt: 'gba', synonyms: [{ words: ['gba'], means: 'game boy advance', replaces: false }] },
  ]);
});

it('search:synonyms says what is wrong with each line, and exits as the API does at its start', async () => {
  const { code, stdout, stderr } = await check('gba, game boy advance\nsofa\na => b => c\n', 'gba');
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toMatch(/line 2 has one word or phrase only[^]*line 3 has more than one =>/);
  expect(await apiCommand({}, 'search-synonyms', join(folder, 'none'))).toMatchObject({ code: 78, stderr: expect.stringContaining('cannot be read') }); // prettier-ignore
});
