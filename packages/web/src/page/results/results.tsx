import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { listItems } from '../api/content.ts';
import { matchesOf } from '../api/counted.ts';
import { showListed } from '../api/listed.ts';
import type { RequestFailed } from '../api/request.ts';
import type { ShownPage } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { Later, Skeleton } from '../later.tsx';
import { EVERYTHING, formatList, type View } from '../location/query-string.ts';
import { restoreScroll } from '../location/scroll.ts';
import { settings } from '../settings.ts';
import { ActiveFilters } from './active-filters.tsx';
import type { Count, List } from './count.ts';
import { ItemCard } from './item-card.tsx';
import { listTitle } from './list-title.ts';
import { SortSelect } from './sort-select.tsx';
import { useCountedList } from './use-counted-list.ts';
import { t } from '../../messages/texts.ts';

/** While a search is read, the heading, the items and the pages are still those of the search before. */
export function Results({ view }: { view: View }) {
  const read = async (signal: AbortSignal): Promise<List> => ({
    matches: matchesOf(view),
    of: { ...view, item: undefined, form: undefined },
    page: await listItems(view, signal),
  });
  const { data: newest, error, isLoading } = useQuery(formatList(view), read);
  const { list, page, count, isCounted, isNewest, digits } = useCountedList(newest);
  const isBusy = isLoading || !isNewest;
  const shown = isLoading && list ? list.of : view;
  const heading = useShownList(view, isLoading);
  useEffect(() => {
    document.title = list && shown.prompt !== '' ? `${shown.prompt} – ${settings.name}` : settings.name;
    if (list && page) showListed(list.of, page);
  }, [list, page?.removed]);
  return (
    <main class="results" id="items" tabIndex={-1} aria-busy={isBusy}>
      <Head view={view} />
      <div class="results-head">
        <h2 ref={heading} tabIndex={-1} style={count ? undefined : `--digits: ${digits}`} data-title-of-page>
          <Title list={list} count={count} view={shown} />
        </h2>
        {!view.hidden && <SortSelect view={view} />}
      </div>
      <p role="status" class="visually-hidden">
        <Later meanwhile={null}>
          {({ Announcement }) => <Announcement shown={!isBusy && isCounted ? list : undefined} count={count} view={view} />}
        </Later>
      </p>
      <ActiveFilters view={view} />
      {error && <p class="error">{reasonOf(error)}</p>}
      {page ? <Matches view={shown} page={page} count={count} isCounted={isCounted} /> : <ul class="cards">{isLoading && SKELETONS}</ul>}
    </main>
  );
}

type MatchesProps = { view: View; page: ShownPage; count: Count | undefined; isCounted: boolean };

function Matches({ view, page, count, isCounted }: MatchesProps) {
  const isEmpty = count?.total === 0;
  return (
    <>
      {view.prompt !== '' && (
        <Later meanwhile={null}>
          {({ CutNote, PromptNote }) => (
            <>
              <CutNote {...view} />
              <PromptNote view={view} interpretation={page.interpretation} isEmpty={isEmpty} />
            </>
          )}
        </Later>
      )}
      {page.content.length === 0 && (
        <Later>{({ NoResults }) => (isCounted ? <NoResults view={view} isBeyond={!isEmpty} /> : <Skeleton />)}</Later>
      )}
      <ul class="cards">
        {page.content.map((item) => (
          <ItemCard key={item.contentId} item={item} view={view} />
        ))}
      </ul>
      <Later meanwhile={null}>{({ Pages }) => <Pages view={view} count={count?.pages} isLast={page.last} />}</Later>
      {page.interpretation?.match === 'closest' && count && (
        <Later>{({ FewerWords }) => <FewerWords view={view} total={count.total} />}</Later>
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

/** Of a list that is not read yet, it is not said what it is, nor of one whose title is not loaded yet. */
function Title({ list, count, view }: { list: List | undefined; count: Count | undefined; view: View }) {
  if (!list) return <>{t('itemsTitle')}</>;
  const { hidden } = view;
  if (!hidden || !count) return <>{listTitle(count, view)}</>;
  return <Later meanwhile={t('itemsTitle')}>{({ ShelfTitle }) => <ShelfTitle hidden={hidden} n={count.total} />}</Later>;
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
