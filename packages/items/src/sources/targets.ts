import type { Definitions } from '@ugc/fields/definition';
import { UnknownFields } from '../files/unknown-fields.ts';
import { kindOf, type Kind } from './convert.ts';
import { Options, readEntry, type Entry } from './map-file.ts';
import type { MapProblem } from './wrong-map.ts';

/** What the fields of a line take; those that are not named take a text. An empty cell empties what can be empty. */
export const KINDS: Record<string, Kind> = {
  description: { name: 'text', empty: '' },
  data: { name: 'data', empty: '' },
  version: { name: 'number' },
  fileName: { name: 'text', empty: null },
  tags: { name: 'text', many: true },
  thumbnail: { name: 'picture', empty: null },
  deleted: { name: 'flag' },
  creatorId: { name: 'number' },
  createdAt: { name: 'time' },
  updatedAt: { name: 'time' },
  downloadsCount: { name: 'number' },
  latestDownloadsCount: { name: 'number' },
  userDownloads: { name: 'number' },
  latestUserDownloads: { name: 'number' },
  'heat.day': { name: 'number' },
  'heat.week': { name: 'number' },
  'ratings.count': { name: 'number' },
  'ratings.sum': { name: 'number' },
  'ratings.average': { name: 'number' },
  'hidden.since': { name: 'time' },
  'hidden.byBlock': { name: 'flag' },
  publishAt: { name: 'time' },
  'unpublished.since': { name: 'time' },
  'unpublished.mayPublish': { name: 'flag' },
  'unpublished.wasPublic': { name: 'flag' },
  'unpublished.wantsUnlisted': { name: 'flag' },
};
const TEXT: Kind = { name: 'text' };

/** What only an export writes. */
const NEVER = ['contentId', 'hasThumbnail', 'unpublished.refusal'];

/** A field of a line and what a map says of it. `path`: such as `['creator', 'username']`. Several entries make one list. */
export type Target = { path: string[]; kind: Kind; entries: Entry[] };

/** @param known the fields of a line, and those within them: see `fieldsOf` @returns everything that is wrong with a map, or what it says */
export function readTargets(
  map: unknown,
  known: Map<string, string[]>,
  declared: Definitions,
): { targets: Target[]; options: Options } | { problems: MapProblem[] } {
  if (!isObject(map))
    return { problems: [{ path: '', detail: 'must be a JSON object, such as {"externalId":"mods/{id}","name":"title"}' }] };
  const options = Options.safeParse(map);
  const reader = new TargetReader(known, declared);
  for (const [name, given] of Object.entries(map)) if (!Object.hasOwn(Options.shape, name)) reader.read(name, given);
  if (!options.success)
    reader.problems.push(...options.error.issues.map(({ path, message }) => ({ path: path.join('.'), detail: message })));
  if (!('externalId' in map))
    reader.problems.push({ path: 'externalId', detail: 'is required: it names the item for every later import, such as "mods/{id}"' });
  return options.success && reader.problems.length === 0
    ? { targets: reader.targets, options: options.data }
    : { problems: reader.problems };
}

class TargetReader {
  readonly targets: Target[] = [];
  readonly problems: MapProblem[] = [];
  readonly #known: Map<string, string[]>;
  readonly #declared: Definitions;

  constructor(known: Map<string, string[]>, declared: Definitions) {
    this.#known = known;
    this.#declared = declared;
  }

  read(name: string, given: unknown): void {
    const inner = this.#known.get(name);
    if (!inner || NEVER.includes(name)) this.problems.push({ path: name, detail: this.#unknown(name) });
    else if (inner.length === 0) this.#add([name], KINDS[name] ?? TEXT, given);
    else if (!isObject(given)) this.problems.push({ path: name, detail: `must be an object with ${inner.join(', ')}` });
    else for (const [part, each] of Object.entries(given)) this.#readInner(name, part, each, inner);
  }

  #readInner(name: string, part: string, given: unknown, inner: string[]): void {
    const definition = name === 'fields' ? this.#declared.get(part) : undefined;
    if (NEVER.includes(`${name}.${part}`)) this.problems.push({ path: `${name}.${part}`, detail: this.#unknown(`${name}.${part}`) });
    else if (definition?.of) this.#readGroup(part, definition.of, given);
    else if (definition) this.#add([name, part], kindOf(definition), given);
    else if (inner.includes(part) || `${name}.${part}` in KINDS) this.#add([name, part], KINDS[`${name}.${part}`] ?? TEXT, given);
    else this.problems.push({ path: `${name}.${part}`, detail: this.#unknown(`${name}.${part}`) });
  }

  #readGroup(field: string, of: Record<string, 'keyword' | 'number' | 'date' | 'flag' | 'version'>, given: unknown): void {
    const parts = Object.keys(of);
    const path = `fields.${field}`;
    if (!isObject(given)) this.problems.push({ path, detail: `must be an object with ${parts.join(' and ')}` });
    else
      for (const [part, each] of Object.entries(given)) {
        const type = Object.hasOwn(of, part) ? of[part] : undefined;
        if (type) this.#add(['fields', field, part], { ...kindOf({ type, many: false }), empty: undefined }, each);
        else this.problems.push({ path: `${path}.${part}`, detail: `is no part: the parts are ${parts.join(' and ')}` });
      }
  }

  #add(path: string[], kind: Kind, given: unknown): void {
    const isList = Array.isArray(given);
    if (isList && !kind.many) return void this.problems.push({ path: path.join('.'), detail: 'must be one value, and not a list' });
    const entries: Entry[] = [];
    for (const [at, each] of (isList ? (given as unknown[]) : [given]).entries()) {
      const read = readEntry(each);
      const problems = 'problems' in read ? read.problems : problemsOf(read.entry, kind);
      const where = [...path, ...(isList ? [at] : [])].join('.');
      this.problems.push(...problems.map(({ path: inner, detail }) => ({ path: inner === '' ? where : `${where}.${inner}`, detail })));
      if ('entry' in read) entries.push(read.entry);
    }
    this.targets.push({ path, kind, entries });
  }

  #unknown(name: string): string {
    const [outer = '', part] = name.split('.');
    const unknown = new UnknownFields(this.#known);
    unknown.add(part === undefined ? { [outer]: 1 } : { [outer]: { [part]: 1 } });
    const [{ known } = {}] = unknown.list();
    const inner = part === undefined ? undefined : this.#known.get(outer);
    const all = inner ?? [...this.#known.keys(), ...Object.keys(Options.shape)];
    const names = all.filter((each) => !NEVER.includes(inner ? `${outer}.${each}` : each));
    const declare = outer === 'fields' ? '; npx pnpm fields declares fields' : '';
    return `is no field of an import${known && known !== name ? `: is ${known} meant?` : ''}; the fields are ${names.join(', ')}${declare}`;
  }
}

/** Which properties of an entry a kind has a use for. */
const USED_BY: [property: keyof Entry, isUsed: (kind: Kind) => boolean, what: string][] = [
  ['split', ({ many }) => many === true, 'lists, such as tags'],
  ['date', ({ name }) => name === 'time' || name === 'day', 'dates'],
  ['zone', ({ name }) => name === 'time' || name === 'day', 'dates'],
  ['decimal', ({ name }) => name === 'number', 'numbers'],
];

function problemsOf(entry: Entry, kind: Kind): MapProblem[] {
  const problems: MapProblem[] = USED_BY.flatMap(([property, isUsed, what]) =>
    entry[property] === undefined || isUsed(kind) ? [] : [{ path: property, detail: `is only for ${what}` }],
  );
  const isFile = 'template' in entry.source && entry.source.isFile;
  if (isFile && kind.name !== 'picture' && kind.name !== 'data')
    problems.push({ path: 'file', detail: 'is only for thumbnail and data; another field takes a text with {COLUMN}' });
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
