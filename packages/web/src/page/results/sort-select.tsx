import { sortOf, type SORTS, type View } from '../location/query-string.ts';
import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import { declaredFields } from '../location/declared-fields.ts';
import { showList } from '../location/view.ts';

const NAMES: Record<string, string> = {
  relevance: 'Best match',
  best: 'Popular',
  trending: 'Popular this week',
  'createdAt,desc': 'Newest',
  'updatedAt,desc': 'Last changed',
  'downloadsCount,desc': 'Most downloaded',
  'avgRating,desc': 'Best rated',
  'name,asc': 'Name',
} satisfies Record<(typeof SORTS)[number], string>;

const ENDS: Partial<Record<DeclaredField['type'], [asc: string, desc: string]>> = {
  number: ['smallest first', 'largest first'],
  date: ['earliest first', 'latest first'],
  version: ['lowest first', 'highest first'],
};
/** The orders by declared fields: their names by the value of the parameter. */
function ownSorts(): Record<string, string> {
  const sorts = declaredFields.flatMap(({ name, type, label }) =>
    (ENDS[type] ?? []).map((end, at) => [`fields.${name},${at === 0 ? 'asc' : 'desc'}`, `${label}: ${end}`]),
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
      <span aria-hidden="true">Sort by</span>
      <select aria-label="Sort by" class="input" value={chosen} onChange={(event) => showList({ sort: [event.currentTarget.value] })}>
        {[...new Set([...sorts, chosen])].map((sort) => (
          <option key={sort} value={sort}>
            {names[sort] ?? sort}
          </option>
        ))}
      </select>
    </label>
  );
}
