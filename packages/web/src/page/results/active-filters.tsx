import { Icon } from '../../shared/icon.tsx';
import { NO_FILTERS, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';

type ActiveFilter = { label: string; without: Partial<View> };

/** What narrows the list, each with a button that removes it. */
export function ActiveFilters({ view }: { view: View }) {
  const filters = activeFilters(view);
  if (filters.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {filters.map(({ label, without }) => (
        <li key={label}>
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

function activeFilters({ tags, creatorId, minRating, minDownloads, createdFrom }: View): ActiveFilter[] {
  return [
    ...tags.map((tag) => ({ label: tag, without: { tags: tags.filter((other) => other !== tag) } })),
    ...creatorId.map((id) => ({ label: `by user ${id}`, without: { creatorId: creatorId.filter((other) => other !== id) } })),
    ...(minRating > 0 ? [{ label: `rated ${minRating} or better`, without: { minRating: 0 } }] : []),
    ...(minDownloads > 0 ? [{ label: `${minDownloads} downloads or more`, without: { minDownloads: 0 } }] : []),
    ...(createdFrom !== '' ? [{ label: `since ${createdFrom}`, without: { createdFrom: '' } }] : []),
  ];
}
