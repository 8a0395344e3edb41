import type { Facets } from '../api/types.ts';
import { t } from '../../messages/texts.ts';

/** `count` is the number of items with at least `minimum`. */
export type MinimumOption = { minimum: number; label: string; count: number | undefined };

const RATINGS = [4, 3, 2];
const DOWNLOADS = [10_000, 1_000, 100];

export function ratingOptions(facet: Facets['facets']['ratings'] | undefined): MinimumOption[] {
  return RATINGS.map((minimum) => ({
    minimum,
    label: t('minStars', { n: minimum }),
    count: facet && sum(facet.values.filter(({ stars }) => stars >= minimum)),
  }));
}

/** The facet counts by powers of ten, and so do the options. */
export function downloadOptions(facet: Facets['facets']['downloads'] | undefined): MinimumOption[] {
  return DOWNLOADS.map((minimum) => ({
    minimum,
    label: t('orMore', { min: minimum }),
    count: facet && sum(facet.values.filter(({ min }) => min >= minimum)),
  }));
}

function sum(values: { count: number }[]): number {
  return values.reduce((total, { count }) => total + count, 0);
}
