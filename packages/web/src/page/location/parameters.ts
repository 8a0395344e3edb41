/** The parameters of the page's address. Those of a list have the names and values of the API's. */

/** `usual` is the value without the parameter. `parse` returns undefined for a text that the page does not understand. */
type Parameter<T> = { usual: T; parse: (text: string) => (T extends (infer Each)[] ? Each : T) | undefined };

const single = <T>(usual: T, parse: (text: string) => T | undefined): Parameter<T> => ({ usual, parse }) as Parameter<T>;
const several = <T>(parse: (text: string) => T | undefined): Parameter<T[]> => ({ usual: [] as T[], parse });
const oneOf = <const T extends string>(values: readonly T[]) => (text: string) => values.find((value) => value === text); // prettier-ignore
const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);
const numberUpTo =
  (max: number, pattern = /^\d{1,16}$/) =>
  (text: string) =>
    // prettier-ignore
    pattern.test(text) && Number(text) <= max ? Number(text) : undefined;
const isTrue = (text: string): boolean | undefined => (text === 'true' || text === 'false' ? text === 'true' : undefined);

const integer = numberUpTo(Number.MAX_SAFE_INTEGER);
const id = (text: string): number | undefined => integer(text) || undefined;
const word = (text: string): string => text;
/** The API refuses a longer prompt. The unit is a UTF-16 code unit. */
export const PROMPT_MAX_LENGTH = 1_000;
/** Without half of a character at the end. */
const cut = (text: string): string => text.slice(0, PROMPT_MAX_LENGTH).replace(/[\ud800-\udbff]$/, '');
/** A date, or a time with an offset. */
const time = matching(/^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[-+ ]\d\d:\d\d))?$/);
const FIELDS =
  'relevance|best|trending|hot|contentId|creatorId|creatorName|name|version|downloadsCount|latestDownloadsCount|avgRating|createdAt|updatedAt|fields\\.[a-z][A-Za-z0-9]{0,39}';

/** What narrows a list: each has its name and what takes it away among the active filters (`filtersOf`). */
export const FILTERS = {
  /** Items must have all of them. */
  tags: several(word),
  anyTags: several(word),
  excludeTags: several(word),
  creatorId: several(id),
  excludeCreatorId: several(id),
  minRating: single(0, numberUpTo(5, /^\d(\.\d{1,9})?$/)),
  minDownloads: single(0, integer),
  maxDownloads: single<number | undefined>(undefined, integer),
  minRecent: single(0, integer),
  /** A date such as 2026-11-20; empty for all times. */
  createdFrom: single('', time),
  /** This time itself is not included. */
  createdTo: single('', time),
  updatedFrom: single('', time),
  updatedTo: single('', time),
  /** Conditions on declared fields, such as `players:>=4`. */
  where: several(word),
  whereAll: several(word),
  whereNot: several(word),
};

export type FilterName = keyof typeof FILTERS;

export const PARAMETERS = {
  prompt: single('', cut),
  /** Whether misspelt words are corrected. */
  correct: single(true, isTrue),
  /** How many words of the prompt an item must have. The API's own default, `most`, is in the address of a link to more items. */
  match: single('closest', oneOf(['closest', 'any', 'most', 'all'])),
  /** Whether the meaning counts for the order. */
  semantic: single(true, isTrue),
  ...FILTERS,
  /** Empty: best matches first with a prompt, popular items first without. */
  sort: several(matching(new RegExp(`^(${FIELDS})(,(asc|desc)?)?$`, 'i'))),
  /** Hidden items, all own items, or those that wait for a review, instead of all others. */
  hidden: single<true | 'mine' | 'review' | undefined>(undefined, (text) => text === 'true' || oneOf(['mine', 'review'])(text)),
  size: single(24, id),
  /** The first page is 0. */
  page: single(0, integer),
  /** The id of the item that is open. */
  item: single<number | undefined>(undefined, id),
  /** With which an unlisted item is read. */
  key: single<string | undefined>(undefined, matching(/^[\w-]{16,100}$/)),
  /** What is open besides the list. */
  form: single<'upload' | 'edit' | undefined>(undefined, oneOf(['upload', 'edit'])),
};

export type ParameterName = keyof typeof PARAMETERS;

/** What the page shows, and what the address contains besides. */
export type View = { [Name in ParameterName]: (typeof PARAMETERS)[Name] extends Parameter<infer T> ? T : never } & { ignored: string[] };
