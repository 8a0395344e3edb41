import { sortOf, type SORTS, type View } from '../location/query-string.ts';
import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { declaredFields } from '../location/declared-fields.ts';
import { showList } from '../location/view.ts';
import type { Key } from '../../messages/fill.ts';
import { t } from '../../messages/texts.ts';

const NAMES: Record<string, string> = {
  relevance: t('bestMatch'),
  best: t('popular'),
  trending: t('popularThisWeek'),
  'createdAt,desc': t('newest'),
  'updatedAt,desc': t('lastChanged'),
  'downloadsCount,desc': t('mostDownloaded'),
  'avgRating,desc': t('bestRated'),
  'name,asc': t('name'),
} satisfies Record<(typeof SORTS)[number], string>;

const ENDS = {
  number: ['smallestFirst', 'largestFirst'],
  date: ['earliestFirst', 'latestFirst'],
  version: ['lowestFirst', 'highestFirst'],
} as const satisfies Partial<Record<DeclaredField['type'], readonly [asc: Key, desc: Key]>>;

const endsOf = (type: DeclaredField['type']) => (type in ENDS ? ENDS[type as keyof typeof ENDS] : []);

/** The orders by declared fields: their names by the value of the parameter. */
function ownSorts(): Record<string, string> {
  const sorts = declaredFields.flatMap(({ name, type, label }) =>
    endsOf(type).map((end, at) => [`fields.${name},${at === 0 ? 'asc' : 'desc'}`, t(end, { label })]),
  );
  return Object.fromEntries(sorts) as Record<string, string>;
}

/** Without a prompt, all items match equally well. An address may have another order than those to choose from. */
export function SortSelect({ view }: { view: View }) {
  const chosen = sortOf(view).join(', ');
  const names = { ...NAMES, ...ownSorts() };
  const sorts = Object.keys(names).filter((sort) => sort !== 'relevance' || view.prompt.trim() !== '');
  return (
    <label class="sort">
      <span aria-hidden="true">{t('sortBy')}</span>
      <select aria-label={t('sortBy')} class="input" value={chosen} onChange={(event) => showList({ sort: [event.currentTarget.value] })}>
        {[...new Set([...sorts, chosen])].map((sort) => (
          <option key={sort} value={sort}>
            {names[sort] ?? sort}
          </option>
        ))}
      </select>
    </label>
  );
}
