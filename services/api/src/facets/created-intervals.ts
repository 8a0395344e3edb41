/** Points in time, in milliseconds since 1970. */
export type Span = { first: number; last: number };

const MAX_INTERVALS = 60;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** From short to long, by the names of `calendar_interval` in Elasticsearch. Months have different lengths. */
const INTERVALS = {
  hour: { shortestMs: HOUR_MS, months: 0 },
  day: { shortestMs: DAY_MS, months: 0 },
  week: { shortestMs: 7 * DAY_MS, months: 0 },
  month: { shortestMs: 28 * DAY_MS, months: 1 },
  quarter: { shortestMs: 90 * DAY_MS, months: 3 },
  year: { shortestMs: 365 * DAY_MS, months: 12 },
};
export type Interval = keyof typeof INTERVALS;
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[];

/** @returns the shortest interval of which at most 60 contain the span, or a year */
export function intervalFor({ first, last }: Span): Interval {
  // Two hours can overlap with three calendar hours.
  const count = (name: Interval): number => Math.floor((last - first) / INTERVALS[name].shortestMs) + 2;
  return INTERVAL_NAMES.find((name) => count(name) <= MAX_INTERVALS) ?? 'year';
}

/** @param start the beginning of an interval in UTC, in milliseconds since 1970 */
export function endOfInterval(start: number, interval: Interval): number {
  const { shortestMs, months } = INTERVALS[interval];
  if (months === 0) return start + shortestMs;
  const date = new Date(start);
  return date.setUTCMonth(date.getUTCMonth() + months);
}
