import type { estypes } from '@elastic/elasticsearch';
import { z } from 'zod';
import { integerFrom } from '@ugc/items/fields/numbers';
import { storableText } from '@ugc/items/fields/text';
import { PROMPT_MAX_CHARACTERS, type Limits } from '../env.ts';
import { boolean, flags, parseNumber, repeatable, single } from '../http/query-parameters.ts';
import { formatPlace, parsePlace } from './pages/place.ts';
import type { Asked } from './answerable.ts';
import { filterParameters } from './filters.ts';

export const SORTABLE = [
  'relevance',
  'best',
  'trending',
  'hot',
  'contentId',
  'creatorId',
  'creatorName',
  'name',
  'version',
  'downloadsCount',
  'latestDownloadsCount',
  'avgRating',
  'createdAt',
  'updatedAt',
] as const;
export type SortField = (typeof SORTABLE)[number];
const DESCENDING: SortKey['field'][] = ['relevance', 'best', 'trending', 'hot'];
/** A declared field that the list is sorted by. */
export type FieldKey = `fields.${string}`;
export type SortKey = { field: SortField | FieldKey; direction: 'asc' | 'desc' };

export const DEFAULT_PAGE_SIZE = 10;
const MAX_PAGE = 2_147_483_647;
const MAX_SORT_KEYS = 4;

const PROMPT_DESCRIPTION = `Matched against name, tags, description and creator name; a match in the name counts most, then one in a tag.
Word forms, accents and small typing errors are tolerated, and the last word also matches as a prefix.
A "quoted phrase" of up to 20 words must occur exactly, a longer one only ranks; -word excludes a word.`;
const MATCH_DESCRIPTION = `How many words of the prompt an item must contain. \`any\`: one. \`all\`: all of them. \`most\`: two words
must match; if the prompt has more than eight words, one. \`closest\`: as many as some item has, whatever the filters, and
at least those of \`most\`; if the filters leave no item with so many words, as \`most\`.`;
const CORRECT_DESCRIPTION = `With \`false\`, each word is searched for only as it is typed and as its stem: it is not corrected or split,
and has no other way of writing and no synonym. Adjacent words are not joined.`;
const SORT_DESCRIPTION = `A sort key: \`field\`, \`field,asc\` or \`field,desc\`. Repeat the parameter to add keys. The fields are
${SORTABLE.map((field) => `\`${field}\``).join(', ')}.
\`relevance\` sorts by how well the prompt matches. \`best\` sorts by it too, and by ratings, downloads and age; without
a prompt by these alone. A list can have only one of the two. \`trending\` sorts by what has been popular in the last days,
and \`hot\` in the last hours; items without an event are last. Without a direction, these four sort in descending order and
all other fields in ascending order. The direction may be in any letter case. A declared field is a sort key too, such as
\`fields.players,desc\`: of many values, the smallest or the largest counts, and items without a value are last.`;

const SEMANTIC_DESCRIPTION = `With \`false\`, \`relevance\` and \`best\` rank by words only. Otherwise the first 100 matches are
ranked by meaning too, if the service does so; the matches are the same.`;
const TOTALS_DESCRIPTION = `With \`false\`, the page is without \`totalElements\` and \`totalPages\`, and items beyond the page need
not be counted. \`last\` is exact.`;
const AFTER_DESCRIPTION = `The place behind which the page begins: \`next\` of the page before it (\`include=next\`), or the
value in its \`Link\` header. Such a page is without totals, and \`number\` is 0. Only for the order \`createdAt,desc\`,
without \`page\`.`;
const FIELDS_DESCRIPTION = `With \`summary\`, the items are without \`data\`, which may be large. Without the parameter they have all fields.`;

/** What clients should write. Lists also accept what `sortKeyPattern` matches. */
export const SortKeyText = z
  .enum(SORTABLE.flatMap((field) => [field, `${field},asc` as const, `${field},desc` as const]))
  .meta({ id: 'SortKey' });

// Angular writes a direction that is not chosen as an empty text.
const sortKeyPattern = `^(${SORTABLE.join('|')}|fields\\.[A-Za-z0-9.]{1,100})(,([aA][sS][cC]|[dD][eE][sS][cC])?)?$`;
const sortKey = z
  .string()
  .regex(
    new RegExp(sortKeyPattern),
    `must be <field>, <field>,asc or <field>,desc, where <field> is one of ${SORTABLE.join(', ')}, or fields. and the name of a declared field`,
  )
  .transform(toSortKey);

const place = z
  .string()
  .transform((text, ctx) => {
    const found = parsePlace(text);
    if (!found)
      ctx.addIssue({
        code: 'custom',
        message: 'must be `next` of a page of this list (include=next), or the value in its Link header, unchanged',
      });
    return found ?? z.NEVER;
  })
  .meta({ example: formatPlace({ createdAtMs: Date.UTC(2026, 10, 20, 9, 30), contentId: 157 }) });

const INCLUDED = {
  description:
    'Additional fields of each item. `thumbnail` adds `hasThumbnail`, `fields` the values of declared fields, `recent` about how many downloads there were lately, `visibility` who sees the item.',
  example: ['tags'],
};
export const include = flags(['tags', 'fileName', 'thumbnail', 'fields', 'recent', 'visibility']).meta(INCLUDED);
/** Of a list. */
const listInclude = flags(['tags', 'fileName', 'thumbnail', 'fields', 'recent', 'visibility', 'next']).meta({
  ...INCLUDED,
  description:
    'Additional fields of each item. `thumbnail` adds `hasThumbnail`, `fields` the values of declared fields, `recent` about how many downloads there were lately, `visibility` is `public`. `next` is one of the page: the place where the next page begins.',
});
export type Include = z.output<typeof listInclude>;
export const fields = single(z.enum(['summary'], 'must be summary').optional()).describe(FIELDS_DESCRIPTION);

/** @returns what is asked of the index for what the items of a list include */
export function askedOf(included: Include): Asked[] {
  return included.includes('recent') ? [{ parameter: 'include', fields: ['heatWeek'] }] : [];
}

/** What is read of the items. */
export function sourceOf(given: z.output<typeof fields>): { _source?: estypes.SearchSourceConfig } {
  return given === 'summary' ? { _source: { excludes: ['data'] } } : {};
}

const KEY_RULE = 'must be the `key` of an unlisted item, unchanged';
const key = single(
  z
    .string()
    .regex(/^[\w-]{16,100}$/, KEY_RULE)
    .optional(),
).describe('That of an unlisted item, with which others than its creator may read, rate and download it.');
/** Endpoints take them by which others than the creator of an unlisted item may use it. */
export const KeyParameters = { schema: z.object({ key }), invalid: 'key=1' };

export const ItemParameters = z.object({
  include: flags(['tags', 'fileName', 'thumbnail', 'ratingCount', 'fields', 'recent', 'visibility']).meta(INCLUDED),
  key,
});

export function matchParameters(limits: Limits) {
  return {
    prompt: single(storableText({ min: 0, max: PROMPT_MAX_CHARACTERS }).default('')).meta({
      description: PROMPT_DESCRIPTION,
      example: 'lighthouse',
    }),
    match: single(z.enum(['any', 'most', 'all', 'closest'], 'must be any, most, all or closest').default('most')).describe(
      MATCH_DESCRIPTION,
    ),
    correct: boolean(true).describe(CORRECT_DESCRIPTION),
    ...filterParameters(limits),
  };
}

export type MatchParameters = z.output<z.ZodObject<ReturnType<typeof matchParameters>>>;

export function pageParameters(limits: Limits) {
  return {
    page: single(integerFrom(0, MAX_PAGE).default(0), parseNumber).describe('The zero-based page number.'),
    size: single(integerFrom(1, limits.PAGE_MAX_SIZE).default(DEFAULT_PAGE_SIZE), parseNumber).describe('The number of items per page.'),
  };
}

export function listParameters(limits: Limits) {
  return z.object({
    ...matchParameters(limits),
    highlight: boolean(false).describe('With `true`, each item contains `highlights`: what the prompt matches in it, as HTML.'),
    explain: boolean(false).describe(
      'With `true`, the page contains `interpretation`: how the prompt was understood. By `relevance` and `best`, each item contains `reasons`.',
    ),
    ...pageParameters(limits),
    after: single(place.optional()).describe(AFTER_DESCRIPTION),
    sort: repeatable(z.array(sortKey).prefault(['createdAt,desc']), { max: MAX_SORT_KEYS }).meta({
      description: SORT_DESCRIPTION,
      example: ['relevance'],
    }),
    totals: boolean(true).describe(TOTALS_DESCRIPTION),
    semantic: boolean(true).describe(SEMANTIC_DESCRIPTION),
    include: listInclude,
    fields,
  });
}

export type ListParameters = z.output<ReturnType<typeof listParameters>>;

function toSortKey(text: string): SortKey {
  const [field, direction] = text.split(',') as [SortKey['field'], string?];
  const descending = direction ? direction.toLowerCase() === 'desc' : DESCENDING.includes(field);
  return { field, direction: descending ? 'desc' : 'asc' };
}
