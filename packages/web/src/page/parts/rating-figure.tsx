import { Star } from '../../shared/icon.tsx';

export function RatingFigure({ average }: { average: number }) {
  if (average === 0) return <span class="unrated">Not rated</span>;
  return (
    <span>
      <Star isFilled />
      <span class="visually-hidden">Rated </span>
      {average.toFixed(1)}
      <span class="visually-hidden"> of 5</span>
    </span>
  );
}
