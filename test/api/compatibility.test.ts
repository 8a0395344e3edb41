import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectKeptEntries, freeze, KEPT_RELEASES, readKept } from '../support/compatibility/kept.ts';
import { png } from '../support/database/images.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { openStores } from '../support/processes/service.ts';

// As test/unit/compatibility.test.ts, for what only a database shows.

type Line = Record<string, unknown>;

const LINE = {
  externalId: 'mods/81',
  creator: { credential: 'https://login.example.com|81', username: 'pixel_otter' },
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper',
  version: 3,
  data: '{"width":320}',
};

/** Each kind of line, with everything that an item may have. */
const LINES: Line[] = [
  {
    ...LINE,
    tags: ['pixel art', 'wallpaper'],
    fileName: 'lighthouse.json',
    thumbnail: png().toString('base64'),
    createdAt: '2019-04-01T10:00:00Z',
    updatedAt: '2019-05-02T10:00:00+02:00',
    downloadsCount: 5_120,
    latestDownloadsCount: 12,
    ratings: { count: 12, sum: 51 },
  },
  { ...LINE, externalId: 'mods/82', tags: null, fileName: null, thumbnail: null, createdAt: '2019-04-02', updatedAt: '2019-04-02' },
  {
    ...LINE,
    externalId: 'mods/83',
    createdAt: '2019-04-03',
    updatedAt: '2019-04-03',
    hidden: { reason: 'copied', since: '2020-01-01T00:00:00Z', by: 'a person' },
  },
  { ...LINE, externalId: 'mods/84' },
  { externalId: 'mods/82', name: 'Changed', updatedAt: '2019-04-04' },
  { externalId: 'mods/84', deleted: true },
];

/** @returns the lines that an export of an empty database writes after their import */
async function importAndExport(lines: Line[]): Promise<Line[]> {
  const env = await createEnvironment();
  const folder = await mkdtemp(join(tmpdir(), 'kept-lines-'));
  const file = join(folder, 'lines.ndjson');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const imported = await apiCommand(env, 'import', file, '--no-wait', '--json');
  await rm(folder, { recursive: true });
  expect(failureOf(imported)).toBe('');
  expect(imported.json).toMatchObject([{ rejected: 0, skipped: 0 }]);
  return (await apiCommand(env, 'export')).json as Line[];
}

/** Those of items: an export also says how it begins and ends. */
const itemsIn = (lines: Line[]): Line[] => lines.filter((line) => 'externalId' in line);

/** @returns the path of each field, such as `ratings.sum` */
function fieldsOf(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, path === '' ? name : `${path}.${name}`));
}

describe(`the promises of ${KEPT_RELEASES.join(', ') || 'no release yet'}`, () => {
  let exported: Line[];
  beforeAll(async () => {
    exported = await importAndExport(LINES);
    if (process.env['FREEZE_RELEASE'] !== '1') return;
    freeze('imported-lines.json', JSON.stringify(LINES, null, 1));
    freeze('exported-lines.json', JSON.stringify(exported, null, 1));
  });

  it('an export keeps the fields of its lines', () => {
    const fields = exported.flatMap((line) => fieldsOf(line));
    expect(fields).toEqual(expect.arrayContaining(['externalId', 'thumbnail', 'ratings.sum', 'hidden.reason', 'creator.credential']));
    expectKeptEntries('fields-of-exports.json', fields);
  });

  it.each(['this version', ...KEPT_RELEASES])('lines of %s are imported, those of imports and those of exports', async (release) => {
    const kept = (file: string, now: Line[]): Line[] => JSON.parse(readKept(release, file) ?? JSON.stringify(now)) as Line[];
    const stored = itemsIn(kept('exported-lines.json', exported)).map(({ contentId: _, ...line }) => line);
    expect(stored.map(({ externalId }) => externalId)).toEqual(['mods/81', 'mods/82', 'mods/83']);
    expect(itemsIn(await importAndExport(kept('imported-lines.json', LINES)))).toMatchObject(stored);
    expect(itemsIn(await importAndExport(kept('exported-lines.json', exported)))).toMatchObject(stored);
  });

  it('the columns that change data capture reads keep their names and types', async () => {
    const env: Environment = await createEnvironment();
    const { database, close } = openStores(env);
    const columns = await database.query<{ entry: string }>(
      `select column_name || ' ' || data_type || case is_nullable when 'YES' then ' or null' else '' end as entry
      from information_schema.columns where table_name = 'content'`,
    );
    await close();
    const entries = columns.map(({ entry }) => entry);
    expect(entries).toEqual(
      expect.arrayContaining(['content_id bigint', 'revision bigint', 'deleted_at timestamp with time zone or null']),
    );
    expectKeptEntries('columns-of-content.json', entries);
  });
});
