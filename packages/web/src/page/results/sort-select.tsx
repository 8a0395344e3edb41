import { SORTS, sortOf, type Sort, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';

const NAMES: Record<Sort, string> = {
  relevance: 'Best match',
  best: 'Popular',
  'createdAt,desc': 'Newest',
  'updatedAt,desc': 'Last changed',
  'downloadsCount,desc': 'Most downloaded',
  'avgRating,desc': 'Best rated',
  'name,asc': 'Name',
};

/** Without a prompt, all items match equally well. */
export function SortSelect({ view }: { view: View }) {
  const sorts = SORTS.filter((sort) => sort !== 'relevance' || view.prompt.trim() !== '' || view.sort === sort);
  return (
    <label class="sort">
      <span aria-hidden="true">Sort by</span>
      <select
        aria-label="Sort by"
        class="input"
        value={sortOf(view)}
        onChange={(event) => showList({ sort: event.currentTarget.value as Sort })}
      >
        {sorts.map((sort) => (
          <option key={sort} value={sort}>
            {NAMES[sort]}
          </option>
        ))}
      </select>
    </label>
  );
}
