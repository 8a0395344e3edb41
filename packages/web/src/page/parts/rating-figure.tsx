import { formatCount } from '../../shared/format.ts';
import { Star } from '../../shared/icon.tsx';

/** @param count the number of ratings, if it is known */
export function RatingFigure({ average, count }: { average: number; count?: number | undefined }) {
  if (average === 0) return <span class="unrated">Not rated</span>;
  return (
    <span>
      <Star isFilled /> <span class="visually-hidden">Rated </span>
      {average.toFixed(1)}
      <span class="visually-hidden"> of 5</span>
      {count !== undefined && ` · ${formatCount(count, 'rating')}`}
    </span>
  );
}
