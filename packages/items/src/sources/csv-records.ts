import { parse } from 'csv-parse/sync';
import { isUtf8 } from 'node:buffer';
import { UnreadableFile } from '../files/open-lines.ts';
import type { Line } from '../files/read-lines.ts';
import { textOf } from '../files/rejections.ts';
import { MAX_LINES, PhysicalLines, withoutReturn } from './physical-lines.ts';
import { endOfLine } from './quotation.ts';
import { unreadable, type ReadRecord, type SourceRecord } from './record.ts';

export const SEPARATORS = [',', ';', '\t', '|'];
const UTF_8_RULE = 'is not UTF-8; if its bytes are of the encoding of Windows: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW.csv';

/** `cells` are undefined for a record that is wrong. */
type Cells = { line: number; text: string | undefined; readBytes: number; cells: string[] } | SourceRecord;

/** `separator` is undefined if the header decides. `limitBytes`: the longest record. */
export type CsvOptions = { separator: string | undefined; limitBytes: number; name: string };

/** @param lines with their carriage returns @throws UnreadableFile if there is no header */
export async function csvRecords(
  lines: AsyncIterable<Line>,
  options: CsvOptions,
): Promise<{ separator: string; columns: string[]; records: AsyncIterable<SourceRecord> }> {
  const source = new PhysicalLines(lines);
  const separator = await separatorOf(source, options);
  const reader = new CsvReader(source, { ...options, separator });
  const header = await reader.next();
  if (!header) throw new UnreadableFile(`${options.name} is empty. A CSV begins with the names of its columns.`);
  if (!('cells' in header)) throw new UnreadableFile(`${options.name} has no header: ${errorsIn(header.read)}`);
  const columns = header.cells.map((name) => name.trim());
  return { separator, columns, records: objects(reader, columns) };
}

async function* objects(reader: CsvReader, columns: string[]): AsyncGenerator<SourceRecord> {
  for (let record = await reader.next(); record; record = await reader.next()) {
    if (!('cells' in record)) yield record;
    else if (record.cells.some((cell) => cell.trim() !== '')) {
      const { cells, ...where } = record;
      yield { ...where, read: toObject(cells, columns) };
    }
  }
}

function toObject(cells: string[], columns: string[]): ReadRecord {
  const isLonger = cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== '');
  if (isLonger || cells.length < columns.length)
    return unreadable(
      `has ${cells.length} cells, and the header ${columns.length}: a cell with the separator or a line break needs quotation marks`,
    );
  // The first of several columns with one name: a map cannot name these.
  return { values: Object.fromEntries(columns.map((name, at) => [name, cells[at]] as const).toReversed()) };
}

function errorsIn(read: ReadRecord): string {
  return 'errors' in read ? read.errors.map(({ detail }) => detail).join('; ') : '';
}

/** Excel may name the separator in a first line: `sep=;`. That line is no header, also if a map names the separator. */
async function separatorOf(source: PhysicalLines, { separator: given, name }: CsvOptions): Promise<string> {
  for (let at = 0; ; at += 1) {
    const line = await source.peek(at);
    if (!line) return given ?? ',';
    const text = textOfLine(line) ?? '';
    // Of a tab at the end, nothing may be trimmed.
    const [, named] = /^"?sep=(.?)"* *$/i.exec(text) ?? [];
    if (named !== undefined) {
      source.take(at + 1);
      return given ?? checkedSeparator(named, name);
    }
    if (text.trim() !== '') return given ?? mostFrequent(text);
  }
}

function mostFrequent(header: string): string {
  const cells = (separator: string): number => endOfLine(header, separator).cell;
  return SEPARATORS.toSorted((one, other) => cells(other) - cells(one))[0] ?? ',';
}

function checkedSeparator(named: string, name: string): string {
  if (named !== '' && named !== '"') return named;
  throw new UnreadableFile(`${name} begins with sep=${named}, which must name one character that is no quotation mark, such as sep=;`);
}

class CsvReader {
  readonly #source: PhysicalLines;
  readonly #options: CsvOptions & { separator: string };

  constructor(source: PhysicalLines, options: CsvOptions & { separator: string }) {
    this.#source = source;
    this.#options = options;
  }

  /** @returns undefined after the last one */
  async next(): Promise<Cells | undefined> {
    for (let line = await this.#source.next(); line; line = await this.#source.next()) {
      if (line.bytes?.toString('latin1').trim() !== '') return this.#record(line);
    }
    return undefined;
  }

  async #record(first: Line): Promise<Cells> {
    const { separator, limitBytes } = this.#options;
    if (!first.bytes) return wrong(first, undefined, `is longer than ${limitBytes} bytes, the limit of an upload`);
    const { state, cell } = endOfLine(withoutReturn(textOf(first.bytes)), separator);
    if (state === 'closed') return this.#complete([first]);
    if (state === 'wrong') return this.#wrong(first, cell);
    const rest = await this.#source.restOfRecord(separator, limitBytes - first.bytes.length);
    if (rest.state === 'open') return this.#open(first, cell + rest.cells);
    return rest.state === 'wrong' ? this.#wrong(first, cell + rest.cells) : this.#complete([first, ...this.#source.take(rest.lines)]);
  }

  #complete(taken: Line[]): Cells {
    const [first] = taken;
    const bytes = Buffer.concat(taken.flatMap((line, at) => [...(at === 0 ? [] : [LINE_FEED]), line.bytes ?? LINE_FEED]));
    if (!isUtf8(bytes)) return wrong(first, textOf(bytes), UTF_8_RULE);
    const text = withoutReturn(textOf(bytes));
    return { line: first?.number ?? 0, text, readBytes: taken.at(-1)?.readBytes ?? 0, cells: this.#cellsOf(text) };
  }

  #cellsOf(text: string): string[] {
    const { separator: delimiter } = this.#options;
    const rows = parse(text, { delimiter, record_delimiter: '\n', relax_quotes: true, relax_column_count: true });
    return rows[0] ?? [];
  }

  /** The lines that follow are no part of it: each is read as a record of its own. */
  #open(first: Line, cell: number): SourceRecord {
    const { limitBytes } = this.#options;
    const detail = `has a quotation mark without an end in cell ${cell}, up to the end, ${limitBytes} bytes or ${MAX_LINES} lines further`;
    return wrong(first, textOfLine(first), detail);
  }

  #wrong(first: Line, cell: number): SourceRecord {
    const rule = 'a quotation mark in a cell is written twice, and one that ends the cell comes before a separator';
    return wrong(first, textOfLine(first), `has a quotation mark before other text in cell ${cell}: ${rule}`);
  }
}

const LINE_FEED = Buffer.from('\n');

function wrong(line: Line | undefined, text: string | undefined, detail: string): SourceRecord {
  return { line: line?.number ?? 0, text, readBytes: line?.readBytes ?? 0, read: unreadable(detail) };
}

function textOfLine({ bytes }: Line): string | undefined {
  return bytes && withoutReturn(textOf(bytes));
}
