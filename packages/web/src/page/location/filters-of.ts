import { formatTime, listOr } from '../../messages/format.ts';
import { describeCondition, describeConditions, readCondition } from './conditions.ts';
import { otherDay } from './other-day.ts';
import type { FilterName } from './parameters.ts';
import { EVERYTHING, type View } from './query-string.ts';
import { t } from '../../messages/texts.ts';

export type ActiveFilter = { key: string; label: string; without: Partial<View> };
export type NameOf = (creatorId: number, otherwise: string) => string;

/** How each filter is shown. */
const ACTIVE: Record<FilterName, (view: View, nameOf: (creatorId: number) => string) => ActiveFilter[]> = {
  tags: (view) => each(view, 'tags', (tag) => tag),
  anyTags: ({ anyTags }) => (anyTags.length > 0 ? [{ key: 'anyTags', label: listOr(anyTags), without: { anyTags: [] } }] : []),
  excludeTags: (view) => each(view, 'excludeTags', (tag) => t('withoutOne', { value: tag })),
  creatorId: (view, nameOf) => each(view, 'creatorId', (id) => t('byOne', { name: nameOf(id) })),
  excludeCreatorId: (view, nameOf) => each(view, 'excludeCreatorId', (id) => t('notBy', { name: nameOf(id) })),
  minRating: (view) => one(view, 'minRating', t('minRating', { min: view.minRating })),
  minDownloads: (view) => one(view, 'minDownloads', t('minDownloads', { n: view.minDownloads })),
  maxDownloads: (view) => one(view, 'maxDownloads', t('maxDownloads', { n: view.maxDownloads ?? 0 })),
  minRecent: (view) => one(view, 'minRecent', t('minRecent', { n: view.minRecent })),
  createdFrom: (view) => one(view, 'createdFrom', t('since', { time: formatTime(view.createdFrom) })),
  createdTo: (view) => one(view, 'createdTo', endOf(view.createdTo, ['until', 'before'])),
  updatedFrom: (view) => one(view, 'updatedFrom', t('changedSince', { time: formatTime(view.updatedFrom) })),
  updatedTo: (view) => one(view, 'updatedTo', endOf(view.updatedTo, ['changedUntil', 'changedBefore'])),
  where: (view) => anyOfField(view),
  whereAll: (view) => each(view, 'whereAll', describeCondition),
  whereNot: (view) => each(view, 'whereNot', (condition) => t('withoutOne', { value: describeCondition(condition) })),
};

/** What narrows the list. Creators may have equal names, so `key` distinguishes the filters. */
export function filtersOf(view: View, nameOf: NameOf): ActiveFilter[] {
  return Object.values(ACTIVE).flatMap((active) => active(view, (id) => nameOf(id, t('user', { id: String(id) }))));
}

const MATCHES = { closest: 'someOfWords', most: 'someOfWords', any: 'anyOfWords', all: 'allWords' } as const;

/** How the list is searched and shown, if not as usual. */
export function optionsOf(view: View): ActiveFilter[] {
  return [
    ...one(view, 'correct', t('spelt')),
    ...one(view, 'match', t(MATCHES[view.match])),
    ...one(view, 'semantic', t('byWords')),
    ...one(view, 'size', t('onPage', { size: view.size })),
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
function endOf(time: string, [day, exact]: readonly ['until', 'before'] | readonly ['changedUntil', 'changedBefore']): string {
  return time.length > 10 ? t(exact, { time: formatTime(time) }) : t(day, { time: formatTime(otherDay(time, -1)) });
}
