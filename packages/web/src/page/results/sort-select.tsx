import { SORTS, sortOf, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';

const NAMES: Record<string, string> = {
  relevance: 'Best match',
  best: 'Popular',
  'createdAt,desc': 'Newest',
  'updatedAt,desc': 'Last changed',
  'downloadsCount,desc': 'Most downloaded',
  'avgRating,desc': 'Best rated',
  'name,asc': 'Name',
} satisfies Record<(typeof SORTS)[number], string>;

/** Without a prompt, all items match equally well. An address may have another order than those to choose from. */
export function SortSelect({ view }: { view: View }) {
  const chosen = sortOf(view).join(', ');
  const sorts = SORTS.filter((sort) => sort !== 'relevance' || view.prompt.trim() !== '');
  return (
    <label class="sort">
      <span aria-hidden="true">Sort by</span>
      <select aria-label="Sort by" class="input" value={chosen} onChange={(event) => showList({ sort: [event.currentTarget.value] })}>
        {[...new Set([...sorts, chosen])].map((sort) => (
          <option key={sort} value={sort}>
            {NAMES[sort] ?? sort}
          </option>
        ))}
      </select>
    </label>
  );
}
