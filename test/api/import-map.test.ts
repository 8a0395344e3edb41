import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { png } from '../support/database/images.ts';
import { apiCommand, startApiCommand } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { NONE, rejectedIn } from '../support/processes/imports.ts';
import { openStores, type Stores } from '../support/processes/service.ts';
import { dataFolder } from '../support/servers/data-folder.ts';

// `import FILE --map MAP`. unit/sources has what a map makes of a file.

let env: Environment;
let stores: Stores;
let folder = '';
beforeAll(async () => {
  env = await createEnvironment();
  stores = openStores(env);
  folder = await dataFolder('import-map-');
});
afterAll(() => stores.close());

const MAP = { externalId: 'm/{id}', name: 'name', description: { value: '' }, version: 1, data: { value: '' }, creator: { credential: 'old|{author}', username: 'author' } }; // prettier-ignore
let files = 0;
type Args = { map?: object; args?: string[]; name?: string; environment?: Environment; run?: typeof apiCommand };

async function importWith(
  content: string | Buffer,
  { map = MAP, args = [], name = 'file.csv', environment = env, run = apiCommand }: Args = {},
) {
  const own = join(folder, String((files += 1)));
  await mkdir(own);
  const [file, mapFile] = [join(own, name), join(own, 'map.json')];
  await writeFile(file, content);
  await writeFile(mapFile, typeof map === 'string' ? map : JSON.stringify(map));
  return { ...(await run(environment, 'import', file, '--map', mapFile, '--json', ...args)), file, own };
}

const stored = (prefix: string) =>
  stores.database.query(
    `select external_id, name, description, version, data, tags, content.created_at::text, content.downloads_count, username, credential, fields
     from external_item join content using (content_id) join users on user_id = creator_id
     where external_id like $1 and deleted_at is null order by external_id`,
    [`${prefix}%`],
  );

describe('a CSV of 1,000 lines as a German spreadsheet writes it', () => {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = (n: number) => `${two((n % 28) + 1)}.${two((n % 12) + 1)}.20${two(n % 20)}`;
  const row = (n: number) =>
    [
      String(n).padStart(5, '0'),
      n % 7 === 0 ? `"Größe; ""groß"" Nr. ${n}"` : `Käsebrot Nr. ${n}`,
      n % 5 === 0 ? `"Erste Zeile\r\nZweite; Zeile ${n}"` : n % 3 === 0 ? '' : `Beschreibung ${n}`,
      `Jürgen Müßig ${n % 10}`,
      n % 4 === 0 ? '' : `Karte, Straße,rot`,
      day(n),
      n % 9 === 0 ? '' : `${n % 2 === 0 ? '1.' : ''}${String(100 + n).slice(-3)}`,
      n % 6 === 0 ? '' : `${n},5`,
      n % 2 === 0 ? 'ja' : 'nein',
    ].join(';');
  const HEADER = 'ID;Titel;Beschreibung;Autor;Schlagworte;Datum;Downloads;Preis;Mehrspieler';
  const csv = `\ufeff${[HEADER, ...Array.from({ length: 1_000 }, (_, n) => row(n)), ';;;;;;;;'].join('\r\n')}\r\n`;

  it('is in without a script: declare the fields, let it suggest a map, check it, import it', async () => {
    const file = join(folder, 'Käse Sammlung.csv');
    const [map, fields] = [join(folder, 'suggested.json'), join(folder, 'fields.json')];
    await writeFile(file, csv);
    await writeFile(fields, JSON.stringify({ preis: { type: 'number' }, mehrspieler: { type: 'flag' } }));
    expect((await apiCommand(env, 'fields', 'apply', fields)).code).toBe(0);
    const suggested = await apiCommand(env, 'import', file, '--suggest-map', map);
    expect(suggested).toMatchObject({ code: 0, stderr: expect.stringContaining('a CSV with ;, by its first 100 items') });
    expect(suggested.stdout.trim().split('\n').map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['Größe; "groß" Nr. 0', 'Käsebrot Nr. 1', 'Käsebrot Nr. 2']); // prettier-ignore
    expect(JSON.parse(await readFile(map, 'utf8'))).toEqual({
      separator: ';',
      decimal: ',',
      externalId: 'k-se-sammlung/{ID}',
      name: 'Titel',
      description: 'Beschreibung',
      version: 1,
      data: { value: '' },
      tags: { from: 'Schlagworte', split: ',' },
      creator: { credential: 'k-se-sammlung|{Autor}', username: 'Autor' },
      createdAt: { from: 'Datum', date: 'd.M.yyyy' },
      downloadsCount: 'Downloads',
      fields: { preis: 'Preis', mehrspieler: { from: 'Mehrspieler', values: { ja: true, nein: false } } },
    });
    expect(await apiCommand(env, 'import', file, '--map', map, '--dry-run', '--json')).toMatchObject({ code: 0, json: [{ ...NONE, created: 1_000 }] }); // prettier-ignore
    expect(await apiCommand(env, 'import', file, '--map', map, '--json')).toMatchObject({ code: 0, json: [{ ...NONE, created: 1_000 }] });
    expect(await apiCommand(env, 'import', file, '--map', map, '--json')).toMatchObject({ code: 0, json: [{ ...NONE, unchanged: 1_000 }] });
    const items = await stored('k-se-sammlung/');
    expect(items).toHaveLength(1_000);
    expect(items[35]).toEqual({
      externalId: 'k-se-sammlung/00035',
      name: 'Größe; "groß" Nr. 35',
      description: 'Erste Zeile\nZweite; Zeile 35'.replace('\n', '\r\n'),
      version: 1,
      data: '',
      tags: ['Karte', 'Straße', 'rot'],
      createdAt: '2015-12-08 00:00:00+00',
      downloadsCount: 135,
      username: 'Jürgen Müßig 5',
      credential: 'k-se-sammlung|Jürgen Müßig 5',
      fields: { preis: 35.5, mehrspieler: false },
    });
    expect(items[36]).toMatchObject({ description: '', tags: [], downloadsCount: 0, fields: { mehrspieler: true } });
    expect(items[38]).toMatchObject({ downloadsCount: 1_138 });
    const users = await stores.database.query(`select from users where credential like 'k-se-sammlung|%'`);
    expect(users).toHaveLength(10);
  });
});

describe('an import with a map', () => {
  it('reports rejected lines with the line, the column and the text of the source', async () => {
    const csv = 'id,name,author\n1,"a\nb",ada\n2,,ada\n,x,ada\n4,x,\n5,"open\n6,x,ada\n';
    const { code, json, stderr, file } = await importWith(csv);
    expect({ code, json }).toEqual({ code: 1, json: [{ ...NONE, created: 2, rejected: 4 }] });
    const errors = (pointer?: string, column?: string) => [{ ...(pointer && { pointer }), detail: expect.any(String), ...(column && { column }) }]; // prettier-ignore
    expect((await rejectedIn(file)).toSorted((one, other) => one.line - other.line)).toEqual([
      { line: 4, externalId: 'm/2', errors: errors('#/name', 'name'), text: '2,,ada' },
      { line: 5, errors: errors('#/externalId', 'id'), text: ',x,ada' },
      { line: 6, externalId: 'm/4', errors: errors('#/creator', 'author'), text: '4,x,' },
      { line: 7, errors: errors(), text: '5,"open' },
    ]);
    expect(stderr).toContain('- in 1 line: #/externalId (column id) needs id, which is empty');
  });

  it('writes the ids for redirects, and shows the first items in a dry run', async () => {
    const ids = join(folder, 'ids.ndjson');
    const { file, own } = await importWith('id,name,author\nr1,x,ada\nr2,y,ada\n', { args: ['--ids', ids] });
    const lines = (await readFile(ids, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(['m/r1', 'm/r2'].map((externalId) => ({ externalId, contentId: expect.any(Number) }))); // prettier-ignore
    const dry = await apiCommand(env, 'import', file, '--map', join(own, 'map.json'), '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('The first items:\n{"externalId":"m/r1","name":"x"') });
  });

  it('deletes what is missing only if each line was read', async () => {
    const map = { ...MAP, externalId: 'gone/{id}' };
    await importWith('id,name,author\n1,x,ada\n2,y,ada\n3,z,ada\n', { map });
    const args = ['--delete-missing', 'gone/', '--yes'];
    const left = async () => (await stored('gone/')).map((row) => row['externalId']);
    // A row without an id, two rows with one id, an open quotation mark, and lists and archives that are cut.
    for (const csv of ['id,name,author\n1,x,ada\n,y,ada\n', 'id,name,author\n1,x,ada\n1,x,ada\n', 'id,name,author\n1,x,ada\n2,"y,ada\n'])
      expect(await importWith(csv, { map, args })).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing of gone/ is deleted') }); // prettier-ignore
    const cut = { map, args, run: (...command: Parameters<typeof apiCommand>) => startApiCommand(...command).result };
    expect(await importWith('[{"id":1,"name":"x","author":"ada"},', cut)).toMatchObject({ code: 1, stderr: expect.stringContaining('is cut: it ends before the end of its list') }); // prettier-ignore
    const packed = gzipSync('id,name,author\n1,x,ada\n'.padEnd(100_000, '\n'));
    expect(await importWith(packed.subarray(0, -9), cut)).toMatchObject({ code: 1, stderr: expect.stringContaining('is cut: its gzip data have no end') }); // prettier-ignore
    expect(await left()).toEqual(['gone/1', 'gone/2', 'gone/3']);
    expect(await importWith(packed, { map, args })).toMatchObject({ code: 0, json: [{ missing: 2 }] });
    expect(await left()).toEqual(['gone/1']);
  });

  it('makes no item of a user who signs in here', async () => {
    await stores.database.query(`insert into users (username, credential, name_issued_at) values ('Eve', 'https://seen.example.com|1', now())`); // prettier-ignore
    const environment = { ...env, JWT_ISSUER: 'https://issuer.example.com/' };
    for (const prefix of ['https://issuer.example.com/', 'https://seen.example.com', 'local']) {
      const map = { ...MAP, creator: { credential: `${prefix}|{author}`, username: 'author' } };
      const { code, stderr, json } = await importWith('id,name,author\n1,x,1\n', { map, environment });
      expect({ code, json }).toEqual({ code: 2, json: [] });
      expect(stderr).toContain(`creator.credential must not begin with ${prefix}|, as the accounts of users who sign in here do`);
    }
  });

  it('takes pictures of a folder, and rejects the lines whose pictures are none', async () => {
    const own = join(folder, 'pictures');
    await mkdir(join(own, 'covers'), { recursive: true });
    await writeFile(join(own, 'covers/1.png'), png());
    await writeFile(join(own, 'covers/2.png'), 'no picture');
    await writeFile(join(own, 'items.csv'), 'id,name,author\n1,x,ada\n2,y,ada\n3,z,ada\n');
    const suggested = join(own, 'map.json');
    expect((await apiCommand(env, 'import', join(own, 'items.csv'), '--suggest-map', suggested)).code).toBe(0);
    expect(JSON.parse(await readFile(suggested, 'utf8'))).toMatchObject({ thumbnail: { file: 'covers/{id}.png' } });
    const { json } = await apiCommand(env, 'import', join(own, 'items.csv'), '--map', suggested, '--json');
    expect(json).toEqual([{ ...NONE, created: 1, rejected: 2 }]);
    const rejected = (await rejectedIn(join(own, 'items.csv'))).toSorted((one, other) => one.line - other.line);
    expect(rejected).toMatchObject([
      { line: 3, errors: [{ pointer: '#/thumbnail', column: 'id' }] },
      { line: 4, errors: [{ pointer: '#/thumbnail', column: 'id', detail: 'names the file covers/3.png, which is not there' }] },
    ]);
  });

  it.each<[string, string | object, string]>([
    ['is no JSON', 'name: title', 'is not JSON'],
    ['names a column that is not there', { ...MAP, name: 'titel' }, 'name names "titel", and there is no such column; there are id, name, author'], // prettier-ignore
    ['names no field', { ...MAP, title: 'name' }, 'title is no field of an import: is name meant?'],
  ])('says what is wrong with a map that %s', async (_, map, message) => {
    const { code, stderr } = await importWith('id,name,author\n1,x,ada\n', { map: map as object });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('does not replace a map by a suggestion, and says where there is none', async () => {
    const { file, own } = await importWith('id,name,author\n1,x,ada\n');
    expect(await apiCommand(env, 'import', file, '--suggest-map', join(own, 'map.json'))).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') }); // prettier-ignore
    expect(await apiCommand(env, 'import', file, '--map', join(own, 'none.json'))).toMatchObject({ code: 2, stderr: expect.stringContaining('--suggest-map') }); // prettier-ignore
  });
});
