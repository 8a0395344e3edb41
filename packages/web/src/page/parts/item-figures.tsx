import { formatCompact } from '../../messages/format.ts';
import { t } from '../../messages/texts.ts';
import { Icon } from '../../shared/icon.tsx';
import type { ContentSummary } from '../api/types.ts';
import { RatingFigure } from './rating-figure.tsx';

/** What others think of an item, wherever it stands among others. */
export function ItemFigures({ item: { avgRating, downloadsCount } }: { item: ContentSummary }) {
  return (
    <p class="card-figures">
      <RatingFigure average={avgRating} />
      <span title={t('downloads', { n: downloadsCount })}>
        <Icon name="download" />
        <span aria-hidden="true">{formatCompact(downloadsCount)}</span>
        <span class="visually-hidden">{t('downloads', { n: downloadsCount })}</span>
      </span>
    </p>
  );
}
