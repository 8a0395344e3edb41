import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { listItems } from '../api/content.ts';
import { showListed } from '../api/listed.ts';
import type { RequestFailed } from '../api/request.ts';
import type { ContentSummaryPage } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { Later } from '../later.tsx';
import { EVERYTHING, formatList, type View } from '../location/query-string.ts';
import { restoreScroll } from '../location/scroll.ts';
import { settings } from '../settings.ts';
import { ActiveFilters } from './active-filters.tsx';
import { ItemCard } from './item-card.tsx';
import { SortSelect } from './sort-select.tsx';
import { t } from '../../messages/texts.ts';

/** While a search is read, the heading, the items and the pages are still those of the search before. */
export function Results({ view }: { view: View }) {
  const read = async (signal: AbortSignal) => ({
    page: await listItems(view, signal),
    of: { ...view, item: undefined, form: undefined },
  });
  const { data, error, isLoading } = useQuery(formatList(view), read);
  const shown = isLoading && data ? data.of : view;
  const heading = useShownList(view, isLoading);
  useEffect(() => {
    document.title = data && shown.prompt !== '' ? `${shown.prompt} – ${settings.name}` : settings.name;
    if (data) showListed(data.of, data.page);
  }, [data]);
  return (
    <main class="results" id="items" tabIndex={-1} aria-busy={isLoading}>
      <Head view={view} />
      <div class="results-head">
        <h2 ref={heading} tabIndex={-1} data-title-of-page>
          {data ? titleOf(data.page, shown) : t('itemsTitle')}
        </h2>
        {!view.hidden && <SortSelect view={view} />}
      </div>
      <p role="status" class="visually-hidden">
        {data && !isLoading && announcementOf(data.page, view)}
      </p>
      <ActiveFilters view={view} />
      {error && <p class="error">{reasonOf(error)}</p>}
      {data ? <Matches view={shown} page={data.page} /> : <ul class="cards">{isLoading && SKELETONS}</ul>}
    </main>
  );
}

function Matches({ view, page }: { view: View; page: ContentSummaryPage }) {
  return (
    <>
      {view.prompt !== '' && (
        <Later isQuiet>
          {({ CutNote, PromptNote }) => (
            <>
              <CutNote {...view} />
              <PromptNote view={view} page={page} />
            </>
          )}
        </Later>
      )}
      {page.content.length === 0 && <Later>{({ NoResults }) => <NoResults view={view} total={page.totalElements} />}</Later>}
      <ul class="cards">
        {page.content.map((item) => (
          <ItemCard key={item.contentId} item={item} view={view} />
        ))}
      </ul>
      <Later isQuiet>{({ Pages }) => <Pages view={view} count={page.totalPages} />}</Later>
      {page.interpretation?.match === 'closest' && (
        <Later>{({ FewerWords }) => <FewerWords view={view} total={page.totalElements} />}</Later>
      )}
    </>
  );
}

/** What is above a list: that of one creator, or of everything, while nothing is searched or chosen. */
function Head({ view }: { view: View }) {
  const [creatorId, ...others] = view.creatorId;
  if (!view.hidden && creatorId !== undefined && others.length === 0)
    return (
      <div class="creator">
        <Later>{({ CreatorHead }) => <CreatorHead creatorId={creatorId} />}</Later>
      </div>
    );
  if (view.hidden || formatList({ ...view, sort: EVERYTHING.sort }) !== formatList(EVERYTHING)) return null;
  return (
    <>
      {settings.about !== undefined && (
        <p class="about" dir="auto">
          {settings.about}
        </p>
      )}
      {/* Whoever chooses an order wants the list. */}
      {formatList(view) === formatList(EVERYTHING) && (
        <div class="front">
          <Later>{({ Front }) => <Front view={view} />}</Later>
        </div>
      )}
    </>
  );
}

const SKELETONS = Array.from({ length: EVERYTHING.size }, (_, position) => (
  <li key={position} class="card card-skeleton" aria-hidden="true" />
));

function titleOf({ totalElements }: ContentSummaryPage, { prompt, hidden }: View): string {
  const n = totalElements;
  if (hidden) return t(({ true: 'hiddenCount', mine: 'ownCount', review: 'reviewCount' } as const)[`${hidden}`], { n });
  return prompt.trim() === '' ? t('items', { n }) : t('itemsFor', { n, prompt: prompt.trim() });
}

function announcementOf({ totalElements, totalPages }: ContentSummaryPage, { page }: View): string {
  const found = t('itemsFound', { n: totalElements });
  return totalPages > 1 ? t('foundOnPage', { found, page: page + 1, pages: totalPages }) : found;
}

/** An address may contain values that the API refuses. */
function reasonOf({ message, errors }: RequestFailed): string {
  return [message, ...errors.map(({ parameter, detail }) => `${parameter} ${detail}.`)].join(' ');
}

/**
 * Another list begins at its top, and another page of the same one also for the keyboard; one that was left is shown as it
 * was. Whoever chooses filters stays there, and so does the focus of whoever types a search or chooses an order.
 */
function useShownList(view: View, isLoading: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(view);
  useLayoutEffect(() => {
    if (isLoading) return;
    if (!restoreScroll() && formatList(shown.current) !== formatList(view) && !document.querySelector('.filters:focus-within')) {
      scrollTo({ top: 0 });
      if (formatList({ ...shown.current, page: view.page }) === formatList(view)) heading.current?.focus({ preventScroll: true });
    }
    shown.current = view;
  }, [view, isLoading]);
  return heading;
}
