import type { Definitions } from '@ugc/fields/definition';
import { meantBy, stemOf } from '../fields/meant-names.ts';
import type { UploadLimits } from '../fields/limits.ts';
import type { ErrorDetail } from '../problems/problem.ts';
import { fieldsOf } from '../files/import-line.ts';
import { pathsIn, valueAt } from './exact-json.ts';
import { FilesBelow } from './files-below.ts';
import { columnsOf, type Entry, type Options } from './map-file.ts';
import { problemOfFolder, readTarget, type ReadOptions } from './read-target.ts';
import type { Values } from './record.ts';
import { readTargets, type Target } from './targets.ts';
import { constantStart } from './template.ts';
import { WrongMap, type MapProblem } from './wrong-map.ts';

/** `folder`: that of the map. `excluded`: see `FilesBelow`. `name`: how messages call the map. */
export type MapContext = { name: string; folder: string; excluded: string[]; limits: UploadLimits; declared: Definitions };
type Item = Record<string, unknown>;

/** Turns objects of a source into lines of an import. */
export class CompiledMap {
  readonly options: Options;
  /** What stands before the first | of the credentials of creators; undefined if the map makes none. */
  readonly credentialPrefix: string | undefined;
  readonly #name: string;
  readonly #targets: Target[];
  readonly #read: ReadOptions;

  /** @param map the parsed JSON of the file @throws WrongMap with everything that is wrong with it */
  constructor(map: unknown, { name, folder, excluded, limits, declared }: MapContext) {
    const read = readTargets(map, fieldsOf(limits, declared), declared);
    const problems = 'problems' in read ? read.problems : read.targets.flatMap(problemsOf);
    if ('problems' in read || problems.length > 0) throw new WrongMap(name, problems);
    this.#name = name;
    this.#targets = read.targets;
    this.options = read.options;
    const { empty = [], decimal = '.', zone = 'utc' } = read.options;
    this.#read = { conversion: { zone, decimal }, empty, limits, files: new FilesBelow(folder, excluded) };
    const credential = read.targets.find(({ path }) => path.join('.') === 'creator.credential')?.entries[0];
    this.credentialPrefix = credential && startOf(credential).split('|')[0];
  }

  /** @returns the item without what the record has not, or everything that is wrong with it */
  async read(values: Values): Promise<{ item: Item } | { errors: ErrorDetail[]; externalId: string | undefined }> {
    const item: Item = {};
    const errors: ErrorDetail[] = [];
    for (const target of this.#targets) {
      const read = await readTarget(target, values, this.#read);
      if ('detail' in read) errors.push({ pointer: `#/${target.path.join('/')}`, detail: read.detail });
      else if (read.value !== undefined) set(item, target.path, read.value);
    }
    const { externalId } = item;
    if (externalId === undefined && errors.every(({ pointer }) => pointer !== '#/externalId'))
      errors.push({ pointer: '#/externalId', detail: `needs ${this.columnOf('#/externalId') ?? 'a text'}, which is empty` });
    if (errors.length > 0) return { errors, externalId: typeof externalId === 'string' ? externalId.slice(0, 200) : undefined };
    for (const group of emptyGroups(item, this.#targets)) set(item, group, null);
    return { item: withoutParts(item) };
  }

  /** @returns the columns that a field is made of, as people name them */
  columnOf(pointer: string | undefined): string | undefined {
    const path = (pointer ?? '').split('/').slice(1);
    const isOf = (target: Target): boolean => target.path.every((step, at) => at >= path.length || step === path[at]);
    const columns = path.length === 0 ? [] : this.#targets.filter(isOf).flatMap(({ entries }) => entries.flatMap(columnsOf));
    return columns.length === 0 ? undefined : [...new Set(columns)].join(', ');
  }

  /** @returns the columns that the map names */
  columns(): string[] {
    return this.#targets.flatMap(({ entries }) => entries.flatMap(columnsOf));
  }

  /** @param header that of a CSV @throws WrongMap for columns that are not there, or more than once */
  requireColumns(header: string[]): void {
    const problemOf = (column: string): string | undefined => {
      const count = header.filter((each) => each === column).length;
      if (count > 1)
        return `names the column ${JSON.stringify(column)}, of which there are ${count}: give each a name of its own in the header`;
      return count === 0 ? unknownColumn(column, 'column', header) : undefined;
    };
    this.#require(problemOf);
  }

  /** @param first the first objects of JSON @throws WrongMap for what none of them has */
  requirePaths(first: Values[]): void {
    if (first.length === 0) return;
    const isThere = (column: string): boolean => first.some((values) => valueAt(values, column) !== undefined);
    const hint = '. If only later ones have it: {"from": …, "optional": true}';
    const problemOf = (column: string, { optional = false }: Entry): string | undefined =>
      optional || isThere(column) ? undefined : unknownColumn(column, 'property', pathsIn(first)) + hint;
    this.#require(problemOf);
  }

  #require(problemOf: (column: string, entry: Entry) => string | undefined): void {
    const problems = this.#targets.flatMap(({ path, entries }) =>
      entries.flatMap((entry) => columnsOf(entry).flatMap((column) => ({ path: path.join('.'), detail: problemOf(column, entry) }))),
    );
    const wrong = problems.flatMap(({ path, detail }) => (detail === undefined ? [] : [{ path, detail }]));
    if (wrong.length > 0) throw new WrongMap(this.#name, wrong);
  }
}

const SHOWN_COLUMNS_MAX = 60;

function unknownColumn(column: string, what: string, names: string[]): string {
  const shown = names.filter((name) => name !== '').slice(0, SHOWN_COLUMNS_MAX);
  const byStem = new Map(names.map((name) => [stemOf(name), name]));
  const meant = byStem.get(stemOf(column)) ?? meantBy(stemOf(column), byStem);
  const all = `${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
  return `names ${JSON.stringify(column)}, and there is no such ${what}${meant ? `: is ${JSON.stringify(meant)} meant?` : ''}; there are ${all}`;
}

const CREDENTIAL_RULE =
  'must begin with a constant text and |, which name where the accounts are from, such as "old-site|{author}": no column decides it';
const CREATOR_RULE = 'must be one number for all items; creator takes columns';

function startOf({ source }: Entry): string {
  if ('template' in source) return constantStart(source.template);
  return 'constant' in source ? String(source.constant) : '';
}

function problemsOf({ path, entries }: Target): MapProblem[] {
  const name = path.join('.');
  return entries.flatMap((entry) => {
    const { source } = entry;
    const ofFolder = 'template' in source && source.isFile ? problemOfFolder(source.template) : undefined;
    const detail = problemOfUser(name, entry) ?? ofFolder;
    return detail === undefined ? [] : [{ path: name, detail }];
  });
}

/** No text of a stranger decides which real user an item is of. */
function problemOfUser(name: string, entry: Entry): string | undefined {
  const { source, values, default: other } = entry;
  if (name === 'creatorId') return 'constant' in source && Number.isInteger(source.constant) ? undefined : CREATOR_RULE;
  if (name !== 'creator.credential') return undefined;
  if (values || other !== undefined) return 'must not have values or default';
  return /^[^|]*\S[^|]*\|/.test(startOf(entry)) ? undefined : CREDENTIAL_RULE;
}

function set(item: Item, path: string[], value: unknown): void {
  const [name = '', ...inner] = path;
  if (inner.length === 0) item[name] = value;
  else set((item[name] ??= {}) as Item, inner, value);
}

/** `fields`, the group, and its part. */
const PATH_OF_PART = 3;

/** @returns the paths of the declared groups whose columns are all empty: a constant beside them is no entry */
function emptyGroups(item: Item, targets: Target[]): string[][] {
  const parts = targets.filter(({ path, entries }) => path.length === PATH_OF_PART && entries.some((entry) => columnsOf(entry).length > 0));
  const byGroup = Map.groupBy(parts, ({ path }) => path[1] ?? '');
  const isEmpty = ({ path }: Target): boolean => valueAt(item, path.join('.')) === undefined;
  return [...byGroup].filter(([, ofGroup]) => ofGroup.every(isEmpty)).map(([name]) => ['fields', name]);
}

/** Who has no credential is no creator, and whom nobody has rated has no ratings. An average is a sum. */
function withoutParts(item: Item): Item {
  const { creator, ratings, ...others } = item as { creator?: Item; ratings?: Item };
  const rated = ratings && ratings['count'] !== undefined ? toRatings(ratings) : undefined;
  return { ...others, ...(creator?.['credential'] !== undefined && { creator }), ...(rated && { ratings: rated }) };
}

function toRatings({ average, ...ratings }: Item): Item {
  if (average === undefined || typeof average !== 'number' || typeof ratings['count'] !== 'number') return ratings;
  return { sum: Math.round(average * ratings['count']), ...ratings };
}
