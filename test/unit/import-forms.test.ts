import { expect, it } from '@jest/globals';
import { openLines } from '@ugc/items/files/open-lines';
import { Reasons } from '@ugc/items/files/rejections';
import { zstdCompressSync } from 'node:zlib';

const ITEM = '{"externalId":"mods/81","name":"Käse"}';
const PRETTY = JSON.stringify(JSON.parse(ITEM), undefined, 2);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(content: string | Buffer, size = 65_536): Promise<string> {
  const { chunks } = await openLines(inChunks(Buffer.from(content), size), 'FILE');
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

it.each<[name: string, content: string | Buffer, remedy: string]>([
  ['CSV', 'id,name,tags\n1,Lighthouse,a\n', 'mlr --icsv --ojsonl'],
  ['CSV with semicolons', '"id";"name"\r\n1;"a"\r\n', "--ifs ';'"],
  ['CSV', 'set,name\n1,a\n', 'mlr --icsv --ojsonl -S cat FILE'],
  ['CSV', 'id,name\n007,a\n', 'docs/moving.md, "From a spreadsheet"'],
  ['CSV with semicolons, and not in UTF-8', Buffer.from('id;name\r\n1;Käse\r\n', 'latin1'), 'First: iconv -f WINDOWS-1252 -t UTF-8'],
  ['a zip file', Buffer.from('504b03041400', 'hex'), 'Save the sheet as CSV in UTF-8'],
  ['SQL', 'CREATE TABLE items (id int);\n', 'one JSON object a line'],
  ['SQL', '-- PostgreSQL database dump\n', 'one JSON object a line'],
  ['TSV', 'id\tname\n1\ta\n', 'mlr --itsv'],
  ['a JSON array', `[${ITEM},${ITEM}]`, "jq -c '.[]'"],
  ['a JSON array', `[\n  ${ITEM},\n${ITEM}\n]\n`, "jq -c '.[]'"],
  ['a JSON array', `[${ITEM}`.padEnd(200_000, ' '), "jq -c '.[]'"],
  ['JSON with an object over several lines', `${PRETTY}\n${PRETTY}\n`, 'jq -c .'],
  ['JSON with an object over several lines', PRETTY.replaceAll('\n', '\r\n'), 'jq -c .'],
  ['JSON with several objects in a line', `${ITEM}${ITEM}\n`, 'jq -c .'],
  ['JSON with several objects in a line', `${ITEM} ${ITEM}`, 'jq -c .'],
  ['JSON with a comma after each object', `${ITEM},\n${ITEM}\n`, 'sed'],
  ['lines that end with a carriage return alone', `${ITEM}\r${ITEM}\r`, 'tr'],
  ['one JSON object that has the items in a list', `{"items":[${ITEM}]}`, "jq -c '.items[]'"],
  ['one JSON object that has the items in a list', `{"total":1,"items":[${ITEM}]}`, "jq -c '.items[]'"],
  ['one JSON object that has the items in a list', `{\n "items": [\n${ITEM}]}`, "jq -c '.items[]'"],
  ['a report of rejected lines', '{"line":1,"externalId":"x","errors":[{"detail":"is wrong"}],"text":"{}"}\n', 'jq -r .text FILE'],
  ['no JSON, but perhaps what Python or JavaScript prints', `{'name': 'x', 'tags': None}\n`, 'double quotation marks'],
  ['no JSON, but perhaps what Python or JavaScript prints', `{name: "x"}\n`, 'double quotation marks'],
  ['not UTF-8', Buffer.from(`${ITEM}\n`, 'latin1'), 'iconv -f WINDOWS-1252 -t UTF-8'],
  ['UTF-16', utf16(`\ufeff${ITEM}\n`), 'iconv -f UTF-16 -t UTF-8'],
  ['UTF-16', utf16(`\ufeff${ITEM}\n`).swap16(), 'iconv -f UTF-16 -t UTF-8'],
  ['UTF-16', utf16(`${ITEM}\n`), 'iconv -f UTF-16LE -t UTF-8'],
  ['UTF-32', Buffer.from('fffe00007b000000', 'hex'), 'iconv -f UTF-32 -t UTF-8'],
  ['XML or HTML', '<?xml version="1.0"?>\n<items/>\n', 'one JSON object a line'],
  ['YAML', '---\n- name: x\n', 'yq -o=json'],
  ['YAML', 'name: x\ntags: [a, b]\n', 'yq -o=json'],
  ['YAML', '- name: x\n', 'yq -o=json'],
  ['SQL', "INSERT INTO items VALUES (1, 'x');\n", 'one JSON object a line'],
  ['a sequence of JSON texts', `\x1e${ITEM}\n`, 'tr -d'],
  ['compressed with zstd', zstdCompressSync(ITEM), 'zstd -dc FILE | npx pnpm run import -'],
  ['a zip file', Buffer.from('504b03041400', 'hex'), 'unzip -p FILE'],
  ['compressed with bzip2', Buffer.from('BZh91AY'), 'bzip2 -dc FILE'],
  ['compressed with xz', Buffer.from('fd377a585a000004', 'hex'), 'xz -dc FILE'],
  ['a tar file', Buffer.concat([Buffer.from('name'.padEnd(257, '\0')), Buffer.from('ustar\0')]), 'tar -xOf FILE'],
  ['a backup of PostgreSQL', 'PGDMP\x01\x0e', 'npx pnpm restore FILE'],
  ['no JSON', 'Lighthouse at dusk\n', 'one JSON object a line'],
  ['no JSON', '"a text"\n', 'one JSON object a line'],
  ['empty', '', 'an export without items still has'],
  ['empty', '\ufeff \r\n\n', 'an export without items still has'],
])('a file is refused with the name of its form and what would be right: %s (%#)', async (name, content, remedy) => {
  for (const size of [65_536, 5]) await expect(read(content, size)).rejects.toThrow(`FILE is ${name}`);
  await expect(read(content)).rejects.toThrow(remedy);
});

it.each<[string, string]>([
  ['lines of JSON', `${ITEM}\n${ITEM}\n`],
  ['one line without an end', ITEM],
  ['CRLF, and blank lines before the first', `\r\n\r\n${ITEM}\r\n${ITEM}\r\n`],
  ['a first line that is longer than what is looked at', `{"externalId":"x","data":"${'x'.repeat(200_000)}"}\n${ITEM}\n`],
  ['a first line that is cut, before another line', `${ITEM.slice(0, 20)}\n${ITEM}\n`],
  ['a single line that is cut', ITEM.slice(0, 20)],
  ['a text with braces', `{"externalId":"x","name":"}{"}\n`],
  ['a data with a list', `{"externalId":"x","data":"[{}]","extra":[{}]}\n`],
])('a file is read as it is: %s', async (_, content) => {
  for (const size of [65_536, 5]) expect(await read(content, size)).toBe(content);
  expect(await read(`\ufeff${content}`, 5)).toBe(content);
});

it('the commonest reasons count lines, not errors, and reasons that differ in their values only are one', () => {
  const reasons = new Reasons();
  reasons.add(['#/tags/0', '#/tags/1', '#/tags/2'].map((pointer) => ({ pointer, detail: 'must not be blank' })));
  for (const length of [201, 310]) reasons.add([{ pointer: '#/name', detail: `must have at most 200 characters, but has ${length}` }]);
  expect(reasons.commonest(3)).toEqual([
    { reason: '#/name must have at most 200 characters, but has 201', lines: 2 },
    { reason: expect.stringMatching(/^#\/tags\/\d must not be blank$/), lines: 1 },
  ]);
});
