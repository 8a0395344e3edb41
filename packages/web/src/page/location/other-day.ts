const DAY_MS = 86_400_000;

const LAST_MS = Date.parse('9999-12-31');

/** @returns an empty text for what is no date of four digits of the year @example otherDay('2026-11-20', 1) → '2026-11-21' */
export function otherDay(date: string, days: number): string {
  const time = Date.parse(date) + days * DAY_MS;
  return time <= LAST_MS ? new Date(time).toISOString().slice(0, 10) : '';
}
