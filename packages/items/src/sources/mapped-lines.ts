import { readEndLine, lastLine } from '../files/file-ends.ts';
import type { Line } from '../files/read-lines.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import type { CompiledMap } from './compile-map.ts';
import type { Source, SourceRecord } from './record.ts';

const CHECKED_FIRST = 100;

type MappedOptions = { limitBytes: number; onItem?: (item: object) => void };

/**
 * Makes lines of an import of the records of a source. A record that cannot be mapped is a line that is rejected. The last line
 * says that all were read.
 * @throws WrongMap if the map names columns that are not there
 */
export async function* mappedLines(source: Source, map: CompiledMap, options: MappedOptions): AsyncGenerator<Line> {
  if (source.columns) map.requireColumns(source.columns);
  const lines = new LineMaker(map, source.isLines, options);
  for await (const record of source.columns ? source.records : checked(source.records, map)) yield await lines.make(record);
  yield* lines.last();
}

/** Objects of JSON have no header: the first of them tell which names there are. */
async function* checked(records: AsyncIterable<SourceRecord>, map: CompiledMap): AsyncGenerator<SourceRecord> {
  let first: SourceRecord[] | undefined = [];
  for await (const record of records) {
    if (!first) yield record;
    else if (first.push(record) === CHECKED_FIRST) {
      yield* withPaths(first, map);
      first = undefined;
    }
  }
  if (first) yield* withPaths(first, map);
}

function withPaths(first: SourceRecord[], map: CompiledMap): SourceRecord[] {
  map.requirePaths(first.flatMap(({ read }) => ('values' in read ? [read.values] : [])));
  return first;
}

class LineMaker {
  readonly #map: CompiledMap;
  readonly #mayHaveEnds: boolean;
  readonly #options: MappedOptions;
  /** The line of each external id. */
  readonly #seen = new Map<string, number>();
  #lines = 0;
  #readBytes = 0;
  #hasEnds = false;

  constructor(map: CompiledMap, mayHaveEnds: boolean, options: MappedOptions) {
    this.#map = map;
    this.#mayHaveEnds = mayHaveEnds;
    this.#options = options;
  }

  async make(record: SourceRecord): Promise<Line> {
    const { line: number, text, readBytes, read } = record;
    this.#readBytes = readBytes;
    const end = this.#mayHaveEnds ? endIn(record) : undefined;
    if (end) {
      this.#hasEnds = true;
      return { number, bytes: end, readBytes };
    }
    this.#lines += 1;
    const mapped = 'values' in read ? await this.#map.read(read.values) : { ...read, externalId: undefined };
    const problem = 'item' in mapped ? this.#problemOfId(mapped.item, number) : undefined;
    const origin = { text, columnOf: (pointer: string | undefined) => this.#map.columnOf(pointer) };
    if (!('item' in mapped)) return { number, bytes: undefined, readBytes, origin: { ...origin, rejected: mapped } };
    if (problem) return { number, bytes: undefined, readBytes, origin: { ...origin, rejected: problem } };
    const bytes = Buffer.from(JSON.stringify(mapped.item));
    this.#options.onItem?.(mapped.item);
    return { number, bytes: bytes.length > this.#options.limitBytes ? undefined : bytes, readBytes, origin };
  }

  /** A file that has such lines itself says itself whether it is whole. */
  *last(): Generator<Line> {
    if (!this.#hasEnds) yield { number: 0, bytes: Buffer.from(JSON.stringify(lastLine(this.#lines))), readBytes: this.#readBytes };
  }

  /** Without a map, the later line is a change of the first; two rows of a sheet with one id are most likely two items. */
  #problemOfId({ externalId }: Record<string, unknown>, number: number): { externalId: string; errors: ErrorDetail[] } | undefined {
    if (typeof externalId !== 'string') return undefined;
    const first = this.#seen.get(externalId);
    if (first === undefined) return void this.#seen.set(externalId, number);
    return { externalId, errors: [{ pointer: '#/externalId', detail: `is that of line ${first} too; each item needs an id of its own` }] };
  }
}

/** The first and the last line of an export have one name. A record with `end` beside other names has it as a property. */
function endIn({ read, text }: SourceRecord): Buffer | undefined {
  if (!('values' in read) || text === undefined) return undefined;
  const [name = '', ...others] = Object.keys(read.values);
  if (!['export', 'end'].includes(name) || others.length > 0) return undefined;
  return readEndLine(JSON.parse(text)) && Buffer.from(text);
}
