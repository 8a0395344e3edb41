import { useState } from 'preact/hooks';
import { Star } from '../../shared/icon.tsx';
import { rateItem } from '../api/content.ts';
import { readAgain } from '../api/use-query.ts';

const SCORES = [1, 2, 3, 4, 5];

/** The ratings given in this tab by item: the API does not tell a user's own. */
const given = new Map<number, number>();

/** Shows a rating at once, and takes it back if it cannot be stored. */
export function RatingInput({ contentId }: { contentId: number }) {
  const [score, setScore] = useState(given.get(contentId));
  const [error, setError] = useState('');
  const show = (next: number | undefined): void => {
    if (next === undefined) given.delete(contentId);
    else given.set(contentId, next);
    setScore(next);
  };
  const rate = (next: number | undefined): void => {
    show(next);
    setError('');
    rateItem(contentId, next).then(readAgain, (failure: Error) => {
      show(score);
      setError(`Your rating was not stored. ${failure.message}`);
    });
  };
  return (
    <div class="rating" role="group" aria-label="Your rating" tabIndex={-1} data-focus-place>
      <span aria-hidden="true">{score === undefined ? 'Rate it' : 'Your rating'}</span>
      <span class="rating-stars">
        {SCORES.map((value) => (
          <button key={value} type="button" aria-pressed={value === score} aria-label={starsOf(value)} onClick={() => rate(value)}>
            <Star isFilled={score !== undefined && value <= score} />
          </button>
        ))}
      </span>
      {score !== undefined && (
        <button type="button" class="button button-link" onClick={() => rate(undefined)}>
          Remove
        </button>
      )}
      <span role="status" class={error === '' ? 'visually-hidden' : 'error'}>
        {error || (score !== undefined && `You rated it with ${starsOf(score)}.`)}
      </span>
    </div>
  );
}

function starsOf(score: number): string {
  return `${score} star${score === 1 ? '' : 's'}`;
}
