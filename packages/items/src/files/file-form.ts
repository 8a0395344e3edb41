import { isUtf8 } from 'node:buffer';

/** `name` follows "is". `isBinary`: there is no first line to show. */
export type Form = { name: string; remedy: string; isBinary?: boolean };

const NEW = '> NEW.ndjson';
const OBJECTS = 'An import reads one JSON object a line, such as {"externalId":"mods/81","creatorId":1,"name":"…", …}.';
const WITH_MAP = 'With --map it reads this form too, and --suggest-map writes a map: docs/moving.md, "From a spreadsheet".';
const CELLS = `${OBJECTS} ${WITH_MAP} As texts, cell by cell:`;
const utf8From = (encoding: string): string => `Write it as UTF-8: iconv -f ${encoding} -t UTF-8 FILE ${NEW}`;
const unpackedBy = (command: string): string => `Unpack it: ${command} FILE | npx pnpm run import -`;

/** Forms that the first bytes of a file tell, in hex. The longer ones come first. */
const BINARY: [first: string, form: Form][] = [
  ['fffe0000', { name: 'UTF-32', remedy: utf8From('UTF-32') }],
  ['0000feff', { name: 'UTF-32', remedy: utf8From('UTF-32') }],
  ['fffe', { name: 'UTF-16', remedy: utf8From('UTF-16') }],
  ['feff', { name: 'UTF-16', remedy: utf8From('UTF-16') }],
  ['5047444d50', { name: 'a backup of PostgreSQL', remedy: 'npx pnpm restore FILE reads it' }],
  ['504b0304', { name: 'a zip file, perhaps that of a spreadsheet', remedy: `Save the sheet as CSV in UTF-8. ${unpackedBy('unzip -p')}` }],
  ['28b52ffd', { name: 'compressed with zstd', remedy: unpackedBy('zstd -dc') }],
  ['425a68', { name: 'compressed with bzip2', remedy: unpackedBy('bzip2 -dc') }],
  ['fd377a585a00', { name: 'compressed with xz', remedy: unpackedBy('xz -dc') }],
  ['04224d18', { name: 'compressed with lz4', remedy: unpackedBy('lz4 -dc') }],
  ['377abcaf271c', { name: 'a 7z file', remedy: unpackedBy('7z x -so') }],
  ['53514c697465', { name: 'a database of SQLite', remedy: OBJECTS }],
  ['50415231', { name: 'a Parquet file', remedy: OBJECTS }],
];
const TAR: Form = { name: 'a tar file', remedy: unpackedBy('tar -xOf') };
const TAR_AT = 257;
const UTF_16: Form = { name: 'UTF-16', remedy: utf8From('UTF-16LE') };
const SEQUENCE: Form = { name: 'a sequence of JSON texts', remedy: `Remove its separators: tr -d '\\036' < FILE | jq -c . ${NEW}` };

/** Forms that a first line without a brace at its beginning tells. */
const TEXTS: [first: RegExp, form: Form][] = [
  [/^\[/, { name: 'a JSON array', remedy: `${OBJECTS} ${WITH_MAP} Or: jq -c '.[]' FILE ${NEW}` }],
  [/^</, { name: 'XML or HTML', remedy: OBJECTS }],
  [/^\x1e/, SEQUENCE],
  [
    /^(?:---|%YAML|- |[\w-]+:(?:\s|$))/,
    { name: 'YAML', remedy: `${OBJECTS} With version 4 of Mike Farah's yq: yq -o=json -I=0 '.[]' FILE ${NEW}` },
  ],
  [/^(?:--|\/\*|begin;|(?:insert into|create \w+|copy \S+|set \w+ ?=)\s)/i, { name: 'SQL', remedy: OBJECTS }],
  [/\t/, { name: 'TSV', remedy: `${CELLS} mlr --itsv --ojsonl -S cat FILE ${NEW}` }],
  [/;/, { name: 'CSV with semicolons', remedy: `${CELLS} mlr --icsv --ifs ';' --ojsonl -S cat FILE ${NEW}` }],
  [/,/, { name: 'CSV', remedy: `${CELLS} mlr --icsv --ojsonl -S cat FILE ${NEW}` }],
];
const EMPTY: Form = {
  name: 'empty',
  remedy: 'What wrote it has perhaps failed: an export without items still has a first and a last line.',
};
const OTHER: Form = { name: 'no JSON', remedy: OBJECTS };

/** @param isWhole whether nothing follows `head` · @returns undefined for lines of JSON objects, though some may be wrong */
export function wrongForm(head: Buffer, isWhole: boolean): Form | undefined {
  const binary = binaryForm(head);
  if (binary) return { ...binary, isBinary: true };
  const lines = linesOf(head, isWhole);
  const [first, second] = lines;
  if (first?.startsWith('{')) return OBJECTS_OF_OTHERS.find(({ isForm }) => isForm(first, second));
  const begin = first ?? head.toString('latin1').trim();
  if (begin === '') return isWhole ? EMPTY : undefined;
  return begin.startsWith('{') ? undefined : inUtf8(textForm(begin), lines);
}

/** Spreadsheets often write the encoding of Windows. @param lines as Latin-1 */
function inUtf8(form: Form, lines: string[]): Form {
  if (isUtf8(Buffer.from(lines.join('\n'), 'latin1'))) return form;
  return { name: `${form.name}, and not in UTF-8`, remedy: `First: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW. ${form.remedy}` };
}

const CARRIAGE_RETURNS = 'lines that end with a carriage return alone';

/** @returns undefined for what a map may be for: cells with a header, a JSON array, or JSON objects */
export function wrongSource(head: Buffer, isWhole: boolean): Form | undefined {
  const binary = binaryForm(head);
  if (binary) return { ...binary, isBinary: true };
  const lines = linesOf(head, isWhole);
  const begin = lines[0] ?? head.toString('latin1').trim();
  if (begin === '') return isWhole ? EMPTY : undefined;
  if (begin.startsWith('<')) return { name: 'XML or HTML', remedy: 'A map reads CSV, TSV, a JSON array or JSON lines.' };
  if (/^[^{[][^\n]*\r[^\n]/.test(begin))
    return { name: CARRIAGE_RETURNS, remedy: `Let them end with a line feed: tr '\\r' '\\n' < FILE > NEW` };
  if (isUtf8(Buffer.from(lines.join('\n'), 'latin1'))) return undefined;
  return { name: 'not UTF-8, but perhaps the encoding of Windows or ISO 8859-1', remedy: utf8From('WINDOWS-1252') };
}

function textForm(begin: string): Form {
  const [, text = OTHER] = TEXTS.find(([pattern]) => pattern.test(begin)) ?? [];
  return begin.startsWith('[') || parsed(begin) === undefined ? text : OTHER;
}

function binaryForm(head: Buffer): Form | undefined {
  const [, form] = BINARY.find(([first]) => head.toString('hex', 0, first.length / 2) === first) ?? [];
  if (form) return form;
  if (head.toString('latin1', TAR_AT, TAR_AT + 5) === 'ustar') return TAR;
  // ASCII without a mark.
  return head[0] === 0 || head[1] === 0 ? UTF_16 : undefined;
}

/** @returns those that show something, as Latin-1: each byte is a character */
export function linesOf(head: Buffer, isWhole: boolean): string[] {
  const lines = head.toString('latin1').split('\n');
  // What follows the last line feed may go on.
  if (!isWhole) lines.pop();
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

/** The first that a line is. */
const OBJECTS_OF_OTHERS: (Form & { isForm: (first: string, second: string | undefined) => boolean })[] = [
  {
    name: 'not UTF-8, but perhaps the encoding of Windows or ISO 8859-1',
    remedy: utf8From('WINDOWS-1252'),
    isForm: (first) => !isUtf8(Buffer.from(first, 'latin1')),
  },
  {
    name: 'a report of rejected lines',
    remedy: `It has them as text. Write the lines themselves, and mend them: jq -r .text FILE ${NEW}`,
    isForm: (first) => isReport(parsed(first)),
  },
  {
    name: 'one JSON object that has the items in a list',
    remedy: `${OBJECTS} For a list with the name items: jq -c '.items[]' FILE ${NEW}`,
    isForm: (first, second = '') => hasList(parsed(first)) || /^\{\s*"[^"\\]+"\s*:\s*\[\s*(?:\{|$)/.test(first + second),
  },
  {
    name: 'JSON with a comma after each object',
    remedy: `Remove the commas: sed 's/,[[:space:]]*$//' FILE ${NEW}`,
    isForm: (first) => first.endsWith(',') && parsed(first.slice(0, -1)) !== undefined,
  },
  {
    name: CARRIAGE_RETURNS,
    remedy: `Let them end with a line feed: tr '\\r' '\\n' < FILE ${NEW}`,
    isForm: (first) => first.split('\r', 1).every((line) => line !== first && parsed(line) !== undefined),
  },
  {
    name: 'JSON with several objects in a line',
    remedy: `Write one a line: jq -c . FILE ${NEW}`,
    isForm: (first) =>
      parsed(first) === undefined &&
      [...first.matchAll(/\}\s*(?=\{)/g)].some(({ index }) => parsed(first.slice(0, index + 1)) !== undefined),
  },
  {
    name: 'no JSON, but perhaps what Python or JavaScript prints',
    remedy: `Names and texts need double quotation marks, as json.dumps and JSON.stringify write them. ${OBJECTS}`,
    isForm: (first) => /^\{\s*(?:'|[a-z_$][\w$]*\s*:)/i.test(first),
  },
  {
    name: 'JSON with an object over several lines',
    remedy: `Write one a line: jq -c . FILE ${NEW}`,
    isForm: (first, second) => parsed(first) === undefined && second !== undefined && !second.startsWith('{'),
  },
];

function isReport(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'line' in value && 'errors' in value;
}

/** No line of an import has a field with a list of objects. */
function hasList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'externalId' in value) return false;
  return Object.values(value).some((list) => Array.isArray(list) && typeof list[0] === 'object');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
