import { otherDay } from './other-day.ts';
import { EVERYTHING, type View } from './query-string.ts';

export type ActiveFilter = { key: string; label: string; without: Partial<View> };
export type NameOf = (creatorId: number, otherwise: string) => string;

/** What narrows the list. Creators may have equal names, so `key` distinguishes the filters. */
export function filtersOf(view: View, nameOf: NameOf): ActiveFilter[] {
  const { anyTags, minRating, minDownloads, maxDownloads, createdFrom, createdTo, updatedFrom, updatedTo } = view;
  const nameOfUser = (id: number): string => nameOf(id, `user ${id}`);
  return [
    ...each(view, 'tags', (tag) => tag),
    ...(anyTags.length > 0 ? [{ key: 'anyTags', label: anyTags.join(' or '), without: { anyTags: [] } }] : []),
    ...each(view, 'excludeTags', (tag) => `without ${tag}`),
    ...each(view, 'creatorId', (id) => `by ${nameOfUser(id)}`),
    ...each(view, 'excludeCreatorId', (id) => `not by ${nameOfUser(id)}`),
    ...one(view, 'minRating', `rated ${minRating} or better`),
    ...one(view, 'minDownloads', `${minDownloads} downloads or more`),
    ...one(view, 'maxDownloads', `${maxDownloads} downloads or fewer`),
    ...one(view, 'createdFrom', `since ${createdFrom}`),
    ...one(view, 'createdTo', beforeOf(createdTo)),
    ...one(view, 'updatedFrom', `changed since ${updatedFrom}`),
    ...one(view, 'updatedTo', `changed ${beforeOf(updatedTo)}`),
  ];
}

/** How the list is searched and shown, if not as usual. */
export function optionsOf(view: View): ActiveFilter[] {
  return [
    ...one(view, 'correct', 'spelt as written'),
    ...one(view, 'match', `${view.match} of the words`),
    ...one(view, 'semantic', 'ranked by words only'),
    ...one(view, 'size', `${view.size} on a page`),
  ];
}

function one(view: View, name: keyof View, label: string): ActiveFilter[] {
  return view[name] === EVERYTHING[name] ? [] : [{ key: name, label, without: { [name]: EVERYTHING[name] } }];
}

type Listed = 'tags' | 'excludeTags' | 'creatorId' | 'excludeCreatorId';

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
