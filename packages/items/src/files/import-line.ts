import type { Definitions } from '@ugc/fields/definition';
import { propertyOf } from '@ugc/fields/index-fields';
import { WRITTEN } from '@ugc/shared/contracts/content';
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { composeTexts, editSchema, type Edit } from '../fields/upload-schema.ts';
import type { UploadLimits } from '../fields/limits.ts';
import { parse, validate } from '../fields/json.ts';
import { Problem, type ErrorDetail } from '../problems/problem.ts';
import type { Heat } from '../changes/popularity.ts';
import { visibleText } from '../fields/text.ts';
import { Credential, UserName } from '../people/token-users.ts';
import { optional, pastTime } from './fields.ts';
import { heat } from './heat-of-line.ts';
import type { FieldsOfTags } from './fields-of-tags.ts';
import { readEndLine, type EndLine } from './file-ends.ts';
import { readPersonLine, type PersonLine } from './people-lines.ts';
import { problemOfTime, unpublished, visibilityOfLine, type VisibilityOfLine } from './unpublished-line.ts';

/** An item as an import gives it. `hash`: of the line, so that the same line is recognized. */
export type ImportLine = ImportedItem & {
  externalId: string;
  hash: Buffer;
  isDeleted: boolean;
  creatorId?: number | undefined;
  creator?: { credential: string; username?: string | undefined } | undefined;
};

type ImportedCounts = Pick<ImportedItem, 'downloadsCount' | 'latestDownloadsCount' | 'userDownloads' | 'latestUserDownloads'>;

/** Times are in milliseconds since 1970. Only a new item takes what is neither in `edit` nor `updatedAt`. */
export type ImportedItem = {
  edit: Edit;
  updatedAt?: number | undefined;
  createdAt?: number | undefined;
  downloadsCount?: number | undefined;
  latestDownloadsCount?: number | undefined;
  /** All downloads by default. */
  userDownloads?: number | undefined;
  latestUserDownloads?: number | undefined;
  heat?: Heat | undefined;
  ratings?: { count: number; sum: number } | undefined;
  hidden?: { reason: string; since?: number | undefined; by?: string | undefined; byBlock?: boolean | undefined } | undefined;
} & VisibilityOfLine;

/** `externalId` is undefined if the line has none. */
export type RejectedLine = { externalId: string | undefined; errors: ErrorDetail[] };

/** `value`: the JSON of the line; undefined if it is none. */
export type ReadLine = { value: unknown; line: ImportLine | PersonLine | RejectedLine | EndLine };

const MAX = Number.MAX_SAFE_INTEGER;
const COUNT_RULE = `must be an integer from 0 to ${MAX}, such as 12`;

/** Says what is wrong, and what would be right. */
const count = z.number({ error: ({ input }) => `${COUNT_RULE}, and not ${shown(input)}` }).check(({ value, issues }) => {
  if (Number.isSafeInteger(value) && value >= 0) return;
  const unknown = value < 0 ? '; leave the field out if the number is unknown' : '';
  issues.push({ code: 'custom', message: `${COUNT_RULE}, and not ${value}${unknown}`, input: value });
});

const SHOWN_MAX = 40;

function shown(input: unknown): string {
  if (input === undefined) return 'missing';
  if (typeof input === 'number') return String(input);
  const json = JSON.stringify(input);
  return json.length > SHOWN_MAX ? `${json.slice(0, SHOWN_MAX)}…` : json;
}

const USER_RULE = 'must be the id of a user: an integer from 1';

const ratings = z
  .object({ count, sum: count }, 'must be an object with count and sum')
  .check(({ value: { count: given, sum }, issues }) => {
    if (!isCount(given) || !isCount(sum) || (sum >= given && sum <= 5 * given)) return;
    const range = `${given} to ${5 * given} for a count of ${given}`;
    issues.push({ code: 'custom', message: `must have a sum from count to 5 x count: ${range}, and not ${sum}`, input: sum });
  });

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const creator = z.object({ credential: Credential, username: UserName.optional() }, 'must be an object with credential and username');

const hidden = z.object(
  {
    reason: visibleText({ max: 1_000 }),
    since: optional(pastTime),
    by: optional(visibleText({ max: 1_000 })),
    byBlock: optional(z.boolean('must be true or false')),
  },
  'must be an object with reason',
);

const WITHOUT_ID: ErrorDetail = {
  pointer: '#/externalId',
  detail: 'is required: a text that names the item for every later import, such as "mods/81"',
};
const externalId = visibleText({ max: 200 });
const origin = {
  creatorId: optional(z.int(USER_RULE).min(1, USER_RULE)),
  creator: optional(creator),
  createdAt: optional(pastTime),
};
/** Only the valid fields of the origin count. */
const Deleted = z.object({
  externalId,
  deleted: z.literal(true),
  creatorId: origin.creatorId.catch(undefined),
  creator: origin.creator.catch(undefined),
  createdAt: origin.createdAt.catch(undefined),
});

/** Undefined and null are the same, but for the fields of an edit, of which null removes the optional ones. */
export function itemSchema(limits: UploadLimits) {
  return editSchema(limits)
    .extend({
      externalId,
      deleted: optional(z.literal(false, 'must be true or false')),
      ...origin,
      updatedAt: optional(pastTime),
      downloadsCount: optional(count),
      latestDownloadsCount: optional(count),
      userDownloads: optional(count),
      latestUserDownloads: optional(count),
      heat: optional(heat),
      ratings: optional(ratings),
      hidden: optional(hidden),
      ...visibilityOfLine,
    })
    .check(({ value, issues }) => {
      const add = (field: string, message: string) => issues.push({ code: 'custom', path: [field], message, input: value });
      if (value.creator && value.creatorId) add('creator', 'must not be given beside creatorId');
      const ofTime = problemOfTime(value);
      if (ofTime) add('publishAt', ofTime);
      for (const [field, problem] of problemsOfDownloads(value)) add(field, problem);
      if ((value.updatedAt ?? Infinity) < (value.createdAt ?? -Infinity)) add('updatedAt', 'must not be before createdAt');
    });
}

/** Each number of downloads is a part of those after it. */
const PARTS_OF: [keyof ImportedCounts, ...(keyof ImportedCounts)[]][] = [
  ['latestDownloadsCount', 'downloadsCount'],
  ['userDownloads', 'downloadsCount'],
  ['latestUserDownloads', 'latestDownloadsCount', 'userDownloads'],
];

/** A number that is wrong by itself has an error of its own. */
function problemsOfDownloads(counts: ImportedCounts): [field: string, problem: string][] {
  return PARTS_OF.flatMap(([part, ...wholes]): [string, string][] => {
    const count = counts[part];
    if (!isCount(count) || count === 0) return [];
    const missing = wholes.find((whole) => counts[whole] === undefined);
    if (missing) return [[part, `must not be given without ${missing}`]];
    const less = wholes.find((whole) => isCount(counts[whole]) && count > counts[whole]);
    return less ? [[part, `must not exceed ${less}, which is ${counts[less]}`]] : [];
  });
}

/** What only an export writes, for people and for other programs. */
const EXPORTED = ['contentId', 'hasThumbnail'];

/** @returns the names of the fields of a line, and those of the fields within some of them */
export function fieldsOf(limits: UploadLimits, declared: Definitions): Map<string, string[]> {
  const names = [...Object.keys(itemSchema(limits).shape), ...EXPORTED];
  const inner: Record<string, string[]> = { fields: [...declared.keys()] };
  for (const [name, { shape }] of Object.entries({ creator, ratings, hidden, heat, unpublished })) inner[name] = Object.keys(shape);
  const isRead = (name: string): boolean => name !== 'fields' || declared.size > 0;
  return new Map(names.filter(isRead).map((name) => [name, inner[name] ?? []]));
}

type ItemSchema = ReturnType<typeof itemSchema>;
/** What an import accepts and an export writes. */
export type ItemLine = z.input<ItemSchema>;

const NOT_UTF_8 = {
  pointer: '#',
  detail: 'is not valid JSON in UTF-8; if its bytes are of the encoding of Windows: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW.ndjson',
};

export type LineRules = { limits: UploadLimits; declared: Definitions; fieldsOfTags: FieldsOfTags };

/** @returns a function that reads the JSON of a line, whose rules and messages are those of an upload */
export function lineParser({ limits, declared, fieldsOfTags }: LineRules): (bytes: Buffer) => ReadLine {
  const Item = itemSchema(limits);
  const toImportLine = (value: unknown, bytes: Buffer): ImportLine => {
    const hashWith = (salt: string): Buffer => createHash('sha256').update(bytes).update(salt).digest();
    if (isDeletion(value)) return { ...validate(Deleted, value), hash: hashWith(''), isDeleted: true, edit: {} };
    const line = toLine(validate(Item, value));
    // A line whose fields, or tags, were read in another way is not the same.
    const salt = saltOf(line.edit.fields, declared) + (line.edit.tags ? fieldsOfTags.salt : '');
    return { ...line, edit: fieldsOfTags.move(line.edit), hash: hashWith(salt) };
  };
  return (bytes) => {
    let value: unknown;
    try {
      value = parse(bytes);
      return { value, line: readEndLine(value) ?? readPersonLine(value) ?? toImportLine(value, bytes) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { value, line: { externalId: idOf(value), errors: isUtf8(bytes) ? errorsOf(error, value) : [NOT_UTF_8] } };
    }
  };
}

/** @returns empty for a line without declared fields */
function saltOf(fields: unknown, declared: Definitions): string {
  if (declared.size === 0 || !fields) return '';
  const properties = Object.keys(fields).flatMap((name) => {
    const definition = declared.get(name);
    return definition ? [propertyOf(name, definition)] : [];
  });
  return ['', 'fields', ...properties].join('\n');
}

function toLine(item: z.output<ItemSchema>): Omit<ImportLine, 'hash'> {
  // A field that the line lacks stays as it is.
  const given = [...WRITTEN, 'thumbnail' as const].map((field) => [field, item[field]]).filter(([, value]) => value !== undefined);
  return { ...item, isDeleted: false, edit: composeTexts<Edit>(Object.fromEntries(given)) };
}

function errorsOf({ errors, message }: Problem, value: unknown): ErrorDetail[] {
  const hasId = typeof value === 'object' && value !== null && 'externalId' in value;
  return errors?.map((error) => (!hasId && error.pointer === WITHOUT_ID.pointer ? WITHOUT_ID : error)) ?? [{ detail: message }];
}

function isDeletion(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'deleted' in value && value.deleted === true;
}

function idOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('externalId' in value)) return undefined;
  return typeof value.externalId === 'string' ? value.externalId.slice(0, 200) : undefined;
}

const REQUIRED = ['name', 'description', 'version', 'data'] as const;

/** @returns what a new item lacks; empty if it can be stored once its creator is found */
export function missingFields({ edit, creatorId, creator: user }: ImportLine): ErrorDetail[] {
  const missing: string[] = REQUIRED.filter((field) => edit[field] === undefined);
  if (creatorId === undefined && user === undefined) missing.push('creator');
  return missing.map((field) => ({ pointer: `#/${field}`, detail: 'is required for a new item' }));
}
