import { describeCondition, describeConditions, readCondition } from './conditions.ts';
import { otherDay } from './other-day.ts';
import type { FilterName } from './parameters.ts';
import { EVERYTHING, type View } from './query-string.ts';

export type ActiveFilter = { key: string; label: string; without: Partial<View> };
export type NameOf = (creatorId: number, otherwise: string) => string;

/** How each filter is shown. */
const ACTIVE: Record<FilterName, (view: View, nameOf: (creatorId: number) => string) => ActiveFilter[]> = {
  tags: (view) => each(view, 'tags', (tag) => tag),
  anyTags: ({ anyTags }) => (anyTags.length > 0 ? [{ key: 'anyTags', label: anyTags.join(' or '), without: { anyTags: [] } }] : []),
  excludeTags: (view) => each(view, 'excludeTags', (tag) => `without ${tag}`),
  creatorId: (view, nameOf) => each(view, 'creatorId', (id) => `by ${nameOf(id)}`),
  excludeCreatorId: (view, nameOf) => each(view, 'excludeCreatorId', (id) => `not by ${nameOf(id)}`),
  minRating: (view) => one(view, 'minRating', `rated ${view.minRating} or better`),
  minDownloads: (view) => one(view, 'minDownloads', `${view.minDownloads} downloads or more`),
  maxDownloads: (view) => one(view, 'maxDownloads', `${view.maxDownloads} downloads or fewer`),
  minRecent: (view) => one(view, 'minRecent', `${view.minRecent} downloads lately or more`),
  createdFrom: (view) => one(view, 'createdFrom', `since ${view.createdFrom}`),
  createdTo: (view) => one(view, 'createdTo', beforeOf(view.createdTo)),
  updatedFrom: (view) => one(view, 'updatedFrom', `changed since ${view.updatedFrom}`),
  updatedTo: (view) => one(view, 'updatedTo', `changed ${beforeOf(view.updatedTo)}`),
  where: (view) => anyOfField(view),
  whereAll: (view) => each(view, 'whereAll', describeCondition),
  whereNot: (view) => each(view, 'whereNot', (condition) => `without ${describeCondition(condition)}`),
};

/** What narrows the list. Creators may have equal names, so `key` distinguishes the filters. */
export function filtersOf(view: View, nameOf: NameOf): ActiveFilter[] {
  return Object.values(ACTIVE).flatMap((active) => active(view, (id) => nameOf(id, `user ${id}`)));
}

/** How the list is searched and shown, if not as usual. */
export function optionsOf(view: View): ActiveFilter[] {
  return [
    ...one(view, 'correct', 'spelt as written'),
    ...one(view, 'match', `${view.match === 'most' ? 'some' : view.match} of the words`),
    ...one(view, 'semantic', 'ranked by words only'),
    ...one(view, 'size', `${view.size} on a page`),
  ];
}

function one(view: View, name: keyof View, label: string): ActiveFilter[] {
  return view[name] === EVERYTHING[name] ? [] : [{ key: name, label, without: { [name]: EVERYTHING[name] } }];
}

/** The conditions on one field are alternatives, or the two ends of a range. */
function anyOfField({ where }: View): ActiveFilter[] {
  const paths = [...new Set(where.map((condition) => readCondition(condition).path))];
  return paths.map((path) => {
    const of = where.filter((condition) => readCondition(condition).path === path);
    const without = { where: where.filter((condition) => !of.includes(condition)) };
    return { key: `where ${path}`, label: describeConditions(of), without };
  });
}

type Listed = 'tags' | 'excludeTags' | 'creatorId' | 'excludeCreatorId' | 'whereAll' | 'whereNot';

function each<Name extends Listed>(view: View, name: Name, labelOf: (value: View[Name][number]) => string): ActiveFilter[] {
  const values: View[Name][number][] = view[name];
  return values.map((value) => ({
    key: `${name} ${value}`,
    label: labelOf(value),
    without: { [name]: values.filter((other) => other !== value) },
  }));
}

/** For people, a period includes its last day. */
function beforeOf(time: string): string {
  return time.length > 10 ? `before ${time}` : `until ${otherDay(time, -1)}`;
}
