const NUMBER = new Intl.NumberFormat('en');
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const DATE_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Lengths in seconds, the longest first. */
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const MONTH_SECONDS = 30 * 86_400;

/** 17,840 */
export const formatNumber = (value: number): string => NUMBER.format(value);
/** 17.8K */
export const formatCompact = (value: number): string => COMPACT.format(value);
export const formatDateTime = (time: string | number): string => DATE_TIME.format(new Date(time));

/** 1 item, 2 items */
export function formatCount(count: number, singular: string): string {
  return `${formatNumber(count)} ${count === 1 ? singular : `${singular}s`}`;
}

/** "5 minutes ago"; the date for what is older than a month. @param now in milliseconds since 1970 */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  if (seconds > MONTH_SECONDS) return DATE.format(new Date(time));
  const [unit, length] = UNITS.find(([, unitSeconds]) => seconds >= unitSeconds) ?? [];
  return unit && length ? RELATIVE.format(-Math.floor(seconds / length), unit) : 'just now';
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "512 B", "1.5 MiB" */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BYTE_UNITS.length - 1);
  const value = bytes / 1_024 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[power] ?? ''}`;
}
