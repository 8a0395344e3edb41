import { formatRating } from '../../messages/format.ts';
import { Star } from '../../shared/icon.tsx';
import { t } from '../../messages/texts.ts';

/** @param count the number of ratings, if it is known */
export function RatingFigure({ average, count }: { average: number; count?: number | undefined }) {
  if (average === 0) return <span class="unrated">{t('notRated')}</span>;
  return (
    <span>
      <Star isFilled /> <span aria-hidden="true">{formatRating(average)}</span>
      <span class="visually-hidden">{t('rated', { average: formatRating(average) })}</span>
      {count !== undefined && ` · ${t('ratings', { n: count })}`}
    </span>
  );
}
