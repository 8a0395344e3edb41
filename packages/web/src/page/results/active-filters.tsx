import { Icon } from '../../shared/icon.tsx';
import { useCreatorNames } from '../api/creator-names.ts';
import { NO_FILTERS, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { filtersOf } from './filters-of.ts';

/** What narrows the list, each with a button that removes it. */
export function ActiveFilters({ view }: { view: View }) {
  const filters = filtersOf(view, useCreatorNames());
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {filters.map(({ key, label, without }) => (
        <li key={key}>
          <button type="button" class="chip chip-removable" aria-label={`Remove the filter ${label}`} onClick={() => showList(without)}>
            <span dir="auto">{label}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
      {filters.length > 1 && (
        <li>
          <button type="button" class="button button-link" onClick={() => showList(NO_FILTERS)}>
            Remove all filters
          </button>
        </li>
      )}
    </ul>
  );
}
