import type { UploadLimits } from '@ugc/items/fields/limits';
import { FieldsOfTags } from '@ugc/items/files/fields-of-tags';
import { lineParser } from '@ugc/items/files/import-line';
import { CompiledMap } from '@ugc/items/sources/compile-map';
import { fileFinder } from '@ugc/items/sources/find-files';
import { openSource } from '@ugc/items/sources/open-source';
import type { Values } from '@ugc/items/sources/record';
import { suggestMap, type Suggestion } from '@ugc/items/sources/suggest-map';
import { EXIT, UsageError } from '@ugc/shared/cli/command';
import { printJson, printLine, printMessage } from '@ugc/shared/cli/output';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { Definitions } from '@ugc/fields/definition';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { shownItem } from './shown-item.ts';

const SAMPLE = 100;
const SHOWN_ITEMS = 3;
const STANDARD_OUTPUT = '-';

/** `map`: the file to write, or - for standard output. `name`: how messages call the file that is read. */
type SuggestOptions = { map: string; file: string; name: string; limits: UploadLimits; json?: boolean | undefined };
type ShownItem = { item: object; errors: string[] };

/** Writes a map for a file, and prints the first items that it makes. @throws UsageError if the file of the map is there · UnreadableFile */
export async function writeSuggestion(database: Database, bytes: AsyncIterable<Buffer>, options: SuggestOptions): Promise<void> {
  const { map, file, name, limits, json } = options;
  if (map !== STANDARD_OUTPUT && existsSync(map)) throw new UsageError(`--suggest-map: ${map} is there already; name another file`);
  const folder = map === STANDARD_OUTPUT ? '.' : dirname(map);
  const declared = await readDeclaredFields(database);
  const { form, columns, sample, list, separator } = await readSample(bytes, name, limits);
  const base = baseOf(file);
  const suggestion = suggestMap(columns, sample, { base, declared, separator, list, fileFor: fileFinder(folder) });
  const items = await firstItems(sample, suggestion.map, { map, folder, file, limits, declared });
  const text = `${JSON.stringify(suggestion.map, undefined, 2)}\n`;
  if (map !== STANDARD_OUTPUT) writeFileSync(map, text, { flag: 'wx' });
  if (json) return printJson({ ...suggestion, items });
  if (map === STANDARD_OUTPUT) for (const line of text.trimEnd().split('\n')) printLine(line);
  print(suggestion, items, { map, file, from: `${name}, a ${form}, by its first ${sample.length} items` });
}

async function readSample(bytes: AsyncIterable<Buffer>, name: string, limits: UploadLimits) {
  const source = await openSource(bytes, { name, limitBytes: limits.BODY_MAX_BYTES, findsList: true });
  const sample: Values[] = [];
  for await (const { read } of source.records) {
    if ('values' in read) sample.push(read.values);
    if (sample.length >= SAMPLE) break;
  }
  const separator = source.columns && (source.form === 'TSV' ? '\t' : source.form.at(-1));
  return { form: source.form, columns: source.columns, sample, list: source.list(), separator };
}

/** What external ids begin with: the name of the file, without signs. */
function baseOf(file: string): string {
  const [name = ''] = basename(file).split('.');
  return name.replace(/[^\w-]+/g, '-').replace(/^-+|-+$/g, '').toLowerCase() || 'items'; // prettier-ignore
}

type ItemsContext = { map: string; folder: string; file: string; limits: UploadLimits; declared: Definitions };

async function firstItems(
  sample: Values[],
  map: object,
  { map: name, folder, file, limits, declared }: ItemsContext,
): Promise<ShownItem[]> {
  const compiled = new CompiledMap(map, { name, folder, excluded: [name, file], limits, declared });
  const parse = lineParser({ limits, declared, fieldsOfTags: new FieldsOfTags(undefined, declared) });
  const items = sample.slice(0, SHOWN_ITEMS).map(async (values): Promise<ShownItem> => {
    const read = await compiled.read(values);
    const line = 'item' in read ? parse(Buffer.from(JSON.stringify(read.item))).line : read;
    const errors = 'errors' in line ? line.errors.map(({ pointer = '', detail }) => `${pointer} ${detail}`.trim()) : [];
    return { item: 'item' in read ? read.item : {}, errors };
  });
  return Promise.all(items);
}

type Report = { map: string; file: string; from: string };

function print({ declare, remarks }: Suggestion, items: ShownItem[], { map, file, from }: Report): void {
  const file_ = map === STANDARD_OUTPUT ? 'map.json' : map;
  printMessage(`This is a map for ${from}. ${map === STANDARD_OUTPUT ? '' : `${map} has it; `}change what is not meant so.`);
  printMessage('The first items, as they would be stored:');
  for (const { item, errors } of items) {
    if (map === STANDARD_OUTPUT) printMessage(shownItem(item));
    else printLine(shownItem(item));
    printMessage(...errors.map((error) => `- is rejected: ${error}`));
  }
  if (Object.keys(declare).length > 0)
    printMessage(
      'Columns that no field takes. Declare those that people filter by, and let it suggest again (npx pnpm fields apply fields.json):',
      JSON.stringify(declare),
    );
  printMessage(...remarks, `Check all lines with it: npx pnpm run import ${file} --map ${file_} --dry-run`);
  if (items.length === 0) process.exitCode = EXIT.badResult;
}
