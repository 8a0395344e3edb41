import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../shared/format.ts';
import { listItems, PAGE_SIZE } from '../api/content.ts';
import type { ContentSummaryPage } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { formatList, type View } from '../location/query-string.ts';
import { ActiveFilters } from './active-filters.tsx';
import { ItemCard } from './item-card.tsx';
import { NoResults } from './no-results.tsx';
import { Pages } from './pages.tsx';
import { PromptNote } from './prompt-note.tsx';
import { SortSelect } from './sort-select.tsx';

export function Results({ view }: { view: View }) {
  const { data, error, isLoading } = useQuery(formatList(view), (signal) => listItems(view, signal));
  const heading = useFocusAfterPaging(view.page);
  useEffect(() => {
    document.title = data && view.prompt !== '' ? `${view.prompt} – Collection` : 'Collection';
  }, [data]);
  return (
    <main class="results" aria-busy={isLoading}>
      <div class="results-head">
        <h2 ref={heading} tabIndex={-1} data-title-of-page>
          {data ? titleOf(data, view) : 'Items'}
        </h2>
        {!view.hidden && <SortSelect view={view} />}
      </div>
      <p role="status" class="visually-hidden">
        {data && !isLoading && announcementOf(data, view)}
      </p>
      <ActiveFilters view={view} />
      {error && <p class="error">{error.message}</p>}
      {data ? <Matches view={view} page={data} /> : <ul class="cards">{isLoading && SKELETONS}</ul>}
    </main>
  );
}

function Matches({ view, page }: { view: View; page: ContentSummaryPage }) {
  return (
    <>
      <PromptNote view={view} page={page} />
      {page.content.length === 0 && <NoResults view={view} total={page.totalElements} />}
      <ul class="cards">
        {page.content.map((item) => (
          <ItemCard key={item.contentId} item={item} view={view} />
        ))}
      </ul>
      <Pages view={view} count={page.totalPages} />
    </>
  );
}

const SKELETONS = Array.from({ length: PAGE_SIZE }, (_, position) => <li key={position} class="card card-skeleton" aria-hidden="true" />);

function titleOf({ totalElements }: ContentSummaryPage, { prompt, hidden }: View): string {
  if (hidden) return formatCount(totalElements, 'hidden item');
  const count = formatCount(totalElements, 'item');
  return prompt.trim() === '' ? count : `${count} for “${prompt.trim()}”`;
}

function announcementOf({ totalElements, totalPages }: ContentSummaryPage, { page }: View): string {
  return `${formatCount(totalElements, 'item')} found${totalPages > 1 ? `, page ${page + 1} of ${totalPages}` : ''}`;
}

/** Another page begins at its top, also for the keyboard. */
function useFocusAfterPaging(page: number) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    heading.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [page]);
  return heading;
}
