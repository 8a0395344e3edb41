import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { importLines } from '@ugc/items/files/import-lines';
import type { Line } from '@ugc/items/files/read-lines';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { BULK_BATCH_SIZE } from '@ugc/shared/outbox/backlog';
import { storeContent } from '../support/database/stored-content.ts';
import { apiCommand, failureOf, startApiCommand } from '../support/processes/command.ts';
import { commandsIn, documentedCommands } from '../support/processes/documented-commands.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { createImports, lineWith, NONE, rejectedIn } from '../support/processes/imports.ts';
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
    expect(json).toMatchObject([{ ...NONE, created: 1 }]);
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
    const output = join(folder, 'token');
    const { code, stderr } = await withinBlocks(1, output, 'token', '--user', '1', '--scope', 'x'.repeat(600));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`write '${output}'`) });
    expect(await readFile(output)).toHaveLength(512);
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

describe('a file whose lines are all wrong', () => {
  /** Reads lines without an end, each of which is wrong. */
  async function* wrongLines(read: { lines: number }): AsyncGenerator<Line> {
    for (let number = 1; ; number += 1) {
      read.lines = number;
      yield { number, bytes: Buffer.from('{}'), readBytes: 2 * number };
    }
  }
  const options = {
    limits: defaultEnv(),
    isDryRun: false,
    updatesCounters: false,
    missingPrefix: undefined,
    isPaced: true,
    onRejected: () => undefined,
    onItem: () => undefined,
    onMissing: () => undefined,
    describeFailure: () => undefined,
    onWait: () => undefined,
  };

  it('can be stopped, shows how far it is, and is read no further than two batches while its report is written', async () => {
    const [read, stop] = [{ lines: 0 }, new AbortController()];
    const shown: number[] = [];
    const [written, waiting] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const untilReported = () => (waiting.resolve(undefined), written.promise);
    const onProgress = ({ counts }: { counts: { rejected: number } }): void => {
      if (shown.push(counts.rejected) === 3) stop.abort(new Error('stopped'));
    };
    const importing = importLines(stores.database, wrongLines(read), { ...options, signal: stop.signal, untilReported, onProgress });
    await waiting.promise;
    // Everything that needs no input and output happens before.
    await setImmediate();
    expect(read.lines).toBe(2 * BULK_BATCH_SIZE);
    written.resolve(undefined);
    await expect(importing).rejects.toThrow('stopped');
    expect(shown).toHaveLength(3);
    expect(read.lines).toBeLessThanOrEqual(5 * BULK_BATCH_SIZE);
  });
});

describe('a field that an import does not know', () => {
  const fields = { created_at: '2019-04-01', downloads: 5, Tags: ['x'], url: 'https://example.com', ratings: { count: 2, average: 4 } };
  const lines = [lineWith({ externalId: 'unknown/1', ...fields, ratings: undefined }), lineWith({ externalId: 'unknown/2', ...fields, ratings: { count: 1, sum: 4, average: 4 } })]; // prettier-ignore
  const unknownFields = [
    { field: 'created_at', lines: 2, known: 'createdAt' },
    { field: 'downloads', lines: 2, known: 'downloadsCount' },
    { field: 'Tags', lines: 2, known: 'tags' },
    { field: 'url', lines: 2 },
    { field: 'ratings.average', lines: 1, known: 'ratings.sum' },
  ];

  it('is counted, with the known name beside it, before an import that stores something', async () => {
    for (const args of [['--dry-run'], []]) {
      const { code, json, stderr } = await importOf(env, lines, ...args);
      expect({ code, json }).toEqual({ code: 0, json: [{ ...NONE, created: 2, unknownFields }] });
      expect(stderr).toContain('- created_at in 2 lines: is createdAt meant?\n');
      expect(stderr).toContain('- url in 2 lines\n');
    }
  });

  it('is counted in rejected lines, too, and an export has none', async () => {
    const { json } = await importOf(env, [{ externalId: 'unknown/3', title: 'x' }]);
    expect(json).toEqual([{ ...NONE, rejected: 1, unknownFields: [{ field: 'title', lines: 1, known: 'name' }] }]);
    const exported = (await apiCommand(env, 'export')).json as object[];
    expect((await importOf(env, exported)).json).toEqual([expect.not.objectContaining({ unknownFields: expect.anything() })]);
  });

  it.each<[string, object, object[]]>([
    [
      'texts and numbers',
      { user: 'ada', rating: 4.5 },
      [
        { field: 'user', known: 'creator' },
        { field: 'rating', known: 'ratings' },
      ],
    ],
    ['lists', { user: ['ada'], block: [1] }, [{ field: 'user', known: 'creator' }, { field: 'block' }]],
    [
      'nothing',
      { user: null, rating: null },
      [
        { field: 'user', known: 'creator' },
        { field: 'rating', known: 'ratings' },
      ],
    ],
    ['objects of another program', { user: { id: 5, name: 'ada' } }, [{ field: 'user', known: 'creator' }]],
  ])(
    'is counted also of a line without externalId that names it as an export of people does, where it is %s',
    async (_, columns, known) => {
      const { json, stderr } = await importOf(env, [{ id: '007', title: 'x', ...columns }]);
      const unknown = [{ field: 'id', known: 'externalId' }, { field: 'title', known: 'name' }, ...known];
      expect(json).toEqual([{ ...NONE, rejected: 1, unknownFields: unknown.map((field) => ({ ...field, lines: 1 })) }]);
      expect(stderr).toContain('#/externalId is required: a text that names the item');
      expect(stderr).not.toContain('nvalid input');
    },
  );

  it('takes no memory without end', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field ${n}`, n]));
    const { json } = await importOf(env, [lineWith({ externalId: 'unknown/4', ...many })]);
    expect((json as { unknownFields: object[] }[])[0]?.unknownFields).toHaveLength(100);
  });
});

describe('the report of rejected lines', () => {
  const wrong = lineWith({ externalId: 'mended', version: -1, name: 'ü \u2028 <b>' });

  it('has each line as it was, so that it can be mended and imported', async () => {
    const broken = '{"externalId":"broken"';
    const { file, code } = await importOf(env, [wrong, broken, lineWith({ externalId: 'nobody', creatorId: 999_999 })]);
    expect(code).toBe(1);
    const reported = (await rejectedIn(file)).toSorted((one, other) => one.line - other.line);
    expect(reported.map(({ text }) => text)).toEqual([JSON.stringify(wrong), broken, expect.stringContaining('nobody')]);
    const mended = (reported[0]?.text ?? '').replace('-1', '1');
    expect((await importOf(env, [mended])).json).toEqual([{ ...NONE, created: 1 }]);
  });

  it('has the text of bytes that Windows has written, and no text of a line that is too long', async () => {
    const inWindows = Buffer.from(JSON.stringify(lineWith({ externalId: 'windows', name: 'Käse' })), 'latin1');
    const { file } = await importOf(env, [lineWith({ externalId: 'before' }), inWindows, lineWith({ externalId: 'long', data: 'x'.repeat(3_000_000) })]); // prettier-ignore
    const [first, second] = await rejectedIn(file);
    expect(JSON.parse(first?.text ?? '')).toMatchObject({ name: 'Käse' });
    expect(first?.errors[0]?.detail).toContain('iconv -f WINDOWS-1252');
    expect(second).not.toHaveProperty('text');
  });
});

describe('another form than lines of JSON', () => {
  const text = linesFor('form').map((line) => `${JSON.stringify(line)}\n`).join(''); // prettier-ignore
  const [marked, crlf] = [Buffer.from(`\ufeff${text}`), Buffer.from(text.replaceAll('\n', '\r\n'))];
  const importBytes = async (bytes: Buffer, run = apiCommand) => {
    const file = join(folder, 'form.ndjson');
    await writeFile(file, bytes);
    return run(env, 'import', file, '--json');
  };

  it.each<[string, Buffer]>([
    ['a byte order mark', marked],
    ['gzip', gzipSync(text)],
    ['gzip of several parts, the first with a mark', Buffer.concat([gzipSync(marked.subarray(0, 20)), gzipSync(marked.subarray(20))])],
    ['lines that end with CRLF', crlf],
    ['a last line without an end', Buffer.from(text.trimEnd())],
  ])('is read if it is %s, and no item is lost', async (_, bytes) => {
    await stores.database.query('delete from external_item');
    expect(await importBytes(bytes)).toMatchObject({ code: 0, json: [{ ...NONE, created: 2 }] });
  });

  it('is named otherwise, with what would be right, and the import stops', async () => {
    const { code, stdout, stderr } = await importBytes(Buffer.from('externalId,name\nmods/81,Lighthouse\n'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('form.ndjson is CSV. An import reads one JSON object a line');
    expect(stderr).toContain('Its first line is: externalId,name');
  });

  it('is gzip that is cut or damaged: the message says so, and the exit code is 1', async () => {
    const packed = gzipSync(text);
    // An error of Node.js itself is an instance of another Error than that of the tests.
    const run: typeof apiCommand = (...command) => startApiCommand(...command).result;
    const damaged = Buffer.from(packed).fill(0x55, 20, 40);
    expect(await importBytes(packed.subarray(0, -12), run)).toMatchObject({ code: 1, stderr: expect.stringContaining('is cut: its gzip data have no end') }); // prettier-ignore
    expect(await importBytes(damaged, run)).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be unpacked with gzip') });
  });

  it('is not guessed from a line of JSON that is wrong: the others are stored', async () => {
    const { json } = await importOf(env, ['{"externalId":"broken"', ...linesFor('after a broken one')]);
    expect(json).toEqual([{ ...NONE, created: 2, rejected: 1 }]);
  });
});

describe('an export of a part', () => {
  let part: Environment;
  beforeAll(async () => {
    part = await createEnvironment();
    const other = openStores(part);
    await storeContent(
      other.database,
      Array.from({ length: 1_200 }, (_, n) => ({ name: `part ${n}` })),
    );
    await other.database.query(`update content set tags = '{rare}' where name in ('part 3', 'part 700', 'part 1100')`);
    await other.database.query(`update content set tags = '{käse,rare}' where name = 'part 5'`);
    await other.database.query(`update content set updated_at = '2001-01-01', created_at = '2001-01-01' where name <> 'part 900'`);
    await other.close();
  });
  const exportOf = async (...args: string[]) => {
    const result = await apiCommand(part, 'export', ...args);
    expect(failureOf(result)).toBe('');
    const [first, ...rest] = result.json as { export?: object; name?: string; contentId?: number }[];
    expect(rest.at(-1)).toEqual(end(rest.length - 1));
    return { selection: first?.export, names: rest.slice(0, -1).map(({ name }) => name), stderr: result.stderr, rest };
  };

  it('has the items with a tag, in every form of Unicode, and those that were stored or edited since', async () => {
    expect(await exportOf('--tag', 'rare')).toMatchObject({
      selection: { tag: 'rare' },
      names: ['part 3', 'part 5', 'part 700', 'part 1100'],
    });
    expect((await exportOf('--tag', 'ka\u0308se')).names).toEqual(['part 5']);
    const { selection, names } = await exportOf('--updated-from', '2002-01-01');
    expect({ selection, names }).toEqual({
      selection: expect.objectContaining({ updatedFrom: '2002-01-01T00:00:00.000+00:00' }),
      names: ['part 900'],
    });
    expect((await exportOf('--tag', 'rare', '--updated-from', '2002-01-01')).names).toEqual([]);
  });

  it('continues after an item, so that a stopped export and its continuation are one file, and says how far it is', async () => {
    const { rest, names } = await exportOf();
    expect(names).toHaveLength(1_200);
    const stopped = rest.slice(0, 700);
    const continued = await exportOf('--after', String(stopped.at(-1)?.contentId));
    expect(continued.names).toEqual(names.slice(700));
    expect(continued.stderr).toMatch(/Exporting [\d,]+\/[\d,]+ ids, 500 items/);
    const lines = [FIRST, ...stopped, { export: continued.selection }, ...continued.rest];
    expect(await importOf(part, lines)).toMatchObject({ code: 0, json: [{ ...NONE, unchanged: 1_200 }] });
  });

  it('is refused for what is no tag, no time and no id', async () => {
    for (const [args, message] of [
      [['--tag', ' '], '--tag must not be blank'],
      [['--updated-from', 'yesterday'], '--updated-from must be a date'],
      [['--updated-from', '2999-01-01'], '--updated-from must not be in the future'],
      [['--after', 'x'], '--after must be a positive integer'],
    ] as const)
      expect(await apiCommand(part, 'export', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('--delete-missing', () => {
  const item = (id: string) => lineWith({ externalId: id, name: `missing ${id}` });
  const kept = async () => {
    const rows = await stores.database.query<{ name: string }>(
      `select name from content where name like 'missing %' and deleted_at is distinct from now() and name <> '' order by name`,
    );
    return rows.map(({ name }) => name.replace('missing ', ''));
  };
  const all = ['gone/1', 'gone/2', 'gone/3', 'gone_other', 'other/1'];
  const whole = (...lines: object[]) => [FIRST, ...lines, end(lines.length)];
  beforeAll(() => importOf(env, all.map(item)));

  it('is refused without --yes, and says with --dry-run how many items the file lacks', async () => {
    expect(await importOf(env, whole(item('gone/1')), '--delete-missing', 'gone/')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs --yes'),
    });
    const { code, json, stderr } = await importOf(env, whole(item('gone/1')), '--delete-missing', 'gone/', '--dry-run');
    expect({ code, json }).toEqual({ code: 0, json: [{ ...NONE, unchanged: 1, missing: 2 }] });
    expect(stderr).toContain('2 items of gone/ are not in the file, and would be deleted');
    expect(await kept()).toEqual(all);
  });

  it.each<[string, object[], string]>([
    ['has no last line', [item('gone/1')], 'no last line says'],
    ['is cut', [FIRST, item('gone/1')], 'no last line says'],
    ['has a line after its last one', [...whole(item('gone/1')), item('gone/2')], 'no last line says'],
    ['has lost lines', [FIRST, item('gone/1'), end(2)], 'no last line says'],
    ['is an export of a tag', [{ export: { tag: 'x' } }, item('gone/1'), end(1)], 'no last line says'],
    ['is an export of what has changed', [{ export: { updatedFrom: '2020-01-01' } }, item('gone/1'), end(1)], 'no last line says'],
    ['is an export of the end', [{ export: { after: 5 } }, item('gone/1'), end(1)], 'no last line says'],
    ['has a rejected line', whole(item('gone/1'), {}), 'lines were rejected'],
    ['has no item with the prefix', whole(item('other/1')), 'no line has an externalId that begins so'],
    ['has no item', whole(), 'no line has an externalId that begins so'],
  ])('deletes nothing if the file %s, and fails', async (_, lines, message) => {
    const { code, stderr } = await importOf(env, lines, '--delete-missing', 'gone/', '--yes');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`Nothing of gone/ is deleted: ${message}`) });
    expect(await kept()).toEqual(all);
  });

  it('deletes the items of the prefix that the file lacks, and no others: none without, with another or with a second external id', async () => {
    await stores.database.query(
      `insert into external_item select 'second', content_id, line_hash from external_item where external_id = 'gone/3'`,
    );
    const second = { externalId: 'second', name: 'missing gone/3' };
    const { code, json, stderr } = await importOf(env, whole(item('gone/1'), second), '--delete-missing', 'gone/', '--yes');
    expect({ code, json }).toEqual({ code: 0, json: [{ ...NONE, unchanged: 2, missing: 1 }] });
    expect(stderr).toContain('Looking for what is missing: 3/3 items, 1 deleted');
    expect(await kept()).toEqual(all.filter((id) => id !== 'gone/2'));
    expect((await importOf(env, whole(item('gone/1'), second), '--delete-missing', 'gone/', '--yes')).json).toEqual([
      { ...NONE, unchanged: 2, missing: 0 },
    ]);
    expect((await importOf(env, [item('gone/2')])).json).toEqual([{ ...NONE, skipped: 1 }]);
  });
});

describe('the documented commands on Kubernetes', () => {
  it('import a file in a pod of its own, bring out rejected lines and ids, export, and leave nothing there', async () => {
    const lines = [...linesFor('pod', 3), lineWith({ externalId: 'pod/rejected', name: '' })];
    await writeFile(join(folder, 'collection.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const runHere = await commandsIn(folder, process.env['PATH'] ?? '');
    const blocks = documentedCommands('docs/moving.md').filter(({ heading }) => heading === 'On Kubernetes');
    expect(blocks).toHaveLength(4);
    const result = await runHere(blocks.map(({ block }) => block).join('\n'), { env });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^created 3, .*rejected 1,/m) });
    expect(await rejectedIn(join(folder, 'collection.ndjson'))).toMatchObject([{ line: 4, externalId: 'pod/rejected' }]);
    const ids = (await readFile(join(folder, 'ids.ndjson'), 'utf8')).trimEnd().split('\n');
    const exported = (await readFile(join(folder, 'export.ndjson'), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(exported.at(-1) ?? '')).toEqual(end(exported.length - 2));
    const items = exported.map((line) => JSON.parse(line) as { externalId?: string; contentId?: number });
    const found = items.filter(({ externalId }) => externalId?.startsWith('pod/'));
    expect(ids.map((line) => JSON.parse(line) as object)).toEqual(found.map(({ externalId, contentId }) => ({ externalId, contentId })));
    expect(found).toHaveLength(3);
    expect(existsSync(join(folder, 'files'))).toBe(false);
  });
});
