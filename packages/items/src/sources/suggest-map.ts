import type { Definitions } from '@ugc/fields/definition';
import { stemOf } from '../fields/meant-names.ts';
import { fieldsMeantBy } from '../files/unknown-fields.ts';
import { fieldName, isNamed, labelOf, lastOf } from './column-names.ts';
import { decimalSign, describeColumn, flagWords, type Described } from './describe-column.ts';
import { isNumber, pathsIn, scalarText, valueAt } from './exact-json.ts';
import type { Values } from './record.ts';

/** `base`: what external ids and credentials begin with. `separator` and `list`: how the file was read. */
export type SuggestOptions = {
  base: string;
  declared: Definitions;
  separator?: string | undefined;
  list?: string | undefined;
  /** The template of a file that a text of a column names, such as `covers/{image}`; undefined if there is none. */
  fileFor: (column: string, texts: string[]) => string | undefined;
};

/** `declare`: fields that the columns without one could be. `remarks`: what a person has to decide. */
export type Suggestion = { map: Record<string, unknown>; declare: Record<string, object>; remarks: string[] };

type Column = {
  name: string;
  texts: string[];
  isList: boolean;
  isNumber: boolean;
  described: Described;
  fields: { field: string; rank: number }[];
};

/** @param columns those of the header; undefined for JSON @param sample the first objects */
export function suggestMap(columns: string[] | undefined, sample: Values[], options: SuggestOptions): Suggestion {
  return new Suggester(columns, sample, options).suggest();
}

const PICTURES = /\.(png|jpe?g|webp|gif)$/;
const SPLITS = [';', '|', ','];
const COUNTS = ['votes', 'votecount', 'ratingcount', 'ratingscount', 'numratings', 'reviewcount'];
const AVERAGES = ['rating', 'averagerating', 'avgrating', 'score', 'stars', 'average'];
const ACCOUNTS = ['id', 'login', 'username', 'slug', 'key', 'handle'];

class Suggester {
  readonly #options: SuggestOptions;
  readonly #columns: Column[];
  readonly #rows: number;
  readonly #decimal: '.' | ',';
  readonly #used = new Set<string>();
  readonly #remarks: string[] = [];

  constructor(names: string[] | undefined, sample: Values[], options: SuggestOptions) {
    this.#options = options;
    this.#rows = sample.length;
    const given = [...new Set(names ?? pathsIn(sample))].filter((name) => name !== '');
    const all = given.map((name) => ({ name, ...textsOf(name, sample) }));
    this.#decimal = decimalSign(all.flatMap(({ texts, isNumber }) => (isNumber ? [] : texts)), options.separator); // prettier-ignore
    this.#columns = all.map((column) => ({
      ...column,
      described: describeColumn(column.texts, column.isNumber ? '.' : this.#decimal),
      fields: meantBy(column.name),
    }));
  }

  suggest(): Suggestion {
    const { separator, list, base } = this.#options;
    const id = this.#id();
    const map: Record<string, unknown> = {
      ...(separator !== undefined && separator !== ',' && { separator }),
      ...(list !== undefined && { list }),
      ...(this.#decimal === ',' && { decimal: ',' }),
      externalId: `${base}/${braced(id.name)}`,
    };
    map['name'] = this.#take('name', () => true)?.name ?? map['externalId'];
    const declared = this.#declared();
    map['description'] = this.#take('description', () => true)?.name ?? { value: '' };
    map['version'] = this.#version();
    map['data'] = this.#data();
    this.#addOptional(map, id);
    if (Object.keys(declared).length > 0) map['fields'] = declared;
    return { map, declare: this.#declare(), remarks: this.#remarks };
  }

  #addOptional(map: Record<string, unknown>, id: Pick<Column, 'name' | 'texts'>): void {
    const tags = this.#take('tags', ({ described }) => described.type !== 'number' && described.type !== 'date');
    if (tags) map['tags'] = this.#list(tags);
    map['creator'] = this.#creator();
    const picture = this.#picture(id);
    if (picture !== undefined) map['thumbnail'] = { file: picture };
    for (const field of ['createdAt', 'updatedAt']) {
      const column = this.#take(field, ({ described }) => described.type === 'date');
      const date = column && this.#date(column, field);
      if (date !== undefined) map[field] = date;
    }
    const downloads = this.#take('downloadsCount', ({ described }) => described.type === 'number');
    if (downloads) map['downloadsCount'] = downloads.name;
    const ratings = this.#ratings();
    if (ratings) map['ratings'] = ratings;
  }

  /** The likeliest column of a field that is not taken yet. */
  #take(field: string, fits: (column: Column) => boolean): Column | undefined {
    const rank = ({ fields }: Column): number => fields.find((each) => each.field === field)?.rank ?? Infinity;
    const candidates = this.#columns.filter(
      (column) => rank(column) < Infinity && !this.#used.has(column.name) && column.texts.length > 0 && fits(column),
    );
    const [first] = candidates.toSorted((one, other) => rank(one) - rank(other));
    if (first) this.#used.add(first.name);
    return first;
  }

  #id(): Pick<Column, 'name' | 'texts'> {
    const isId = ({ texts, isList }: Column): boolean => !isList && texts.length === this.#rows && new Set(texts).size === texts.length;
    const found = this.#take('externalId', isId) ?? this.#columns.find((column) => isId(column) && column.described.type !== 'date');
    if (found) return found;
    this.#remarks.push(
      'No column has another text in each row, so nothing names an item: choose columns for externalId, such as "{a}/{b}".',
    );
    return this.#columns[0] ?? { name: 'id', texts: [] };
  }

  /** Pictures may have the name of a column, or that of the id. */
  #picture(id: Pick<Column, 'name' | 'texts'>): string | undefined {
    const { fileFor } = this.#options;
    const picture = this.#take('thumbnail', ({ texts, name }) => fileFor(name, texts) !== undefined);
    if (picture) return fileFor(picture.name, picture.texts);
    const file = fileFor(id.name, id.texts);
    return file !== undefined && PICTURES.test(file) ? file : undefined;
  }

  #version(): unknown {
    const version = this.#take('version', ({ texts }) => texts.every((text) => /^\d{1,9}$/.test(text)));
    if (!version) return 1;
    return version.texts.length < this.#rows ? { from: version.name, default: 1 } : version.name;
  }

  #data(): unknown {
    const column = this.#take('data', () => true);
    if (!column) return { value: '' };
    const file = this.#options.fileFor(column.name, column.texts);
    return file === undefined ? column.name : { file };
  }

  #list({ name, texts, isList }: Column): unknown {
    const count = (sign: string): number => texts.filter((text) => text.includes(sign)).length;
    const [split = ','] = SPLITS.toSorted((one, other) => count(other) - count(one));
    return isList || count(split) === 0 ? name : { from: name, split };
  }

  #creator(): object {
    const { base } = this.#options;
    const isName = ({ isList, described }: Column): boolean => !isList && described.type !== 'date';
    const user = this.#take('creator', isName);
    if (!user) return { credential: { value: `${base}|import` }, username: { value: base } };
    const [outer] = user.name.split('.');
    const siblings = this.#columns.filter(({ name }) => name.startsWith(`${outer}.`) && user.name.includes('.'));
    const last = ({ name }: Column): string => stemOf(lastOf(name));
    const account = siblings.find((column) => ACCOUNTS.includes(last(column))) ?? user;
    const shown = siblings.find((column) => ['name', 'displayname', 'nickname', 'username'].includes(last(column))) ?? account;
    for (const { name } of [account, shown]) this.#used.add(name);
    return { credential: `${base}|${braced(account.name)}`, username: shown.name };
  }

  /** @param isDay whether the field has no time */
  #date({ name, described, texts }: Column, field: string, isDay = false): unknown {
    if (described.type !== 'date') return undefined;
    if (described.plain && !(isDay && described.plain === 'time')) return name;
    const [form = '', other] = described.forms;
    if (other === undefined) return { from: name, date: form };
    this.#remarks.push(
      `${name} has dates such as ${texts[0]}, which ${form} reads and ${other} too. Choose: "${field}": {"from": "${name}", "date": "${form}"}`,
    );
    return undefined;
  }

  #ratings(): object | undefined {
    const find = (stems: string[], fits: (value: number) => boolean): Column | undefined =>
      this.#columns.find(({ name, texts, described }) => {
        const isOne = stems.includes(stemOf(lastOf(name))) && described.type === 'number' && !this.#used.has(name);
        return isOne && texts.every((text) => fits(Number(text.replace(',', '.'))));
      });
    const count = find(COUNTS, (value) => Number.isInteger(value) && value >= 0);
    const average = find(AVERAGES, (value) => value >= 1 && value <= 5);
    if (!count || !average) return undefined;
    for (const { name } of [count, average]) this.#used.add(name);
    return { count: count.name, average: average.name };
  }

  /** What the operator has declared is meant before what other programs call a field of the service. */
  #declared(): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const [field, { type, many, label }] of this.#options.declared) {
      const find = (fits: (name: string) => boolean): Column | undefined => this.#columns.find(({ name }) => fits(name));
      const column = find((name) => labelOf(name) === label) ?? find((name) => isNamed(name, field));
      if (!column || type === 'group') continue;
      this.#used.add(column.name);
      const path = `fields.${field}`;
      const entry =
        type === 'date' ? this.#date(column, path, true) : type === 'flag' ? flag(column) : many ? this.#list(column) : column.name;
      if (entry !== undefined) fields[field] = entry;
    }
    return fields;
  }

  /** What people may filter by. A text without an end is none. */
  #declare(): Record<string, object> {
    const free = this.#columns.filter(({ name, described }) => !this.#used.has(name) && !['empty', 'text'].includes(described.type));
    const declare: Record<string, object> = {};
    for (const { name, described, isList } of free) {
      const field = fieldName(name, this.#options.declared, declare);
      const label = isNamed(name, field) ? {} : { label: labelOf(name) };
      declare[field] = { type: described.type, ...label, ...(isList && { many: true }) };
    }
    return declare;
  }
}

function textsOf(name: string, sample: Values[]): Pick<Column, 'texts' | 'isList' | 'isNumber'> {
  const found = sample.map((values) => valueAt(values, name));
  const texts = found.flat().map((value) => scalarText(value)?.trim() ?? '').filter((text) => text !== ''); // prettier-ignore
  const given = found.flat().filter((value) => value !== undefined && value !== null);
  return { texts, isList: found.some((value) => Array.isArray(value)), isNumber: given.length > 0 && given.every(isNumber) };
}

/** A column of JSON may be named by what it is in: `author.name`, or by itself: `properties.title`. */
function meantBy(name: string): { field: string; rank: number }[] {
  const [outer, inner] = [fieldsMeantBy(name), fieldsMeantBy(lastOf(name))];
  return outer.every(({ field }) => field === 'fields') ? inner : outer;
}

function braced(column: string): string {
  return `{${column}}`;
}

function flag({ name, texts }: Column): unknown {
  const words = flagWords(texts);
  if (!words || ['true', 'yes', 'y', '1'].includes(words.yes)) return name;
  const asWritten = [...new Set(texts)].map((text) => [text, text.toLowerCase() === words.yes]);
  return { from: name, values: Object.fromEntries(asWritten) as object };
}
