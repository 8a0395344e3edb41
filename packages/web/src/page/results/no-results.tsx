import { useStore } from '../../shared/store.ts';
import { listItems, suggest } from '../api/content.ts';
import { withoutDeleted } from '../api/deletions.ts';
import { countItems } from '../api/more-content.ts';
import type { ListPage } from '../api/types.ts';
import { useCreatorNames } from '../api/creator-names.ts';
import { useQuery } from '../api/use-query.ts';
import { EVERYTHING, formatList, type View } from '../location/query-string.ts';
import { linkTo, useView } from '../location/view.ts';
import { session } from '../token/session.ts';
import { ItemCard } from './item-card.tsx';
import { widerSearches, type OtherSearch } from './wider-searches.ts';
import { t } from '../../messages/texts.ts';

/** `isBeyond`: whether other pages of the list have items. */
type NoResultsProps = { view: View; isBeyond: boolean };

/** Offers other searches that find something, or an upload where nothing has been uploaded. */
export function NoResults({ view, isBeyond }: NoResultsProps) {
  const popular = usePopular();
  const { offers, isLoading } = useOffers(view, isBeyond);
  const upload = uploadOf(view, {
    isBeyond,
    isEmpty: isUnfiltered(view) || (popular?.content.length === 0 && popular.last),
    userId: useStore(session).user?.userId,
  });
  return (
    <>
      <div class="empty">
        <p class="empty-title">{upload ? upload.title : titleOf(view, isBeyond)}</p>
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
      {!isBeyond && !view.hidden && <PopularItems page={popular} />}
    </>
  );
}

function usePopular(): ListPage | undefined {
  const { data } = useQuery('popular', (signal) => listItems(POPULAR, signal));
  return data && withoutDeleted(data);
}

/** The other searches that find something, with the number of items that they find. */
function useOffers(view: View, isBeyond: boolean) {
  const nameOf = useCreatorNames();
  const candidates = isBeyond ? [{ label: t('toFirstPage'), changes: {} }] : widerSearches(view, nameOf);
  const { data, isLoading } = useQuery(formatList(view), (signal) => countOffers(view, candidates, signal));
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
function PopularItems({ page }: { page: ListPage | undefined }) {
  const view = useView();
  if (!page?.content.length) return null;
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

type Emptiness = { isBeyond: boolean; isEmpty: boolean; userId: number | undefined };

/** Where nothing has been uploaded, no search finds anything: neither its spelling nor a filter is the reason. */
function uploadOf(view: View, { isBeyond, isEmpty, userId }: Emptiness): { title: string; label: string } | undefined {
  if (isBeyond || view.hidden) return undefined;
  if (isEmpty) return { title: t('nothingYet'), label: t('uploadFirst') };
  const ofUser = userId === undefined ? '' : formatList({ ...EVERYTHING, creatorId: [userId], sort: view.sort, size: view.size });
  return formatList({ ...view, page: 0 }) === ofUser ? { title: t('nothingOwn'), label: t('uploadItem') } : undefined;
}

function titleOf({ prompt, hidden }: View, isBeyond: boolean): string {
  if (isBeyond) return t('noSuchPage');
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

async function countOffers(view: View, candidates: OtherSearch[], signal: AbortSignal): Promise<Found> {
  const corrected = await correctedPrompt(view, signal);
  const counts = [...corrected, ...candidates].map(
    async ({ changes }) => [listOf(view, changes), await countItems({ ...view, ...changes }, signal)] as const,
  );
  return { corrected, counts: new Map(await Promise.all(counts)) };
}

async function correctedPrompt({ prompt }: View, signal: AbortSignal): Promise<OtherSearch[]> {
  if (prompt.trim() === '') return [];
  const { correction } = await suggest(prompt, signal);
  return correction === undefined ? [] : [{ label: t('searchFor', { text: correction }), changes: { prompt: correction, correct: true } }];
}
