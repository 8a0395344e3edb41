import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import type { Database } from '@ugc/shared/postgres/postgres';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandEntries } from '../support/compatibility/commands.ts';
import { expectKeptEntries, freeze, keptPath, KEPT_RELEASES, readKept } from '../support/compatibility/kept.ts';
import { fillTransient, keptBackup, keptCommands } from '../support/compatibility/kept-commands.ts';
import { keptRequests, OF_THE_MOMENT, ORIGIN } from '../support/compatibility/kept-requests.ts';
import { shapeOf } from '../support/compatibility/shapes.ts';
import { createDatabase } from '../support/database/database.ts';
import { png } from '../support/database/images.ts';
import { postgresToolsPath } from '../support/database/postgres-tools.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, failureOf } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { startSemanticService, type SemanticService } from '../support/processes/semantic-service.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { openStores, startService } from '../support/processes/service.ts';

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
    // Capture reads no former values without it.
    const [key] = await database.query<{ columns: string; identity: string }>(
      `select pg_get_indexdef(indexrelid) as columns, relreplident as identity from pg_class c join pg_index i on i.indrelid = c.oid
       where relname = 'content' and indisprimary`,
    );
    await close();
    expectKeptEntries('key-of-content.json', [`${key?.columns}`, `replica identity ${key?.identity}`]);
    const entries = columns.map(({ entry }) => entry);
    expect(entries).toEqual(
      expect.arrayContaining(['content_id bigint', 'revision bigint', 'deleted_at timestamp with time zone or null']),
    );
    expectKeptEntries('columns-of-content.json', entries);
  });
});

const PATH = await postgresToolsPath();
const skipped = PATH ? '' : ' (skipped: no pg_dump 18 on PATH, and none could be downloaded with pip)';

/** Its rows are removed from every backup. */
const NOT_IN_BACKUPS = ['search_insight_user'];

type Rows = Record<string, Record<string, unknown>[]>;

/** The rows of all tables, as JSON. */
async function rowsOf(database: Database): Promise<Rows> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const rows: Rows = {};
  for (const { name } of tables)
    rows[name] = (await database.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${name}" t`)).map(
      ({ row }) => row,
    );
  return rows;
}

/** Scraped series of some states of a start are there by chance. */
const IS_BY_CHANCE = /_bucket\{|^ugc_build_info|status="500"/;

/** What the operations port of a process answers. */
async function portEntries(process: string, url: string, paths: string[]): Promise<string[]> {
  const answers = paths.map(async (path) => {
    const response = await fetch(`${url}${path}`);
    const what = `${process} ${path}: ${response.status}`;
    const type = response.headers.get('content-type') ?? '';
    const body = await response.text();
    const headers = [...response.headers.keys()].filter((name) => !OF_THE_MOMENT.has(name));
    const known = type === 'application/json' && path !== '/item?id=1' ? shapeOf(JSON.parse(body), what) : [];
    const state = path === '/health/live' ? [`${what}, ${body}`] : [];
    return [`${what}, ${type}`, ...headers.map((name) => `${what}, header ${name}`), ...known, ...state];
  });
  return (await Promise.all(answers)).flat();
}

async function recordAll(service: SemanticService): Promise<Record<'responses' | 'status' | 'metrics' | 'commands', string[]>> {
  const responses = await keptRequests(service);
  await service.embedded();
  const status = [
    ...(await portEntries('API', service.operationsUrl, ['/', '/status', '/item?id=1', '/metrics', '/health/live', '/unknown'])),
    ...(await portEntries('indexer', service.indexerUrl, ['/metrics', '/health/live', '/unknown'])),
  ];
  const series = [...(await scrape(service.operationsUrl)).keys(), ...(await scrape(service.indexerUrl)).keys()];
  const metrics = series.filter((name) => name.startsWith('ugc_') && !IS_BY_CHANCE.test(name));
  return { responses, status, metrics, commands: await keptCommands(service) };
}

(PATH ? describe : describe.skip)(`a running service${skipped}`, () => {
  let folder: string;
  let entries: Awaited<ReturnType<typeof recordAll>>;
  let rows: Rows;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kept-service-'));
    const service = await startSemanticService({
      SEARCH_INSIGHTS: 'true',
      CORS_ORIGINS: ORIGIN,
      ...Object.fromEntries(['WRITES', 'LISTS', 'READS', 'FAILED_TOKENS'].map((kind) => [`RATE_LIMIT_${kind}_PER_MINUTE`, '1000000'])),
    });
    const recorded = await recordAll(service).finally(() => service.stop());
    const { database, close } = openStores(service.env);
    await fillTransient(database);
    rows = await rowsOf(database);
    await close();
    const backup = join(folder, 'backup.dump');
    recorded.commands.push(...(await keptBackup({ ...service.env, PATH: PATH ?? '' }, backup)));
    entries = recorded;
    if (process.env['FREEZE_RELEASE'] !== '1') return;
    freeze('backup.dump', await readFile(backup));
    freeze('rows-of-backup.json', `${JSON.stringify(rows, null, 1)}\n`);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('keeps statuses, headers and fields of its responses, and of its errors the kinds, for each operation', () => {
    const { paths } = openApiDocument(defaultEnv());
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods))
        expect(
          entries.responses.some((entry) => new RegExp(`^${method} [^?,]*`, 'i').exec(entry)?.[0] === `${method.toUpperCase()} ${path}`),
        ).toBe(true);
    expect(entries.responses).toContain('GET /api/content/{id}, 404, type /docs#item-unknown');
    expectKeptEntries('responses.json', entries.responses);
  });

  it('keeps the fields that its commands print with --json, and that exports and receipts have, for each command', () => {
    const withJson = commandEntries().flatMap((entry) => /^(.*): option --json$/.exec(entry)?.[1] ?? []);
    expect(withJson.length).toBeGreaterThan(25);
    for (const command of withJson) expect(entries.commands.filter((entry) => entry.startsWith(command)).length).toBeGreaterThan(1);
    expect(entries.commands).toContain('services/api/src/commands/users.ts erase.removed.items: number');
    expectKeptEntries('json-of-commands.json', entries.commands);
  });

  it('keeps the series of its metrics, with the values of their labels', () => {
    expect(entries.metrics).toContain('ugc_http_request_duration_seconds_count{method="GET",route="/api/content/:id",status="200"}');
    expectKeptEntries('series.json', entries.metrics);
  });

  it('keeps what its operations ports answer', () => {
    expectKeptEntries('status.json', entries.status);
  });

  it('has rows in each table of a backup', () => {
    const empty = Object.keys(rows).filter((table) => rows[table]?.length === 0);
    expect(empty.filter((table) => !NOT_IN_BACKUPS.includes(table))).toEqual([]);
  });
});

const KEPT_BACKUPS = KEPT_RELEASES.filter((release) => readKept(release, 'rows-of-backup.json') !== undefined);

describe.each(KEPT_BACKUPS.length > 0 ? KEPT_BACKUPS : ['no release yet'])('a backup of %s', (release) => {
  if (KEPT_BACKUPS.length === 0) return void it.todo('is kept with the first release');
  const restored = async (as: 'replacement' | 'copy'): Promise<Environment> => {
    const env = await createEnvironment({ DATABASE_URL: await createDatabase() });
    const result = await apiCommand({ ...env, PATH: PATH ?? '' }, 'restore', keptPath(release, 'backup.dump'), '--as', as);
    expect(failureOf(result)).toBe('');
    expect(failureOf(await apiCommand(env, 'migrate'))).toBe('');
    return env;
  };

  (PATH ? it : it.skip)(`is restored with every row of every table${skipped}`, async () => {
    const kept = JSON.parse(readKept(release, 'rows-of-backup.json') ?? '') as Rows;
    const { database, close } = openStores(await restored('replacement'));
    const now = await rowsOf(database);
    await close();
    // A restore raises it.
    for (const control of kept['index_control'] ?? []) delete control['generation'];
    for (const [table, before] of Object.entries(kept).filter(([name]) => !NOT_IN_BACKUPS.includes(name)))
      expect({ [table]: now[table] }).toEqual({ [table]: expect.arrayContaining(before.map((row) => expect.objectContaining(row))) });
  });

  (PATH ? it : it.skip)(
    `is searched after its restore: each item is found by its name, unless it is hidden or deleted${skipped}`,
    async () => {
      const kept = JSON.parse(readKept(release, 'rows-of-backup.json') ?? '') as {
        content: { content_id: number; name: string; deleted_at: string | null }[];
      };
      const service = await startService(await restored('copy'));
      await until('all items are found', async () => {
        for (const { content_id: id, name, deleted_at: deletedAt } of kept.content) {
          const found = (await service.client.list({ prompt: `"${name}"`, size: 100 })).body.content.some((item) => item.contentId === id);
          if (found !== (deletedAt === null)) return false;
        }
        return true;
      }).finally(() => service.stop());
    },
  );
});
