const DAY_MS = 86_400_000;

/** @returns an empty text for what is no date @example otherDay('2026-11-20', 1) → '2026-11-21' */
export function otherDay(date: string, days: number): string {
  const time = Date.parse(date) + days * DAY_MS;
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
}
