import { FILTERS, PARAMETERS, type FilterName, type ParameterName, type View } from './parameters.ts';

/** What the page offers to sort by. Each is a value of the API's parameter `sort`. */
export const SORTS = [
  'relevance',
  'best',
  'trending',
  'createdAt,desc',
  'updatedAt,desc',
  'downloadsCount,desc',
  'avgRating,desc',
  'name,asc',
] as const;

const VALUES_MAX = 32;
/** What other sites add to links to count who follows them. */
const TRACKING = /^utm_|clid$/;

export const EVERYTHING = parseView('');

/** All items of a creator, the newest first. */
export const listOf = (creatorId: number): View => ({ ...EVERYTHING, creatorId: [creatorId], sort: ['createdAt,desc'] });

/** The filters, which `EVERYTHING` leaves open. */
export const NO_FILTERS = pick(EVERYTHING, Object.keys(FILTERS) as FilterName[]);

function pick<Name extends keyof View>(view: View, names: Name[]): Pick<View, Name> {
  return Object.fromEntries(names.map((name) => [name, view[name]])) as Pick<View, Name>;
}

/** Values that the page cannot show are `ignored`. */
export function parseView(queryString: string): View {
  const view: Record<string, unknown> = { ignored: [] };
  for (const [name, { usual }] of Object.entries(PARAMETERS)) view[name] = Array.isArray(usual) ? [] : usual;
  const given = new Set<string>();
  for (const [written, text] of new URLSearchParams(queryString)) {
    if (text === '' || TRACKING.test(written)) continue;
    const name = written.replace(/\[\]$/, '');
    if (!take(view, name, text, given)) (view['ignored'] as string[]).push(`${written}=${text}`);
    given.add(name);
  }
  return withoutUsualSort(view as View);
}

/** @param given the names before @returns false if the page does not understand it */
function take(view: Record<string, unknown>, name: string, text: string, given: ReadonlySet<string>): boolean {
  const value = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name as ParameterName].parse(text) : undefined;
  const list = view[name];
  const isTooMuch = Array.isArray(list) ? list.length === VALUES_MAX : given.has(name);
  if (value === undefined || isTooMuch) return false;
  if (Array.isArray(list)) list.push(value);
  else view[name] = value;
  return true;
}

/** The query string of the page's address, without a question mark and without what is as usual. */
export function formatView(view: View): string {
  // Without a prompt, a link says how the list is sorted: the API would sort otherwise.
  return format(isSortNamed(view) ? { ...view, sort: sortOf(view) } : view);
}

/** The query string of the list's request, without the parameters that are always the same. */
export function formatList(view: View): string {
  const { prompt, match, size } = view;
  const query = format({
    ...view,
    match: EVERYTHING.match,
    sort: sortOf(view),
    item: undefined,
    key: undefined,
    form: undefined,
    size: EVERYTHING.size,
  });
  // What is usual on the page is not what the API does without the parameter.
  return `${query}${prompt.trim() === '' ? '' : `&match=${match}`}&size=${size}`;
}

export function sortOf({ sort, prompt }: View): string[] {
  if (sort.length > 0) return sort;
  return [prompt.trim() === '' ? 'best' : 'relevance'];
}

function isSortNamed({ prompt, hidden }: View): boolean {
  return prompt.trim() === '' && !hidden;
}

/** So that a prompt that is typed next is sorted as usual. */
function withoutUsualSort(view: View): View {
  return isSortNamed(view) && view.sort.join() === 'best' ? { ...view, sort: [] } : view;
}

function format(view: View): string {
  const query = new URLSearchParams();
  for (const [name, { usual }] of Object.entries(PARAMETERS)) {
    const value = view[name as ParameterName];
    if (value === usual || value === undefined) continue;
    for (const each of [value].flat()) query.append(name, String(each));
  }
  return query.toString();
}

export type { View };
