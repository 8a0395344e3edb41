import { listOfCreator, listSimilar } from '../api/more-content.ts';
import type { ContentItem } from '../api/types.ts';
import { useQuery } from '../api/use-query.ts';
import { useCreatorNames } from '../api/creator-names.ts';
import { listOf } from '../location/query-string.ts';
import { useView } from '../location/view.ts';
import { ItemRow } from '../parts/item-row.tsx';
import { t } from '../../messages/texts.ts';

const SHOWN = 6;

/** An item that is opened from here takes the place of the open one, so that closing it shows the list again. */
export function SimilarItems({ contentId }: { contentId: number }) {
  const view = useView();
  const { data, error } = useQuery(`similar ${contentId}`, (signal) => listSimilar(contentId, SHOWN, signal));
  // Most items have some: what is below them is not to move.
  if (!data && !error) return <div class="row row-skeleton" aria-hidden="true" />;
  return <ItemRow title={t('similar')} items={data ?? []} view={view} replace />;
}

export function MoreByCreator({ item: { contentId, creatorId, creatorName } }: { item: ContentItem }) {
  const view = useView();
  const nameOf = useCreatorNames();
  // One more, which may be the open one.
  const { data = [] } = useQuery(`more by ${creatorId}`, (signal) => listOfCreator(creatorId, SHOWN + 1, signal));
  const others = data.filter((other) => other.contentId !== contentId).slice(0, SHOWN);
  return (
    <ItemRow title={t('moreBy', { name: nameOf(creatorId, creatorName) })} items={others} view={view} all={listOf(creatorId)} replace />
  );
}
