import { useRef, useState } from 'preact/hooks';
import { Star } from '../../shared/icon.tsx';
import { useStore } from '../../shared/store.ts';
import { rateItem } from '../api/changes.ts';
import { getRating } from '../api/more-content.ts';
import type { ContentItem } from '../api/types.ts';
import { readAgain, useQuery } from '../api/use-query.ts';
import { session } from '../token/session.ts';
import { t } from '../../messages/texts.ts';

const SCORES = [1, 2, 3, 4, 5];

/** The creator cannot rate the item, but remove a rating of earlier times. */
export function RatingInput({ item: { contentId, creatorId } }: { item: ContentItem }) {
  const { user } = useStore(session);
  const { score, rate, error } = useRating(contentId);
  const isOwn = user?.userId === creatorId;
  if (isOwn && score === null) return null;
  return (
    <div class="rating" role="group" aria-label={t('yourRating')} tabIndex={-1} data-focus-place>
      <span aria-hidden="true">{t(score === null ? 'rateIt' : 'yourRating')}</span>
      {isOwn ? starsOf(score ?? 0) : <Stars score={score ?? 0} onRate={rate} />}
      {score !== null && (
        <button type="button" class="button button-link" onClick={() => rate(null)}>
          {t('remove')}
        </button>
      )}
      <Status score={score} error={error} />
    </div>
  );
}

function Status({ score, error }: { score: number | null; error: string }) {
  return (
    <span role="status" class={error === '' ? 'visually-hidden' : 'error'}>
      {error || (score !== null && t('youRated', { n: score }))}
    </span>
  );
}

/** Shows a rating at once, and takes it back if it cannot be stored. The last click counts: requests might overtake each other. */
function useRating(contentId: number) {
  const { data: read } = useQuery(`rating ${contentId}`, (signal) => getRating(contentId, signal));
  const [given, setGiven] = useState<number | null>();
  const [error, setError] = useState('');
  const newest = useRef(0);
  const sent = useRef<Promise<unknown>>(Promise.resolve());
  const rate = (next: number | null): void => {
    const turn = (newest.current += 1);
    const isNewest = (): boolean => turn === newest.current;
    setGiven(next);
    setError('');
    sent.current = sent.current
      .then(() => (isNewest() ? rateItem(contentId, next) : undefined))
      .then(
        () => isNewest() && readAgain(),
        (failure: Error) => {
          if (!isNewest()) return;
          setGiven(undefined);
          setError(t('ratingLost', { reason: failure.message }));
        },
      );
  };
  return { score: given === undefined ? (read ?? null) : given, rate, error };
}

function Stars({ score, onRate }: { score: number; onRate: (score: number) => void }) {
  return (
    <span class="rating-stars">
      {SCORES.map((value) => (
        <button key={value} type="button" aria-pressed={value === score} aria-label={starsOf(value)} onClick={() => onRate(value)}>
          <Star isFilled={value <= score} />
        </button>
      ))}
    </span>
  );
}

function starsOf(score: number): string {
  return t('stars', { n: score });
}
