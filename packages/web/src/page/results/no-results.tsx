import { formatCount } from '../../shared/format.ts';
import { listItems, suggest } from '../api/content.ts';
import { useQuery } from '../api/use-query.ts';
import { formatList, NO_FILTERS, type View } from '../location/query-string.ts';
import { follow, hrefOf } from '../location/view.ts';

/** Offers other searches that find something. */
export function NoResults({ view }: { view: View }) {
  const { data: offers, isLoading } = useQuery(formatList(view), (signal) => findOffers(view, signal));
  return (
    <div class="empty">
      <p class="empty-title">{titleOf(view)}</p>
      {offers && offers.length > 0 && <p>Try instead:</p>}
      <ul>
        {offers?.map(({ label, changes, count }) => (
          <li key={label}>
            <a href={hrefOf({ ...view, ...changes })} onClick={(event) => follow(event, changes)}>
              {label}
            </a>{' '}
            <span class="muted">{formatCount(count, 'item')}</span>
          </li>
        ))}
      </ul>
      {!isLoading && offers?.length === 0 && <p>Check the spelling, or search for something else.</p>}
    </div>
  );
}

function titleOf({ page, prompt }: View): string {
  if (page > 0) return 'The list has no such page.';
  return prompt.trim() === '' ? 'Nothing matches.' : `Nothing matches “${prompt.trim()}”.`;
}

type Offer = { label: string; changes: Partial<View>; count: number };

async function findOffers(view: View, signal: AbortSignal): Promise<Offer[]> {
  const candidates = [...(await correctedPrompt(view, signal)), ...widened(view)];
  const offers = await Promise.all(
    candidates.map(async ({ label, changes }) => {
      const { totalElements } = await listItems({ ...view, ...changes }, signal, 1);
      return { label, changes: { ...changes, page: 0 }, count: totalElements };
    }),
  );
  return offers.filter(({ count }) => count > 0);
}

async function correctedPrompt(view: View, signal: AbortSignal): Promise<Omit<Offer, 'count'>[]> {
  if (view.prompt.trim() === '') return [];
  const { correction } = await suggest(view.prompt, signal);
  return correction === undefined ? [] : [{ label: `Search for “${correction}”`, changes: { prompt: correction, correct: true } }];
}

function widened(view: View): Omit<Offer, 'count'>[] {
  const hasFilters = formatList({ ...view, ...NO_FILTERS }) !== formatList(view);
  const hasSeveralWords = /\S\s+\S/.test(view.prompt);
  return [
    ...(hasFilters ? [{ label: 'Search without filters', changes: NO_FILTERS }] : []),
    ...(hasSeveralWords && view.match !== 'any' ? [{ label: 'Items with any of these words', changes: { match: 'any' as const } }] : []),
    ...(view.page > 0 ? [{ label: 'Go to the first page', changes: { page: 0 } }] : []),
  ];
}
