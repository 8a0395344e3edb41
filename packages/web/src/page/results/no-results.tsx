import { useStore } from '../../shared/store.ts';
import { listItems, suggest } from '../api/content.ts';
import { useCreatorNames } from '../api/creator-names.ts';
import type { ContentSummaryPage } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { EVERYTHING, formatList, type View } from '../location/query-string.ts';
import { linkTo, useView } from '../location/view.ts';
import { session } from '../token/session.ts';
import { ItemCard } from './item-card.tsx';
import { widerSearches, type OtherSearch } from './wider-searches.ts';
import { t } from '../../messages/texts.ts';

/** Offers other searches that find something, or an upload where nothing has been uploaded. @param total the items on all pages */
export function NoResults({ view, total }: { view: View; total: number }) {
  const popular = useQuery('popular', (signal) => listItems(POPULAR, signal)).data;
  const { offers, isLoading } = useOffers(view, total);
  const upload = uploadOf(view, {
    total,
    isEmpty: isUnfiltered(view) || popular?.totalElements === 0,
    userId: useStore(session).user?.userId,
  });
  return (
    <>
      <div class="empty">
        <p class="empty-title">{upload ? upload.title : titleOf(view, total)}</p>
        <p role="status">{hintOf(offers, view, isLoading || upload !== undefined)}</p>
        <ul>
          {upload && <UploadOffer label={upload.label} />}
          {offers.map(({ label, changes, count }) => (
            <li key={label}>
              <a {...linkTo({ ...view, ...changes, page: 0 })}>{label}</a> <span class="muted">{t('items', { n: count })}</span>
            </li>
          ))}
        </ul>
      </div>
      {total === 0 && !view.hidden && <PopularItems page={popular} />}
    </>
  );
}

/** The other searches that find something, with the number of items that they find. */
function useOffers(view: View, total: number) {
  const nameOf = useCreatorNames();
  const candidates = total > 0 ? [{ label: t('toFirstPage'), changes: {} }] : widerSearches(view, nameOf);
  const { data, isLoading } = useQuery(formatList(view), (signal) => countItems(view, candidates, signal));
  // The names of creators may become known later than the counts.
  const counted = [...(data?.corrected ?? []), ...candidates].map((offer) => ({
    ...offer,
    count: data?.counts.get(listOf(view, offer.changes)) ?? 0,
  }));
  return { offers: counted.filter(({ count }) => count > 0), isLoading };
}

function UploadOffer({ label }: { label: string }) {
  return (
    <li>
      <a {...linkTo({ ...EVERYTHING, form: 'upload' })}>{label}</a>
    </li>
  );
}

function isUnfiltered(view: View): boolean {
  return formatList(view) === formatList({ ...EVERYTHING, sort: view.sort, size: view.size });
}

const POPULAR = { ...EVERYTHING, size: 6 };

/** Something to go on with. Closing one of them shows the empty list again. */
function PopularItems({ page }: { page: ContentSummaryPage | undefined }) {
  const view = useView();
  if (!page?.totalElements) return null;
  return (
    <section aria-labelledby="popular-title">
      <h2 id="popular-title" class="section-title">
        {t('popularItems')}
      </h2>
      <ul class="cards">
        {page.content.map((item) => (
          <ItemCard key={item.contentId} item={item} view={view} />
        ))}
      </ul>
    </section>
  );
}

type Emptiness = { total: number; isEmpty: boolean; userId: number | undefined };

/** Where nothing has been uploaded, no search finds anything: neither its spelling nor a filter is the reason. */
function uploadOf(view: View, { total, isEmpty, userId }: Emptiness): { title: string; label: string } | undefined {
  if (total > 0 || view.hidden) return undefined;
  if (isEmpty) return { title: t('nothingYet'), label: t('uploadFirst') };
  const ofUser = userId === undefined ? '' : formatList({ ...EVERYTHING, creatorId: [userId], sort: view.sort, size: view.size });
  return formatList({ ...view, page: 0 }) === ofUser ? { title: t('nothingOwn'), label: t('uploadItem') } : undefined;
}

function titleOf({ prompt, hidden }: View, total: number): string {
  if (total > 0) return t('noSuchPage');
  if (hidden) return { true: t('noHidden'), mine: t('noOwn'), review: t('noReview') }[`${hidden}`];
  return prompt.trim() === '' ? t('noMatch') : t('noMatchFor', { prompt: prompt.trim() });
}

function hintOf(offers: OtherSearch[], { hidden, prompt }: View, isQuiet: boolean): string {
  if (offers.length > 0) return t(isQuiet ? 'lookAtOthers' : 'tryInstead');
  return isQuiet || hidden || prompt.trim() === '' ? '' : t('checkSpelling');
}

function listOf(view: View, changes: Partial<View>): string {
  return formatList({ ...view, ...changes, page: 0 });
}

/** `counts` has the number of items of each list. */
type Found = { corrected: OtherSearch[]; counts: Map<string, number> };

async function countItems(view: View, candidates: OtherSearch[], signal: AbortSignal): Promise<Found> {
  const corrected = await correctedPrompt(view, signal);
  const counts = [...corrected, ...candidates].map(async ({ changes }) => {
    const { totalElements } = await listItems({ ...view, ...changes, page: 0, size: 1 }, signal);
    return [listOf(view, changes), totalElements] as const;
  });
  return { corrected, counts: new Map(await Promise.all(counts)) };
}

async function correctedPrompt({ prompt }: View, signal: AbortSignal): Promise<OtherSearch[]> {
  if (prompt.trim() === '') return [];
  const { correction } = await suggest(prompt, signal);
  return correction === undefined ? [] : [{ label: t('searchFor', { text: correction }), changes: { prompt: correction, correct: true } }];
}
