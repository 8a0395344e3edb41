import { Icon } from '../../shared/icon.tsx';
import { useCreatorNames } from '../api/creator-names.ts';
import { NO_FILTERS, type View } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { filtersOf, optionsOf, type ActiveFilter } from '../location/filters-of.ts';
import { parts, t } from '../../messages/texts.ts';

/** What the address says about the list, each with a button that removes it, and what the page does not understand of it. */
export function ActiveFilters({ view }: { view: View }) {
  const filters = filtersOf(view, useCreatorNames());
  const chips = [...filters, ...optionsOf(view)];
  return (
    <>
      {chips.length > 0 && <Chips chips={chips} isSeveral={filters.length > 1} />}
      {view.ignored.length > 0 && (
        <p class="note">{parts('notUnderstood', { part: <code translate={false}>{view.ignored.join('&')}</code> })}</p>
      )}
    </>
  );
}

function Chips({ chips, isSeveral }: { chips: ActiveFilter[]; isSeveral: boolean }) {
  return (
    <ul class="chips" aria-label={t('activeFilters')}>
      {chips.map(({ key, label, without }) => (
        <li key={key}>
          <button
            type="button"
            class="chip chip-removable"
            aria-label={t('removeFilter', { filter: label })}
            onClick={() => showList(without)}
          >
            <span dir="auto">{label}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
      {isSeveral && (
        <li>
          <button type="button" class="button button-link" onClick={() => showList(NO_FILTERS)}>
            {t('removeFilters')}
          </button>
        </li>
      )}
    </ul>
  );
}
