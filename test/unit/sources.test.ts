import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { uploadLimitFields, type UploadLimits } from '@ugc/items/fields/limits';
import { fieldsOf, itemSchema } from '@ugc/items/files/import-line';
import type { Line } from '@ugc/items/files/read-lines';
import { CompiledMap } from '@ugc/items/sources/compile-map';
import { csvRecords } from '@ugc/items/sources/csv-records';
import { mappedLines } from '@ugc/items/sources/mapped-lines';
import { openSource } from '@ugc/items/sources/open-source';
import { fileFinder } from '@ugc/items/sources/find-files';
import { suggestMap } from '@ugc/items/sources/suggest-map';
import { KINDS } from '@ugc/items/sources/targets';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { declared } from '../support/database/declared-fields.ts';

// What `import FILE --map MAP` makes of files of other programs, without a database.

const LIMITS: UploadLimits = z.object(uploadLimitFields).parse({});
const folder = mkdtempSync(join(tmpdir(), 'ugc-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Context = { limits?: UploadLimits; declared?: Definitions; size?: number; excluded?: string[] };
type Mapped = { items: object[]; rejected: { line: number; text: string | undefined; errors: object[] }[]; end: unknown };

function compiled(map: object, { limits = LIMITS, declared = NO_FIELDS, excluded = [] }: Context = {}): CompiledMap {
  return new CompiledMap(map, { name: 'MAP', folder, excluded, limits, declared });
}

/** @returns the lines of an import, which are items, rejected records, and the last line */
async function mapped(content: string | Buffer, map: object, context: Context = {}): Promise<Mapped> {
  const { limits = LIMITS, size = 65_536 } = context;
  const compiledMap = compiled(map, context);
  const { separator, list } = compiledMap.options;
  const source = await openSource(inChunks(Buffer.from(content), size), { name: 'FILE', limitBytes: limits.BODY_MAX_BYTES, separator, list }); // prettier-ignore
  const result: Mapped = { items: [], rejected: [], end: undefined };
  for await (const { number, bytes, origin } of mappedLines(source, compiledMap, { limitBytes: limits.BODY_MAX_BYTES })) {
    const value = bytes && (JSON.parse(bytes.toString()) as object);
    if (value && 'end' in value) result.end = value.end;
    else if (value && !('export' in value)) result.items.push(value);
    else if (!value) result.rejected.push({ line: number, text: origin?.text, errors: origin?.rejected?.errors ?? [] });
  }
  return result;
}

const itemsOf = async (content: string | Buffer, map: object, context?: Context): Promise<object[]> => {
  const { items, rejected } = await mapped(content, map, context);
  expect(rejected).toEqual([]);
  return items;
};
const MAP = { externalId: 'mods/{id}', name: 'name' };
const item = (id: string, name: string) => ({ externalId: `mods/${id}`, name });
const detail = (text: string) => [{ ...(text.startsWith('#') && { pointer: expect.any(String) }), detail: expect.stringContaining(text.replace(/^#\S+ /, '')) }]; // prettier-ignore

describe('a file of another program', () => {
  it.each<[string, string | Buffer, object?]>([
    ['CSV', 'id,name\n1,one\n2,two\n'],
    ['CSV with semicolons, a mark and CRLF', '\ufeffid;name\r\n1;one\r\n2;two\r\n'],
    ['CSV whose separator the map names', 'id|name,x\n1|one\n2|two\n', { separator: '|', name: 'name,x' }],
    ['CSV whose first line names the separator, as Excel does', 'sep=;\nid;name\n1;one\n2;two'],
    ['CSV whose first line names a tab as the separator', 'sep=\t\r\nid\tname\r\n1\tone\r\n2\ttwo'],
    ['CSV whose separator the file and the map name', 'sep=;\nid;name\n1;one\n2;two', { separator: ';' }],
    ['TSV', 'id\tname\n1\tone\n2\ttwo\n'],
    ['CSV with quotation marks around all cells', '"id","name"\n"1","one"\n"2","two"\n'],
    ['CSV with blank lines, and rows of empty cells', 'id,name\n\n1,one\n,\n \n2,two\n,,\n'],
    ['gzip', gzipSync('id,name\n1,one\n2,two\n')],
    ['JSON array', '[{"id":1,"name":"one"},{"id":2,"name":"two"}]'],
    ['JSON array over several lines', JSON.stringify([{ id: 1, name: 'one' }, { id: 2, name: 'two' }], undefined, 2)], // prettier-ignore
    ['JSON arrays after each other', '[{"id":1,"name":"one"}]\n[{"id":2,"name":"two"}]\n'],
    ['list within an object', '{"total":2,"data":{"hits":[{"id":1,"name":"one"},{"id":2,"name":"two"}]},"x":[{}]}', { list: 'data.hits' }],
    [
      'objects with a list each after each other, as the pages of an API',
      '{"data":[{"id":1,"name":"one"}],"next":"]}{[","x":{"data":[{}]}}{"y":[{"data":[{}]}],\n"data":[{"id":2,"name":"two"}]}\n{"data":[]}',
      { list: 'data' },
    ],
    ['JSON lines', '{"id":1,"name":"one"}\n{"id":2,"name":"two"}\n'],
    [
      'JSON lines with the lines of an export around them',
      '{"export":{}}\n{"id":1,"name":"one"}\n{"id":2,"name":"two"}\n{"end":{"lines":2}}\n',
    ],
  ])('is read, however it is cut into chunks: %s', async (_, content, more = {}) => {
    for (const size of [65_536, 5, 1]) {
      const { items, rejected, end } = await mapped(content, { ...MAP, ...more }, { size });
      expect({ items, rejected, end }).toEqual({ items: [item('1', 'one'), item('2', 'two')], rejected: [], end: { lines: 2 } });
    }
  });

  it('has the numbers of its own lines', async () => {
    const csv = await mapped('id,name\n1,"a\nb"\n,x\n', MAP);
    expect(csv.rejected).toEqual([{ line: 4, text: ',x', errors: [{ pointer: '#/externalId', detail: expect.stringContaining('id') }] }]);
    const json = await mapped('[\n {"id":1,"name":"a"},\n {"id":"",\n "name":"x"}]', MAP);
    expect(json.rejected).toEqual([{ line: 3, text: '{"id":"",\n "name":"x"}', errors: [expect.objectContaining({ pointer: '#/externalId' })] }]); // prettier-ignore
  });

  it.each<[string, string | Buffer, string]>([
    ['0 bytes', '', 'FILE is empty'],
    ['gzip of 0 bytes', gzipSync(''), 'FILE is empty'],
    ['a binary file', Buffer.from('504b030414000000', 'hex'), 'a zip file'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'FILE is'],
    ['UTF-16', Buffer.from('\ufeffid,name\n1,x\n', 'utf16le'), 'FILE is UTF-16. Write it as UTF-8: iconv -f UTF-16 -t UTF-8'],
    ['the encoding of Windows', Buffer.from('id,name\n1,Käse\n', 'latin1'), 'iconv -f WINDOWS-1252 -t UTF-8'],
    ['lines that end with a carriage return alone', 'id,name\r1,x\r', 'a carriage return alone'],
    ['XML', '<items/>\n', 'XML or HTML'],
    ['a JSON array that is cut', '[{"id":1,"name":"x"},', 'FILE is cut: it ends before the end of its list'],
    ['a JSON array that is cut in an element', '[{"id":1,"name":"x"},\n{"id":', 'within the element that begins in line 2'],
    ['something after a JSON array', '[{"id":1,"name":"x"}]\n{}', 'has something after its list, in line 2'],
    ['CSV that names a quotation mark as the separator', 'sep="\nid"name\n1"x', 'FILE begins with sep=", which must name one character'],
    ['CSV that names no separator', '"sep="\nid,name\n1,x', 'such as sep=;'],
    ['an object over several lines', '{\n"hits": [\n{"id":1}]}', 'such as "list": "items"'],
  ])('is refused with what it is and what would be right: %s', async (_, content, message) => {
    await expect(mapped(content, MAP)).rejects.toThrow(message);
  });

  it.each<[string, string, string]>([
    ['ends after the list', '{"data":[{"id":1,"name":"x"}],"next":', 'FILE is cut: it ends within what begins in line 1, after its list'],
    ['ends in a text after the list', '{"data":[{"id":1,"name":"x"}],"next":"}', 'FILE is cut'],
    ['ends before the list of a further object', '{"data":[{"id":1,"name":"x"}]}\n{"total":1', 'begins in line 2, before its list'],
    ['has a further object without the list', '{"data":[{"id":1,"name":"x"}]}\n{"error":"limit"}', 'FILE has no list data in the object that begins in line 2'], // prettier-ignore
    ['begins with an object without the list', '{"error":"limit"}\n{"data":[{"id":1,"name":"x"}]}', 'FILE has no list data'],
    ['has the list twice in one object', '{"data":[{"id":1,"name":"x"}],\n"data":[{"id":2,"name":"y"}]}', 'a second list data in one object, in line 2'], // prettier-ignore
    ['has another bracket at the end', '{"data":[{"id":1,"name":"x"}]]', 'not valid JSON: line 1 has a ] too many'],
    ['has something after its object', '{"data":[{"id":1,"name":"x"}]}\n[{"id":2,"name":"y"}]', 'something after its object, in line 2'],
    ['has very many lists around it', `{"x":${'['.repeat(100_000)}`, 'more than 500 objects or lists within each other'],
  ])('with a list in an object is never taken as whole if it %s', async (_, content, message) => {
    for (const size of [65_536, 1]) await expect(mapped(content, { ...MAP, list: 'data' }, { size })).rejects.toThrow(message);
  });

  it.each<[string, string, object, object[]]>([
    ['CSV', 'end,export\n1,one\n', { externalId: '{end}', name: 'export' }, [{ externalId: '1', name: 'one' }]],
    ['CSV of one column', 'end\n{"end":{"lines":0}}\n', { externalId: 'a{end}' }, [{ externalId: 'a{"end":{"lines":0}}' }]],
    ['JSON array', '[{"end":{"lines":0}}]', { externalId: 'a{end.lines}' }, [{ externalId: 'a0' }]],
    ['JSON lines', '{"id":1,"end":{"lines":0}}\n{"id":2,"export":{}}\n', { externalId: '{id}' }, [{ externalId: '1' }, { externalId: '2' }]], // prettier-ignore
  ])('has properties with the names of the lines of an export, which they are not: %s', async (_, content, map, items) => {
    expect(await mapped(content, map)).toEqual({ items, rejected: [], end: { lines: items.length } });
  });

  it('has the list that the map names, or a message with those that it has', async () => {
    const content = '{"total":1,"data":{"hits":[{"id":1,"name":"x"}]},"tags":["a"]}';
    await expect(mapped(content, { ...MAP, list: 'items' })).rejects.toThrow('has no list items. A map can name one of its lists: "list": "data.hits", "list": "tags"'); // prettier-ignore
  });
});

describe('a record that is wrong', () => {
  const rejectedOf = async (content: string, context?: Context) => (await mapped(content, MAP, context)).rejected;

  it('is one with an unclosed quotation mark, which does not swallow the lines that follow', async () => {
    const others = Array.from({ length: 50 }, (_, n) => `${n},x`).join('\n');
    for (const wrong of ['a,"no end', 'a,"no end""', '"a,no end']) {
      const { items, rejected } = await mapped(`id,name\n${wrong}\n${others}\n`, MAP);
      expect(items).toHaveLength(50);
      expect(rejected).toEqual([{ line: 2, text: wrong, errors: detail('has a quotation mark without an end in cell') }]);
    }
  });

  it('is one whose unclosed quotation mark meets that of a later line', async () => {
    const { items, rejected } = await mapped('id,name\na,"no end\nb,"fine, too"\nc,x\n', MAP);
    expect(items).toEqual([item('b', 'fine, too'), item('c', 'x')]);
    expect(rejected).toEqual([{ line: 2, text: 'a,"no end', errors: detail('written twice') }]);
  });

  it('is one with a quotation mark in a cell that is not doubled; others in a cell without them are letters', async () => {
    const { items, rejected } = await mapped('id,name\na,"the "best" one"\nb,5" floppy\nc,"a ""b"""\n', MAP);
    expect(rejected).toEqual([{ line: 2, text: 'a,"the "best" one"', errors: detail('in cell 2') }]);
    expect(items).toEqual([item('b', '5" floppy'), item('c', 'a "b"')]);
  });

  it('is a huge one, which is not kept in memory; the others are read', async () => {
    const limits = { ...LIMITS, BODY_MAX_BYTES: 10_000 };
    for (const huge of [`a,${'x'.repeat(20_000)}`, `a,"${'x\n'.repeat(20_000)}"`]) {
      const { items, rejected } = await mapped(`id,name\n${huge}\nb,x\n`, MAP, { limits });
      expect(items).toEqual([item('b', 'x')]);
      expect(rejected[0]?.line).toBe(2);
    }
    const json = await mapped(`[{"id":"a","name":"${'x'.repeat(20_000)}"},{"id":"b","name":"x"}]`, MAP, { limits });
    expect({ items: json.items, line: json.rejected[0]?.line }).toEqual({ items: [item('b', 'x')], line: 1 });
  });

  it('is one of many lines, which takes no time without proportion', async () => {
    for (const end of ['"', '']) {
      const { items, rejected } = await mapped(`id,name\na,"${'x\n'.repeat(20_000)}${end}\nb,x\n`, MAP);
      expect(items).toHaveLength(end === '' ? 1 : 2);
      expect(rejected).toHaveLength(end === '' ? 20_000 : 0);
    }
  });

  it.each<[string, string[]]>([
    ['end nowhere', Array<string>(3_000).fill('x","y')],
    ['end before other text', [...Array<string>(3_000).fill('x","y'), `x"${'y'.repeat(30_000)}`]],
    ['end before other text often', Array.from({ length: 3_000 }, (_, n) => (n % 100 === 99 ? 'x" y' : 'x","y'))],
    ['end in a line that is too long', [...Array<string>(3_000).fill('x","y'), 'y'.repeat(60_000)]],
    ['end beyond the limit', [...Array<string>(30_000).fill('x","y'), 'x"']],
    ['end', [...Array<string>(3_000).fill('"x'), '"', ...Array<string>(3_000).fill('x","y'), '",']],
  ])('has no line read more than a few times where quotation marks %s', async (_, records) => {
    let [bytes, read] = [0, 0];
    async function* lines(): AsyncGenerator<Line> {
      for (const [at, text] of ['id,a,b', ...records].entries()) {
        bytes += text.length;
        const value = text.length > 50_000 ? undefined : Buffer.from(text);
        yield { number: at + 1, readBytes: bytes, get bytes() { return (read += text.length), value; } }; // prettier-ignore
      }
    }
    const { records: found } = await csvRecords(lines(), { separator: undefined, limitBytes: 50_000, name: 'FILE' });
    const numbers: number[] = [];
    for await (const { line } of found) numbers.push(line);
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    expect(numbers.length).toBeGreaterThan(0);
    expect(read / bytes).toBeLessThan(20);
  });

  it('has no more than 100,000 lines read ahead, each of which takes memory, also an empty one', async () => {
    let read = 0;
    async function* lines(): AsyncGenerator<Line> {
      for (const text of ['id,a', 'b,"x', ...Array<string>(300_000).fill('')]) {
        read += 1;
        yield { number: read, readBytes: read, bytes: Buffer.from(text) };
      }
    }
    const { records } = await csvRecords(lines(), { separator: undefined, limitBytes: 2_000_000, name: 'FILE' });
    const { value } = await records[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ line: 2, read: { errors: detail('or 100000 lines further') } });
    expect(read).toBeLessThan(100_010);
  });

  it('is one that is nested very deeply; the others are read', async () => {
    for (const depth of [600, 3_000, 9_000, 500_000]) {
      const deep = `{"id":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      for (const content of [`{"id":"b","x":1}\n${deep}\n`, `[{"id":"b","x":1},\n${deep}]`]) {
        const { items, rejected } = await mapped(content, { externalId: '{id}', data: 'x' });
        expect(items).toEqual([{ externalId: 'b', data: '1' }]);
        expect(rejected).toMatchObject([
          { line: 2, errors: detail(depth < 10_000 ? 'within each other more than 500 times' : '#/ values') },
        ]);
      }
    }
  });

  it('has more or fewer cells than the header', async () => {
    expect(await rejectedOf('id,name\n1\n2,a,b\n3,a,,\n')).toMatchObject([
      { line: 2, errors: detail('has 1 cells, and the header 2') },
      { line: 3, errors: detail('has 3 cells, and the header 2') },
    ]);
  });

  it('is an element of a JSON array that is no object, or no JSON', async () => {
    const { items, rejected } = await mapped('[1, "x", null, [{}], {"id":1,"name":NaN}, {"id":2,"name":"x"}]', MAP);
    expect(items).toEqual([item('2', 'x')]);
    expect(rejected.map(({ errors }) => errors)).toEqual(
      ['is a number, and must be a JSON object', 'is a text', 'is null', 'is a list', '#/ is not valid JSON'].map((text) => detail(text)),
    );
  });

  it('has an external id that is empty, or that of an earlier line', async () => {
    expect(await rejectedOf('id,name\n1,a\n,b\n1,c\n')).toMatchObject([
      { line: 3, errors: detail('#/externalId needs id, which is empty') },
      { line: 4, errors: detail('#/externalId is that of line 2 too') },
    ]);
  });
});

describe('a map', () => {
  const one = async (values: object, map: object, context?: Context) => (await itemsOf(`[${JSON.stringify(values)}]`, { externalId: '{id}', ...map }, context))[0]; // prettier-ignore

  it('reads columns, texts of several columns, constants and paths of JSON', async () => {
    const values = {
      id: 7,
      title: ' a ',
      author: { name: 'Ada', langs: ['en'] },
      tags: [{ label: 'x' }, { label: 'y' }],
      n: 12,
      'a.b': 'c',
    };
    const map = { name: 'title', description: '{title} by {author.name} {{x}}', version: 1, data: 'author', tags: 'tags.label', fileName: { value: 'f' }, downloadsCount: 'n', creator: { credential: 'old|{author.name}', username: 'author.name' } }; // prettier-ignore
    expect(await one(values, map)).toEqual({
      externalId: '7',
      name: 'a',
      description: 'a by Ada {x}',
      version: 1,
      data: '{"name":"Ada","langs":["en"]}',
      tags: ['x', 'y'],
      fileName: 'f',
      downloadsCount: 12,
      creator: { credential: 'old|Ada', username: 'Ada' },
    });
    expect(await one(values, { name: 'a.b' })).toMatchObject({ name: 'c' });
  });

  it('keeps numbers of JSON as they are written', async () => {
    const [read] = await itemsOf('[{"id":12345678901234567890,"v":1.10}]', { externalId: '{id}', name: 'v', data: { from: 'v' } });
    expect(read).toEqual({ externalId: '12345678901234567890', name: '1.10', data: '1.10' });
    expect(await itemsOf('[{"id":1,"v":{"n":1.10}}]', { externalId: '{id}', data: 'v' })).toEqual([
      { externalId: '1', data: '{"n":1.10}' },
    ]);
  });

  it.each<[text: string, entry: object, expected: unknown]>([
    ['1.4.2019', { date: 'd.M.yyyy' }, '2019-04-01T00:00:00.000Z'],
    ['01.04.2019 10:30', { date: ['d.M.yyyy', 'dd.MM.yyyy H:mm'], zone: 'Europe/Berlin' }, '2019-04-01T08:30:00.000Z'],
    ['Jun 12 1998', { date: 'MMM d yyyy' }, '1998-06-12T00:00:00.000Z'],
    ['1517966773840', { date: 'unix-ms' }, '2018-02-07T01:26:13.840Z'],
    ['1517966773', { date: 'unix' }, '2018-02-07T01:26:13.000Z'],
    ['2019-04-01 10:00:00', { date: 'sql' }, '2019-04-01T10:00:00.000Z'],
    ['2019-04-01T10:00:00+02:00', { date: 'iso', zone: 'America/New_York' }, '2019-04-01T08:00:00.000Z'],
    ['2019-04-01', {}, '2019-04-01'],
  ])('reads dates: %s with %j', async (text, entry, expected) => {
    expect(await one({ id: 1, text }, { createdAt: { from: 'text', ...entry } })).toMatchObject({ createdAt: expected });
  });

  it.each<[text: string, decimal: string, expected: number]>([
    ['5120', '.', 5_120],
    ['5,120', '.', 5_120],
    ['5.120', ',', 5_120],
    ['1 234 567', ',', 1_234_567],
    ["1'234", '.', 1_234],
    ['4,75', ',', 4.75],
    ['-4.75', '.', -4.75],
    ['1.234,5', ',', 1_234.5],
    ['1e3', '.', 1_000],
  ])('reads numbers: %s with the decimal sign %s', async (text, decimal, expected) => {
    const context = { declared: declared({ n: { type: 'number' } }) };
    expect(await one({ id: 1, text }, { decimal, fields: { n: 'text' } }, context)).toMatchObject({ fields: { n: expected } });
  });

  it.each([',', '.'])('reads numbers of JSON with a decimal point, whatever sign the texts have: %s', async (decimal) => {
    const context = { declared: declared({ n: { type: 'number' }, all: { type: 'number', many: true } }) };
    const read = (n: unknown) => one({ id: 1, v: 4.125, e: 1.5e300, all: [4.125, 12] }, { decimal, fields: { n, all: 'all' } }, context);
    for (const n of ['v', '{v}', { from: 'v', decimal }, '-{v}'])
      expect(await read(n)).toMatchObject({ fields: { n: n === '-{v}' ? -4.125 : 4.125, all: [4.125, 12] } });
    expect(await read('e')).toMatchObject({ fields: { n: 1.5e300 } });
    expect(await one({ id: 1, v: '4.125' }, { decimal, fields: { n: 'v' } }, context)).toMatchObject({ fields: { n: decimal === ',' ? 4_125 : 4.125 } }); // prettier-ignore
  });

  it('reads values of declared fields by their types', async () => {
    const context = { declared: declared({ licence: { type: 'keyword' }, game: { type: 'version', many: true }, day: { type: 'date' }, multi: { type: 'flag' }, build: { type: 'group', of: { game: 'version', loader: 'keyword' } } }) }; // prettier-ignore
    const fields = {
      licence: { from: 'l', values: { cc0: 'CC0-1.0' } },
      game: { from: 'g', split: ',' },
      day: { from: 'd', date: 'd.M.yyyy' },
      multi: { from: 'm', values: { ja: true, nein: false } },
      build: { game: 'g1', loader: 'l1' },
    };
    expect(await one({ id: 1, l: 'cc0', g: '1.20, 1.21', d: '1.4.2019', m: 'ja', g1: '1.20', l1: 'x' }, { fields }, context)).toMatchObject(
      {
        fields: { licence: 'CC0-1.0', game: ['1.20', '1.21'], day: '2019-04-01', multi: true, build: { game: '1.20', loader: 'x' } },
      },
    );
  });

  it('takes the empty columns of a group for no entry, also beside a constant, and not those of one part', async () => {
    const context = { declared: declared({ build: { type: 'group', of: { game: 'version', loader: 'keyword' } } }) };
    const read = (values: object, loader: unknown) => one({ id: 1, ...values }, { fields: { build: { game: 'g', loader } } }, context);
    const withBuild = (build: unknown) => ({ externalId: '1', fields: { build } });
    expect(await read({ g: '', l: ' ' }, 'l')).toEqual(withBuild(null));
    expect(await read({ g: '' }, { value: 'fabric' })).toEqual(withBuild(null));
    expect(await read({ g: '1.20', l: '' }, 'l')).toEqual(withBuild({ game: '1.20' }));
    expect(await read({ g: '', l: '' }, { from: 'l', default: 'fabric' })).toEqual(withBuild({ loader: 'fabric' }));
  });

  it('takes an empty cell for no value, which empties what can be empty', async () => {
    const map = { name: 'a', description: 'a', data: 'a', version: { from: 'a', default: 1 }, tags: { from: 'a', split: ',' }, thumbnail: { file: '{a}.png' }, createdAt: 'a', downloadsCount: 'a', ratings: { count: 'a', average: 'a' }, creator: { credential: 'old|{a}', username: 'a' }, fileName: 'a' }; // prettier-ignore
    const empty = { externalId: '1', description: '', data: '', version: 1, tags: [], thumbnail: null, fileName: null };
    for (const a of ['', ' ', null]) expect(await one({ id: 1, a }, map)).toEqual(empty);
    expect(await one({ id: 1, a: 'NULL' }, { ...map, empty: ['NULL', '\\N'] })).toEqual(empty);
    expect(await one({ id: 1, count: 120, stars: 4.61 }, { ratings: { count: 'count', average: 'stars' } })).toMatchObject({ ratings: { count: 120, sum: 553 } }); // prettier-ignore
  });

  it.each<[object, object, string]>([
    [{ x: '31.02.2019' }, { createdAt: { from: 'x', date: 'd.M.yyyy' } }, 'must be a date as d.M.yyyy, and not "31.02.2019"'],
    [{ x: '5 MB' }, { downloadsCount: 'x' }, 'must be a number, and not "5 MB"'],
    [{ x: '3,5' }, { downloadsCount: 'x' }, 'with "decimal": "," in the map it is 3.5'],
    [{ x: { name: 1 } }, { name: 'x' }, 'has an object in x; name what is meant in it, such as x.name'],
    [{ x: [{ name: 1 }] }, { tags: 'x' }, 'has a list of objects; name what is meant in them, such as x.name'],
    [{ x: 'maybe' }, { deleted: 'x' }, 'must be true or false, and not "maybe"'],
  ])('rejects what a value is not: %j', async (values, map, message) => {
    const { rejected } = await mapped(JSON.stringify([{ id: 1, ...values }]), { externalId: '{id}', ...map });
    expect(rejected).toMatchObject([{ errors: [{ pointer: `#/${Object.keys(map)[0]}`, detail: expect.stringContaining(message) }] }]);
  });

  it.each<[object | string, string]>([
    [[], 'it must be a JSON object'],
    [{ name: 'x' }, 'externalId is required'],
    [{ ...MAP, title: 'x' }, 'title is no field of an import: is name meant?'],
    [{ ...MAP, contentId: 'x' }, 'contentId is no field of an import'],
    [{ ...MAP, creator: 'author' }, 'creator must be an object with credential, username'],
    [{ ...MAP, creator: { login: 'x' } }, 'creator.login is no field of an import: is creator.credential meant?'],
    [{ ...MAP, fields: { licence: 'x' } }, 'npx pnpm fields declares fields'],
    [{ ...MAP, name: 'a {b' }, 'name has a brace without its other one'],
    [{ ...MAP, name: ['a'] }, 'name must be one value, and not a list'],
    [{ ...MAP, name: { from: 'a', split: ';' } }, 'name.split is only for lists'],
    [{ ...MAP, name: { from: 'a', value: 'b' } }, 'name must have one of from, value and file'],
    [{ ...MAP, name: { column: 'a' } }, 'name has no property column; the properties are from'],
    [{ ...MAP, name: { file: 'a/{id}' } }, 'name.file is only for thumbnail and data'],
    [{ ...MAP, createdAt: { from: 'a', date: 'DD.MM.YYYY' } }, 'createdAt.date "DD.MM.YYYY" is no form of a date'],
    [{ ...MAP, createdAt: { from: 'a', date: 'dd.MM.yyyy HH:MM' } }, 'has the month twice, as MM and MM: m is for the minutes, such as HH:mm'], // prettier-ignore
    [{ ...MAP, createdAt: { from: 'a', date: "d 'M' LLL yyyy H:M" } }, 'has the month twice, as LLL and M'],
    [{ ...MAP, createdAt: { from: 'a', date: 'yyyy-MM-dd HH:mm:mm' } }, 'has the minutes twice'],
    [{ ...MAP, createdAt: { from: 'a', date: 'dd.MM.yyyy dd:mm' } }, 'has the day twice'],
    [{ ...MAP, createdAt: { from: 'a', date: 'toString' } }, 'is no form of a date'],
    [{ ...MAP, createdAt: { from: 'a', date: 'constructor' } }, 'is no form of a date'],
    [{ ...MAP, toString: 'x' }, 'toString is no field of an import'],
    [{ ...MAP, creatorId: 'author_id' }, 'creatorId must be one number for all items; creator takes columns'],
    [{ ...MAP, creatorId: '{author_id}' }, 'creatorId must be one number for all items'],
    [{ ...MAP, creatorId: '1{author_id}' }, 'creatorId must be one number for all items'],
    [{ ...MAP, creatorId: { from: 'a', values: { x: 1 }, default: 2 } }, 'creatorId must be one number for all items'],
    [{ ...MAP, creatorId: { value: '1' } }, 'creatorId must be one number for all items'],
    [{ ...MAP, createdAt: { from: 'a', zone: 'Berlin' } }, 'createdAt.zone must be a time zone'],
    [{ ...MAP, separator: ';;' }, 'separator must be one character'],
    [{ ...MAP, decimal: 'x' }, 'decimal must be'],
    [{ ...MAP, tags: ['a', { from: 5 }] }, 'tags.1.from must be a text'],
    [{ ...MAP, creator: { credential: 'login' } }, 'creator.credential must begin with a constant text and |'],
    [{ ...MAP, creator: { credential: '{site}|{login}' } }, 'creator.credential must begin with a constant text and |'],
    [{ ...MAP, creator: { credential: 'old{site}|{login}' } }, 'creator.credential must begin with a constant text and |'],
    [{ ...MAP, creator: { credential: '|{login}' } }, 'creator.credential must begin with a constant text and |'],
    [{ ...MAP, creator: { credential: { from: 'old|{login}', values: { x: 'real|1' } } } }, 'creator.credential must not have values'],
    [{ ...MAP, thumbnail: { file: '../{id}.png' } }, 'thumbnail names a file with ..'],
    [{ ...MAP, thumbnail: { file: 'https://a.b/{id}.png' } }, 'thumbnail names an address, and no file'],
    [{ ...MAP, thumbnail: { file: '/etc/{id}.png' } }, 'thumbnail names a file by its absolute path'],
    [{ ...MAP, data: { file: '.local/env' } }, 'data names a file that is hidden'],
  ])('says what is wrong with it, and what would be right: %j', (map, message) => {
    expect(() => compiled(map as object)).toThrow(message);
  });

  it('names the columns that exist, if it names one that does not, or is there twice', async () => {
    const map = { ...MAP, description: 'tilte' };
    await expect(mapped('id,name,title\n1,a,b\n', map)).rejects.toThrow('description names "tilte", and there is no such column: is "title" meant?; there are id, name, title'); // prettier-ignore
    await expect(mapped('id,name,name\n1,a,b\n', MAP)).rejects.toThrow('name names the column "name", of which there are 2');
    expect(await itemsOf('id,name,x,x\n1,a,b,c\n', MAP)).toEqual([item('1', 'a')]);
    await expect(mapped('[{"id":1,"name":"a","author":{"login":"x"}}]', map)).rejects.toThrow('there are id, name, author.login. If only later ones have it'); // prettier-ignore
    expect(await itemsOf('[{"id":1,"name":"a"}]', { ...MAP, fileName: { from: 'later', optional: true } })).toHaveLength(1);
  });

  it('can say each field of a line', () => {
    const known = fieldsOf(LIMITS, declared({ licence: { type: 'keyword' } }));
    const texts = Object.fromEntries([...known].filter(([name]) => !['contentId', 'hasThumbnail'].includes(name)).map(([name, inner]) => [name, inner.length === 0 ? 'x' : Object.fromEntries(inner.filter((part) => part !== 'refusal').map((part) => [part, part === 'credential' ? 'old|{x}' : 'x']))])); // prettier-ignore
    const values = { ...texts, creatorId: 1 };
    expect(() => compiled(values, { declared: declared({ licence: { type: 'keyword' } }) })).not.toThrow();
    const names = [...known].flatMap(([name, inner]) => [name, ...inner.map((part) => `${name}.${part}`)]);
    expect(Object.keys(KINDS).filter((name) => !names.includes(name))).toEqual(['ratings.average']);
  });
});

type JsonSchema = { type?: string | string[]; format?: string; anyOf?: JsonSchema[]; properties?: Record<string, JsonSchema> };
const KIND_OF: Record<string, string> = { number: 'number', integer: 'number', boolean: 'flag', 'date-time': 'time' };

/** The numbers, times and flags of a line that `schema` describes. */
function kindsIn(schema: JsonSchema, path: string[] = []): [string, string][] {
  const { type = '', format = '', anyOf = [], properties = {} } = schema;
  const kinds = [format, type].flat().flatMap((each) => KIND_OF[each] ?? []);
  return [
    ...kinds.map((kind): [string, string] => [path.join('.'), kind]),
    ...anyOf.flatMap((each) => kindsIn(each, path)),
    ...Object.entries(properties).flatMap(([name, each]) => kindsIn(each, [...path, name])),
  ];
}

describe('each number, time and flag of a line', () => {
  const schema = z.toJSONSchema(itemSchema(LIMITS), { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const kinds = kindsIn(schema).filter(([name]) => name.split('.').length < 3);

  it('has its kind', () => {
    expect(kinds.length).toBeGreaterThan(15);
    expect(Object.fromEntries(kinds.map(([name]) => [name, KINDS[name]?.name]))).toEqual(Object.fromEntries(kinds));
  });

  it('is read from a cell', async () => {
    const map = { ...MAP, userDownloads: 'u', heat: { day: 'd' }, publishAt: { from: 'p', date: 'dd.MM.yyyy' }, unpublished: { mayPublish: 'm' } }; // prettier-ignore
    expect(await itemsOf('id;name;u;d;p;m\n1;one;12;1.5;24.12.2999;no\n', map)).toEqual([
      { ...item('1', 'one'), userDownloads: 12, heat: { day: 1.5 }, publishAt: expect.stringMatching(/^2999-12-24T/), unpublished: { mayPublish: false } }, // prettier-ignore
    ]);
    expect(() => compiled({ ...MAP, unpublished: { refusal: 'r' } })).toThrow('is no field of an import');
  });
});

describe('a file that a text names', () => {
  const read = async (text: string, template = 'covers/{f}', context?: Context) => {
    const { items, rejected } = await mapped(JSON.stringify([{ id: 1, f: text }]), { externalId: '{id}', thumbnail: { file: template } }, context); // prettier-ignore
    return (
      (items[0] as { thumbnail?: string } | undefined)?.thumbnail ?? (rejected[0]?.errors as { detail: string }[] | undefined)?.[0]?.detail
    );
  };
  beforeAll(() => {
    mkdirSync(join(folder, 'covers/below'), { recursive: true });
    writeFileSync(join(folder, 'covers/a.png'), 'A');
    writeFileSync(join(folder, 'covers/below/b.png'), 'B');
    writeFileSync(join(folder, 'covers/.hidden'), 'secret');
    writeFileSync(join(folder, 'secret'), 'secret');
    writeFileSync(join(folder, 'covers/large'), Buffer.alloc(LIMITS.THUMBNAIL_MAX_BYTES + 1));
    writeFileSync(join(folder, 'binary'), Buffer.from('ff00', 'hex'));
    symlinkSync('/etc/hostname', join(folder, 'covers/out'));
    symlinkSync('/etc', join(folder, 'covers/etc'));
    symlinkSync('../secret', join(folder, 'covers/beside'));
    symlinkSync('a.png', join(folder, 'covers/link.png'));
    execFileSync('mkfifo', [join(folder, 'covers/pipe')]);
  });

  it('is read below the folder that the map names, also through a link that stays there', async () => {
    expect(await read('a.png')).toBe(Buffer.from('A').toString('base64'));
    expect(await read('below/b.png')).toBe(Buffer.from('B').toString('base64'));
    expect(await read('link.png')).toBe(Buffer.from('A').toString('base64'));
    expect(await read('a', 'covers/{f}.png')).toBe(Buffer.from('A').toString('base64'));
  });

  it.each([
    ['none.png', 'names the file covers/none.png, which is not there'],
    ['a.png/b', 'which is not there'],
    ['../secret', 'names a file with ..'],
    ['below/../../secret', 'names a file with ..'],
    ['/etc/hostname', 'a link to a file elsewhere'],
    ['https://a.b/c.png', 'names an address, and no file: download it to a folder below that of the map'],
    [`HTTP://a.b/${'c'.repeat(2_000)}`, 'names an address'],
    ['..\\secret', 'with a \\'],
    ['a\0.png', 'a control character'],
    ['.hidden', 'hidden'],
    ['.//.hidden', 'hidden'],
    ['below/./../../secret', 'names a file with ..'],
    ['below//', 'hidden, or no file'],
    ['below/.', 'hidden, or no file'],
    ['.', 'hidden, or no file'],
    ['./out', 'a link to a file elsewhere'],
    ['out', 'a link to a file elsewhere'],
    ['etc/hostname', 'a link to a file elsewhere'],
    ['beside', 'a link to a file elsewhere'],
    ['below', 'no plain file'],
    ['pipe', 'no plain file'],
    ['large', 'the maximum is 524288'],
    ['x'.repeat(2_000), 'too long'],
  ])('is not read otherwise, and the line is rejected: %s', async (text, message) => {
    expect(await read(text)).toContain(message);
  });

  it.each([
    ['./a.png', undefined, 'A'],
    ['below//b.png', undefined, 'B'],
    ['/below/./b.png', undefined, 'B'],
    ['./covers/a.png', '{f}', 'A'],
    ['covers//below///b.png', './{f}', 'B'],
    ['a.png', './covers//{f}', 'A'],
  ])('is read also where ./ or // say nothing: %s in %s', async (text, template, content) => {
    expect(await read(text, template)).toBe(Buffer.from(content).toString('base64'));
  });

  it('is not the file of the import, its map, or one by an absolute path', async () => {
    expect(await read('secret', '{f}', { excluded: [join(folder, 'secret')] })).toContain('that of the import or of its map');
    expect(await read('/etc/hostname', '{f}')).toContain('by its absolute path');
    expect(await read('C:/x', '{f}')).toContain('by its absolute path');
  });

  it('is data only if it is a text', async () => {
    const dataOf = (file: string) => mapped(JSON.stringify([{ id: 1 }]), { externalId: '{id}', data: { file } });
    expect((await dataOf('secret')).items).toMatchObject([{ data: 'secret' }]);
    expect((await dataOf('binary')).rejected).toMatchObject([{ errors: detail('#/data which is not a text in UTF-8') }]);
  });
});

describe('a suggested map', () => {
  const suggestionFor = async (content: string, fields = NO_FIELDS) => {
    const source = await openSource(inChunks(Buffer.from(content), 65_536), { name: 'FILE', limitBytes: 100_000, findsList: true });
    const sample: Record<string, unknown>[] = [];
    for await (const { read } of source.records) if ('values' in read) sample.push(read.values);
    const separator = source.columns && source.form.at(-1);
    return suggestMap(source.columns, sample, {
      base: 'old',
      declared: fields,
      separator,
      list: source.list(),
      fileFor: fileFinder(folder),
    });
  };

  it('takes columns by what other programs call a field, and reads dates, numbers, lists and files', async () => {
    const csv = 'ID;Title;Summary;Author;Keywords;Released;Downloads;Price;Multiplayer;Image\n7;A;x;ada;a,b;01.04.2019;5.120;3,5;ja;a.png\n8;B;y;ada;b;24.12.2020;12;1.000,25;nein;a.png\n'; // prettier-ignore
    const { map, declare, remarks } = await suggestionFor(csv);
    expect(map).toEqual({
      separator: ';',
      decimal: ',',
      externalId: 'old/{ID}',
      name: 'Title',
      description: 'Summary',
      version: 1,
      data: { value: '' },
      tags: { from: 'Keywords', split: ',' },
      creator: { credential: 'old|{Author}', username: 'Author' },
      thumbnail: { file: 'covers/{Image}' },
      createdAt: { from: 'Released', date: 'd.M.yyyy' },
      downloadsCount: 'Downloads',
    });
    expect({ declare, remarks }).toEqual({ declare: { price: { type: 'number' }, multiplayer: { type: 'flag' } }, remarks: [] });
    expect(await itemsOf(csv, map)).toHaveLength(2);
  });

  it('takes a column for the declared field of its name, and for no other one, and its days of times', async () => {
    const csv = 'id,title,released,summary,posted\n1,A,2019-04-01T10:00:00+02:00,x,2019-04-02\n2,B,2020-12-24,y,2019-04-03\n';
    const fields = declared({ released: { type: 'date' }, summary: { type: 'text' }, title: { type: 'keyword' } });
    const { map, remarks } = await suggestionFor(csv, fields);
    expect(map).toMatchObject({ name: 'title', description: { value: '' }, createdAt: 'posted' });
    expect(map['fields']).toEqual({ released: { from: 'released', date: 'iso' }, summary: 'summary', title: 'title' });
    expect(remarks).toEqual([]);
    expect(await itemsOf(csv, map, { declared: fields })).toMatchObject([{ fields: { released: '2019-04-01' } }, { fields: { released: '2020-12-24' } }]); // prettier-ignore
    expect((await suggestionFor(csv)).map).toMatchObject({ createdAt: 'released', description: 'summary' });
  });

  it('names a field for each column that people may filter by, whatever its letters, and knows it again by its label', async () => {
    const csv = 'id,価格,人数,play time,play-time\n1,5,2,10,1\n2,6,3,20,3\n';
    const { declare } = await suggestionFor(csv);
    expect(declare).toEqual({
      field: { type: 'number', label: '価格' },
      field2: { type: 'number', label: '人数' },
      playTime: { type: 'number', label: 'play time' },
      playTime2: { type: 'number', label: 'play-time' },
    });
    const again = await suggestionFor(csv, declared(declare));
    expect(again.map['fields']).toEqual({ field: '価格', field2: '人数', playTime: 'play time', playTime2: 'play-time' });
    expect(again.declare).toEqual({});
  });

  it('takes paths of JSON, and the list of an object', async () => {
    const json = JSON.stringify({ total: 2, hits: [{ uuid: 'a', title: { rendered: 'A' }, author: { id: 5, name: 'Ada' }, tags: [{ name: 'x' }], published: 1517966773840, rating: 4.5, votes: 10 }] }); // prettier-ignore
    const { map } = await suggestionFor(json);
    expect(map).toMatchObject({
      list: 'hits',
      externalId: 'old/{uuid}',
      name: 'title.rendered',
      creator: { credential: 'old|{author.id}', username: 'author.name' },
      tags: 'tags.name',
      createdAt: { from: 'published', date: 'unix-ms' },
      ratings: { count: 'votes', average: 'rating' },
    });
    expect(await itemsOf(json, map)).toMatchObject([{ ratings: { count: 10, sum: 45 } }]);
  });

  it('takes no sign before decimals from numbers of JSON', async () => {
    const { map, declare } = await suggestionFor('[{"id":1,"price":1.2345,"size":"3,5"},{"id":2,"price":2.5,"size":"12,25"}]');
    expect(map).toMatchObject({ decimal: ',' });
    expect(declare).toEqual({ price: { type: 'number' }, size: { type: 'number' } });
  });

  it('does not guess which of two days a date is', async () => {
    const { map, remarks } = await suggestionFor('id,name,date\n1,a,03/04/2019\n2,b,05/06/2019\n');
    expect(map).not.toHaveProperty('createdAt');
    expect(remarks).toEqual([expect.stringContaining('d/M/yyyy reads and M/d/yyyy too')]);
    expect((await suggestionFor('id,name,date\n1,a,03/04/2019\n2,b,05/26/2019\n')).map).toMatchObject({ createdAt: { from: 'date', date: 'M/d/yyyy' } }); // prettier-ignore
  });
});
