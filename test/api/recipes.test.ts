import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facets } from '@ugc/api/search/facets/facets';
import type { ContentPage } from '@ugc/api/search/page';
import { declareFields } from '../support/database/declared-fields.ts';
import { until } from '../support/jest/until.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { commandsIn, documentedCommands, runRequests } from '../support/processes/documented-commands.ts';
import { dataFolder } from '../support/servers/data-folder.ts';
import { startService } from '../support/processes/service.ts';

const MOVING = new URL('../../docs/moving.md', import.meta.url);
/** Of the example. */
const FIELDS = { game: { type: 'version', many: true }, licence: { type: 'keyword' }, players: { type: 'number' } };
const BLOCKS = documentedCommands('docs/api.md').filter(({ block }) => /\bcurl /.test(block));

describe('the requests of docs/api.md', () => {
  const service = forAllTests(async () => {
    const started = await startService();
    // An index without items is made anew at once.
    await declareFields(started.database, FIELDS);
    await until('lists can be filtered', async () => (await started.client.get('/api/content?where=licence:MIT')).status === 200);
    return started;
  });
  const run = async (requests: string, variables: Record<string, string> = {}): Promise<string> =>
    runRequests(requests, service.client.baseUrl, { TOKEN: await tokenOf(1), ...variables });

  describe('for attributes', () => {
    const { block = '' } = BLOCKS.find(({ heading }) => heading === 'Attributes') ?? {};
    const [upload = '', count = '', list = ''] = block.split('\n\n');
    const namesIn = ({ content }: ContentPage): string[] => content.map(({ name }) => name);
    beforeAll(async () => {
      await service.client.upload({ name: 'older', tags: ['map', 'licence:CC0-1.0', 'game:1.19'] });
      await service.client.upload({ name: 'other licence', tags: ['map', 'licence:MIT', 'game:1.21'] });
      await service.client.upload({ name: 'no map', tags: ['licence:CC0-1.0', 'game:1.21'] });
      await service.client.upload({ name: 'newer', tags: ['map', 'licence:CC0-1.0', 'game:1.21', 'gamepad'] });
      await run(upload);
      await service.indexed();
    });

    it('find the items with one of the values of one attribute, and with the value of another', async () => {
      expect(namesIn(JSON.parse(await run(list)) as ContentPage)).toEqual(['Lighthouse of blocks', 'newer']);
    });

    it('count the values of one attribute, also those that are not chosen', async () => {
      const { totalElements, facets } = JSON.parse(await run(count)) as Facets;
      const values = Object.entries({ 'game:1.21': 3, 'game:1.19': 1, 'game:1.20.4': 1 }).map(([tag, items]) => ({ tag, count: items }));
      expect([totalElements, facets.tags]).toEqual([1, { values, other: 0, exact: true }]);
    });

    it.each(['CC0', '1.20.4'])('are words that a prompt finds: %s', async (prompt) => {
      expect(namesIn((await service.client.list({ prompt, correct: 'false' })).body)).toContain('Lighthouse of blocks');
    });
  });

  it.each(BLOCKS)('are accepted by the service: $heading', async ({ block }) => {
    const ID = String(await service.client.upload({ name: 'Lighthouse at dusk', tags: ['wallpaper'] }));
    await service.indexed();
    const MODERATOR = await tokenOf(2, { scope: 'content:moderate' });
    await run(block.replace(/^MODERATOR=.*\n/, ''), { ID, MODERATOR });
  });
});

describe('the commands of docs/moving.md', () => {
  // A service of its own: an export writes all items.
  const service = forAllTests(() => startService());
  const blocksOf = (heading: string): string[] => documentedCommands('docs/moving.md').flatMap((each) => (each.heading === heading ? [each.block] : [])); // prettier-ignore
  // As a program with semicolons writes it, with a byte order mark, signs in cells, and rows and cells that are empty.
  const SHEET = [
    '\ufeffid;title;summary;author;version;file;tags;released;downloads',
    '007;"Käse; ""mit"" Zeichen";"zwei\r\nZeilen";ada;3;;"map, red;new";01.04.2019;5.120',
    '0815;Leer;;"Ö, B";;;;;',
    ' 9 ;Time;x;ada;1;d;;2019-04-01 10:00;1 234 567',
    ';;;;;;;;',
  ].join('\r\n');
  let folder: string;
  let run: (block: string) => ReturnType<Awaited<ReturnType<typeof commandsIn>>>;
  beforeAll(async () => {
    folder = await dataFolder('moving-');
    const commands = await commandsIn(folder, process.env['PATH'] ?? '');
    run = (block) => commands(`set -e\n${block}`, { env: service.env });
  });

  const [suggest = '', recipe = ''] = blocksOf('From a spreadsheet');
  const map = recipe.split('\n').slice(0, -2).join('\n');
  const [dryRun = '', importIt = ''] = recipe.split('\n').slice(-2);
  const stored = () =>
    service.database.query(
      `select external_id, name, description, version, data, tags, content.created_at::text, content.downloads_count, username from external_item
         join content using (content_id) join users on user_id = creator_id where external_id like 'mods/%' order by external_id`,
    );

  it('move a spreadsheet in, which keeps ids with their zeros, signs, dates and empty cells', async () => {
    await writeFile(join(folder, 'collection.csv'), SHEET);
    expect((await run(suggest)).code).toBe(0);
    const { code, stdout } = await run(`${map}\n${dryRun}`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('created 3') });
    expect(await stored()).toEqual([]);
    expect((await run(importIt)).code).toBe(0);
    const none = { description: '', version: 1, data: '', tags: [], downloadsCount: 0 };
    expect(await stored()).toEqual([
      { ...none, externalId: 'mods/007', name: 'Käse; "mit" Zeichen', description: 'zwei\r\nZeilen', version: 3, tags: ['map', 'red', 'new'], createdAt: '2019-04-01 00:00:00+00', downloadsCount: 5_120, username: 'ada' },
      { ...none, externalId: 'mods/0815', name: 'Leer', createdAt: expect.stringMatching(/^20[2-9]/), username: 'Ö, B' },
      { ...none, externalId: 'mods/9', name: 'Time', description: 'x', data: 'd', createdAt: '2019-04-01 10:00:00+00', downloadsCount: 1_234_567, username: 'ada' },
    ]); // prettier-ignore
  });

  it('reject what a cell does not say, and import the rows that were mended', async () => {
    const wrong = ['1;;no name;ada;;;;;', '2;date;;ada;;;;31.02.2019;', '3;number;;ada;;;;;5 MB', '4;right;;ada;;;;;'];
    const [header = ''] = SHEET.split('\r\n');
    await writeFile(join(folder, 'collection.csv'), [header, ...wrong].join('\n'));
    const checked = await run(dryRun);
    expect({ code: checked.code, stdout: checked.stdout }).toEqual({ code: 1, stdout: expect.stringContaining('created 1') });
    const lines = (await readFile(join(folder, 'collection.csv.rejected.ndjson'), 'utf8')).trimEnd().split('\n');
    type Reported = { externalId: string; text: string };
    const reported = lines.map((line) => JSON.parse(line) as Reported).toSorted((one, other) => (one.text < other.text ? -1 : 1));
    expect(reported.map(({ text }) => text)).toEqual(wrong.slice(0, 3));
    await writeFile(join(folder, 'collection.csv'), `${header}\n${(reported[0]?.text ?? '').replace('1;;', '1;mended;')}\n`);
    const { code, stdout } = await run(importIt);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('created 1') });
  });

  it('delete what the sheet has not any more, if each row was read', async () => {
    await writeFile(join(folder, 'collection.csv'), SHEET.split('\r\n').slice(0, 4).join('\r\n'));
    const { code } = await run('npx pnpm run import collection.csv --map map.json --delete-missing mods/ --yes');
    expect(code).toBe(0);
    const left = await service.database.query(`select external_id from external_item join content using (content_id) where external_id like 'mods/%' and deleted_at is null order by 1`); // prettier-ignore
    expect(left).toEqual(['mods/007', 'mods/0815'].map((externalId) => ({ externalId })));
  });

  it('import columns of a sheet that are declared fields, which lists filter by then', async () => {
    const [declare = ''] = blocksOf('Columns of your own');
    const [, addition = ''] = /```json\n(.*?)```/s.exec((await readFile(MOVING, 'utf8')).split('### Columns of your own')[1] ?? '') ?? [];
    expect(await run(declare)).toMatchObject({ code: 0, stderr: expect.stringContaining('npx pnpm index:rebuild') as unknown });
    const sheet = [
      'id;title;summary;author;version;file;tags;released;downloads;licence;games;players;first_release;multiplayer',
      'f1;One;;ada;;;;;;MIT;1.20, 1.21-pre1;4;1.4.2019;yes',
      'f2;Two;;ada;;;;;;;;;;',
      'f3;Three;;ada;;;;;;MIT;;many;;no',
    ];
    await writeFile(join(folder, 'collection.csv'), sheet.join('\n'));
    const line = '  "downloadsCount": "downloads"\n';
    const { code, stdout } = await run(`${map.replace(line, `${line.trimEnd()},\n${addition}`)}\n${dryRun}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('created 2') });
    await run(importIt);
    const fields = { licence: 'MIT', game: ['1.20', '1.21-pre1'], players: 4, released: '2019-04-01', multiplayer: true };
    const select = `select external_id, fields from external_item join content using (content_id) where external_id like 'mods/f%' order by 1`;
    expect(await service.database.query(select)).toEqual([
      { externalId: 'mods/f1', fields },
      { externalId: 'mods/f2', fields: {} },
    ]);
  });

  it.each(blocksOf('Export'))('write exports, and import them: %s', async (block) => {
    expect(await run(block)).toMatchObject({ code: 0 });
  });
});
