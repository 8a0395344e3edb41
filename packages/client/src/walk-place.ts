import type { ListContentData } from './generated/types.gen.ts';

/** Where a walk goes on: parameters of a list, in place of those with which the walk has begun. */
export type WalkPlace = Pick<NonNullable<ListContentData['query']>, 'after' | 'page'>;

const places = new WeakMap<object, WalkPlace>();

/**
 * Where a walk with `pages` or `items` has stopped: all pages before were read, and `ugc.items({ ...query, ...placeOf(error) })`
 * goes on behind them. @returns undefined for an error of anything else
 */
export function placeOf(error: unknown): WalkPlace | undefined {
  return typeof error === 'object' && error !== null ? places.get(error) : undefined;
}

/** The message of the error names the place too. */
export function stoppedAt(error: unknown, place: WalkPlace): unknown {
  if (!(error instanceof Error)) return error;
  places.set(error, place);
  const [[name, value] = ['page', 0]] = Object.entries(place);
  error.message += ` The list was read up to ${name}=${value}, where it goes on.`;
  return error;
}
