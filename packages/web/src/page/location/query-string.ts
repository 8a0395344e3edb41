/** Each is a value of the API's parameter `sort`. */
export const SORTS = [
  'relevance',
  'best',
  'createdAt,desc',
  'updatedAt,desc',
  'downloadsCount,desc',
  'avgRating,desc',
  'name,asc',
] as const;
export type Sort = (typeof SORTS)[number];

/** What the page shows. The list's part has the names and values of the API's parameters. */
export type View = {
  prompt: string;
  /** Whether misspelt words are corrected. */
  correct: boolean;
  match: 'most' | 'any';
  /** Items must have all of them. */
  tags: string[];
  creatorId: number[];
  minRating: number;
  minDownloads: number;
  /** A date such as 2026-11-20; empty for all times. */
  createdFrom: string;
  /** Undefined: best matches first with a prompt, newest first without. */
  sort: Sort | undefined;
  /** Hidden items, instead of all others. */
  hidden: true | undefined;
  /** The first page is 0. */
  page: number;
  /** The id of the item that is open. */
  item: number | undefined;
  /** What is open besides the list. */
  form: 'upload' | 'edit' | undefined;
};

export const EVERYTHING: View = {
  prompt: '',
  correct: true,
  match: 'most',
  tags: [],
  creatorId: [],
  minRating: 0,
  minDownloads: 0,
  createdFrom: '',
  sort: undefined,
  hidden: undefined,
  page: 0,
  item: undefined,
  form: undefined,
};

/** The filters, which `EVERYTHING` leaves open. */
export const NO_FILTERS = { tags: [], creatorId: [], minRating: 0, minDownloads: 0, createdFrom: '' };

const VALUES_MAX = 32;

/** Values that the page cannot show are left out. */
export function parseView(queryString: string): View {
  const parameters = new URLSearchParams(queryString);
  const text = (name: string): string => parameters.get(name) ?? '';
  return {
    prompt: text('prompt'),
    correct: text('correct') !== 'false',
    match: text('match') === 'any' ? 'any' : 'most',
    tags: parameters.getAll('tags').slice(0, VALUES_MAX),
    creatorId: parameters.getAll('creatorId').map(toInteger).filter(Boolean).slice(0, VALUES_MAX),
    minRating: Math.min(toInteger(text('minRating')), 5),
    minDownloads: toInteger(text('minDownloads')),
    createdFrom: /^\d{4}-\d\d-\d\d$/.test(text('createdFrom')) ? text('createdFrom') : '',
    sort: SORTS.find((sort) => sort === text('sort')),
    hidden: text('hidden') === 'true' || undefined,
    page: toInteger(text('page')),
    item: toInteger(text('item')) || undefined,
    form: text('form') === 'upload' || text('form') === 'edit' ? (text('form') as 'upload' | 'edit') : undefined,
  };
}

/** The query string of the page's address, without a question mark and without what is as usual. */
export function formatView(view: View): string {
  const parameters = new URLSearchParams(listParameters(view));
  if (view.item !== undefined) parameters.set('item', String(view.item));
  if (view.form !== undefined) parameters.set('form', view.form);
  return parameters.toString();
}

/** The query string of the list's request, without the parameters that are always the same. */
export function formatList(view: View): string {
  return new URLSearchParams(listParameters({ ...view, sort: sortOf(view) })).toString();
}

export function sortOf({ sort, prompt }: View): Sort {
  return sort ?? (prompt.trim() === '' ? 'createdAt,desc' : 'relevance');
}

function listParameters(view: View): [string, string][] {
  const parameters: [string, string | number | false | undefined][] = [
    ['prompt', view.prompt],
    ['correct', !view.correct && 'false'],
    ['match', view.match === 'any' && 'any'],
    ...view.tags.map((tag): [string, string] => ['tags', tag]),
    ...view.creatorId.map((id): [string, number] => ['creatorId', id]),
    ['minRating', view.minRating],
    ['minDownloads', view.minDownloads],
    ['createdFrom', view.createdFrom],
    ['sort', view.sort],
    ['hidden', view.hidden && 'true'],
    ['page', view.page],
  ];
  return parameters.flatMap(([name, value]): [string, string][] => (value ? [[name, String(value)]] : []));
}

function toInteger(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
