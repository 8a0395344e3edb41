import { formatCompact } from '../../messages/format.ts';
import { t } from '../../messages/texts.ts';
import { Icon } from '../../shared/icon.tsx';
import type { ContentSummary } from '../api/types.ts';
import { RatingFigure } from './rating-figure.tsx';

type ItemFiguresProps = {
  item: ContentSummary;
  /** Whether it says nothing of an item that nobody has rated. */
  isShort?: boolean;
};

/** What others think of an item, wherever it stands among others. */
export function ItemFigures({ item: { avgRating, downloadsCount }, isShort = false }: ItemFiguresProps) {
  return (
    <p class="card-figures">
      {!(isShort && avgRating === 0) && <RatingFigure average={avgRating} />}
      <span title={t('downloads', { n: downloadsCount })}>
        <Icon name="download" />
        <span aria-hidden="true">{formatCompact(downloadsCount)}</span>
        <span class="visually-hidden">{t('downloads', { n: downloadsCount })}</span>
      </span>
    </p>
  );
}
