const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The first Monday after the beginning of 1970. */
const MONDAY_MS = 4 * DAY_MS;
const MAX_VALUES = 60;

/** Numbers the intervals in UTC. Times are in milliseconds since 1970. */
type Numbering = { numberOf(time: number): number; startOf(number: number): number };

/** The shortest comes first. */
const INTERVALS = {
  hour: fixed(HOUR_MS),
  day: fixed(DAY_MS),
  week: fixed(7 * DAY_MS, MONDAY_MS),
  month: months(1),
  quarter: months(3),
  year: months(12),
} satisfies Record<string, Numbering>;

export type Interval = keyof typeof INTERVALS;
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[];

/** The items of a time: of an hour or of a day, from `time` on. */
export type TimeCount = { time: number; count: number };
type IntervalCount = { from: number; to: number; count: number };

/** @returns the shortest interval of which at most 60 cover the whole days from the first to the last one, or a year */
export function intervalOf(days: TimeCount[]): Interval {
  const { first, last } = rangeOf(days);
  const count = ({ numberOf }: Numbering): number => numberOf(last + DAY_MS - 1) - numberOf(first) + 1;
  return INTERVAL_NAMES.find((name) => count(INTERVALS[name]) <= MAX_VALUES) ?? 'year';
}

/**
 * @param counts by hour, or by day for longer intervals
 * @returns also the intervals without items between others, unless these were more than 60 values: one item of the year 1
 *   would add two thousand
 */
export function countByInterval(counts: TimeCount[], interval: Interval): IntervalCount[] {
  if (counts.length === 0) return [];
  const { numberOf, startOf } = INTERVALS[interval];
  const sums = new Map<number, number>();
  for (const { time, count } of counts) sums.set(numberOf(time), (sums.get(numberOf(time)) ?? 0) + count);
  const { first, last } = rangeOf(counts);
  const length = numberOf(last) - numberOf(first) + 1;
  // The counts are in the order of time, and so are the keys.
  const numbers = length > MAX_VALUES ? [...sums.keys()] : Array.from({ length }, (_, n) => numberOf(first) + n);
  return numbers.map((number) => ({ from: startOf(number), to: startOf(number + 1), count: sums.get(number) ?? 0 }));
}

/** @param counts in the order of time */
function rangeOf(counts: TimeCount[]): { first: number; last: number } {
  return { first: counts.at(0)?.time ?? 0, last: counts.at(-1)?.time ?? 0 };
}

function fixed(lengthMs: number, offsetMs = 0): Numbering {
  return {
    numberOf: (time) => Math.floor((time - offsetMs) / lengthMs),
    startOf: (number) => number * lengthMs + offsetMs,
  };
}

function months(length: number): Numbering {
  const monthOf = (date: Date): number => 12 * (date.getUTCFullYear() - 1_970) + date.getUTCMonth();
  return {
    numberOf: (time) => Math.floor(monthOf(new Date(time)) / length),
    startOf: (number) => Date.UTC(1_970, number * length),
  };
}
