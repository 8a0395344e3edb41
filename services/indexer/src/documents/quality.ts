import type { IndexedContent } from '@ugc/shared/contracts/content';
import { QUALITY_FACTOR } from '@ugc/shared/contracts/content-index';

/** An item without ratings counts as one with this mean, which it leaves slowly: the prior has the weight of some ratings. */
const PRIOR = { mean: 3.5, ratings: 5 };
/** Ten times as many downloads add so much. */
const DOWNLOADS_WEIGHT = 1 / 5;
/** The origin is constant, so that the order of two items never changes by itself. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);
const YEAR_MS = 365.25 * 86_400_000;
/** The quality of an item is e times that of one that is so much older. */
const DECAY_YEARS = 5;

/** Keeps nearly all items between the bounds, where they differ. */
const FACTOR_EXPONENT = 1 / 3;
/** The age alone changes the factor by at most a tenth. Beyond some decades from the origin, it hardly matters. */
const FACTOR_AGE = { weight: 0.1, years: 10 };

type Rated = Pick<IndexedContent, 'ratingSum' | 'ratingCount' | 'downloadsCount' | 'createdAt'>;

/** See docs/decisions/0035-sort-by-quality.md. */
export function qualityOf(item: Rated): { quality: number; qualityFactor: number } {
  const popularity = meanRating(item) * (1 + DOWNLOADS_WEIGHT * Math.log10(1 + item.downloadsCount));
  const years = (item.createdAt.getTime() - ORIGIN_MS) / YEAR_MS;
  const age = Math.exp(FACTOR_AGE.weight * Math.tanh(years / FACTOR_AGE.years));
  const factor = (popularity / PRIOR.mean) ** FACTOR_EXPONENT * age;
  return {
    quality: popularity * Math.exp(years / DECAY_YEARS),
    qualityFactor: Math.min(Math.max(factor, QUALITY_FACTOR.min), QUALITY_FACTOR.max),
  };
}

/** The Bayesian mean: few ratings say little. */
function meanRating({ ratingSum, ratingCount }: Rated): number {
  return (PRIOR.mean * PRIOR.ratings + ratingSum) / (PRIOR.ratings + ratingCount);
}
