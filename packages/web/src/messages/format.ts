import { language } from './texts.ts';

const NUMBER = new Intl.NumberFormat(language);
const COMPACT = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
const RATING = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const DATE = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
/** The API understands a date as UTC. */
const DAY = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const DATE_TIME = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const ALTERNATIVES = new Intl.ListFormat(language, { type: 'disjunction' });

/** Lengths in seconds, the longest first. */
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const MONTH_SECONDS = 30 * 86_400;

const MONTH = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' });

/** 17,840 */
export const formatNumber = (value: number): string => NUMBER.format(value);
/** 17,840 becomes 18,000: what an estimate says. */
export const roundRoughly = (value: number): number => Number(value.toPrecision(2));
/** 17.8K */
export const formatCompact = (value: number): string => COMPACT.format(value);
/** 4.0 */
export const formatRating = (value: number): string => RATING.format(value);
export const formatDateTime = (time: string | number): string => DATE_TIME.format(new Date(time));
/** "a, b, or c" */
export const listOr = (texts: string[]): string => ALTERNATIVES.format(texts);

/** @param time a time, or a date such as 2026-11-20 · @returns what is neither as it is */
export function formatTime(time: string): string {
  if (Number.isNaN(Date.parse(time))) return time;
  return time.length > 10 ? formatDateTime(time) : DAY.format(new Date(time));
}

/** November 2026 */
export const formatMonth = (time: string): string => MONTH.format(new Date(time));

/** "5 minutes ago"; the date for what is older than a month. @param now in milliseconds since 1970 */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  if (seconds > MONTH_SECONDS) return DATE.format(new Date(time));
  const [unit, length] = UNITS.find(([, unitSeconds]) => seconds >= unitSeconds) ?? ['second' as const, Infinity];
  return RELATIVE.format(-Math.floor(Math.max(0, seconds) / length), unit);
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** "512 bytes", "1.5 MB": the short form of a byte has no plural. */
export function formatBytes(bytes: number, code = language): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1);
  const unitDisplay = power === 0 ? 'long' : 'short';
  const options = { style: 'unit', unit: BYTE_UNITS[power], unitDisplay, maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat(code, options).format(bytes / 1_000 ** power);
}
