import { isUtf8 } from 'node:buffer';
import { wrongSource, linesOf } from '../files/file-form.ts';
import { openLines, UnreadableFile } from '../files/open-lines.ts';
import { readLines, type Line } from '../files/read-lines.ts';
import { textOf } from '../files/rejections.ts';
import { csvRecords } from './csv-records.ts';
import { readObject } from './exact-json.ts';
import { jsonElements } from './json-elements.ts';
import { unreadable, type ReadRecord, type Source, type SourceRecord } from './record.ts';

/**
 * `separator`: of a CSV; undefined if its header decides. `list`: the names that lead to the list of a JSON object, with dots.
 * `findsList`: the first list of objects is taken if none is named. `limitBytes`: the longest record.
 */
export type SourceOptions = {
  name: string;
  limitBytes: number;
  separator?: string | undefined;
  list?: string | undefined;
  findsList?: boolean;
};

/**
 * Reads a file of other programs as objects: a CSV, TSV, JSON array or JSON lines, also packed with gzip. The first byte tells
 * which of them it is. @throws UnreadableFile for another form, also while the records are read
 */
export async function openSource(
  bytes: AsyncIterable<Buffer>,
  options: SourceOptions,
): Promise<Source & { list: () => string | undefined }> {
  const { chunks, isPacked, head, isWhole } = await openLines(bytes, options.name, wrongSource);
  const first = head.toString('latin1').trimStart()[0];
  if (first === '[' || (first === '{' && hasList(head, isWhole, options))) return { ...openList(chunks, first, options), isPacked };
  if (first === '{')
    return { form: 'JSON lines', columns: undefined, isLines: true, records: jsonLines(chunks, options), isPacked, list: () => undefined };
  const { separator, columns, records } = await csvRecords(readLines(chunks, options.limitBytes, { keepsReturns: true }), {
    ...options,
    separator: options.separator,
  });
  const form = separator === '\t' ? 'TSV' : `CSV with ${separator}`;
  return { form, columns, isLines: false, records, isPacked, list: () => undefined };
}

/** Whether the file is one object that has the items in a list. */
function hasList(head: Buffer, isWhole: boolean, { list, findsList }: SourceOptions): boolean {
  if (list !== undefined) return true;
  const [line = head.toString('latin1')] = linesOf(head, isWhole);
  return findsList === true && !isObject(line);
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return (
      typeof value === 'object' &&
      value !== null &&
      !Object.values(value).some((each) => Array.isArray(each) && typeof each[0] === 'object')
    );
  } catch {
    return false;
  }
}

function openList(chunks: AsyncIterable<Buffer>, first: string, { name, limitBytes, list, findsList }: SourceOptions) {
  const path = list === undefined ? (findsList && first === '{' ? undefined : []) : list.split('.');
  const { elements, found } = jsonElements(chunks, { list: path, limitBytes, name });
  async function* records(): AsyncGenerator<SourceRecord> {
    for await (const { line, bytes, readBytes } of elements)
      yield { line, text: bytes && textOf(bytes), readBytes, read: readOne(bytes, limitBytes) };
  }
  return { form: 'JSON array', columns: undefined, isLines: false, records: records(), list: () => found() || undefined };
}

async function* jsonLines(chunks: AsyncIterable<Buffer>, { limitBytes, name }: SourceOptions): AsyncGenerator<SourceRecord> {
  let isFirst = true;
  for await (const line of readLines(chunks, limitBytes)) {
    if (line.bytes?.toString('latin1').trim() === '') continue;
    if (isFirst) requireObject(line, name);
    isFirst = false;
    const { number, bytes, readBytes } = line;
    yield { line: number, text: bytes && textOf(bytes), readBytes, read: readOne(bytes, limitBytes) };
  }
}

/** @throws UnreadableFile if the first line is not an object: the file is then one object over several lines */
function requireObject({ bytes }: Line, name: string): void {
  const read = bytes ? readObject(bytes) : undefined;
  const text = bytes?.toString('latin1').trim() ?? '';
  if (!read || !('errors' in read) || (text.startsWith('{') && text.endsWith('}'))) return;
  throw new UnreadableFile(
    `${name} is one JSON object over several lines. If it has the items in a list, name that in the map, such as "list": "items". ` +
      'Otherwise write one object a line: jq -c . FILE > NEW.ndjson',
  );
}

function readOne(bytes: Buffer | undefined, limitBytes: number): ReadRecord {
  if (!bytes) return unreadable(`is longer than ${limitBytes} bytes, the limit of an upload`);
  if (!isUtf8(bytes))
    return unreadable('is not UTF-8; if its bytes are of the encoding of Windows: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW.json');
  return readObject(bytes);
}
