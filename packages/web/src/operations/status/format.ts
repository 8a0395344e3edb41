const NUMBER = new Intl.NumberFormat('en');
const TIME = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' });
const TIME_WITH_SECONDS = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const DATE_AND_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** 18:45 */
export const formatTime = (time: number): string => TIME.format(time);
/** 18:45:03 */
export const formatSeconds = (time: number): string => TIME_WITH_SECONDS.format(time);
/** Nov 22, 2026, 18:45 */
export const formatDay = (time: string): string => DATE_AND_TIME.format(new Date(time));

/** Lengths in seconds, the longest first; each with the number of units that the next one has. */
const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/** "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "3 d": the two longest units. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  let rest = Math.round(seconds);
  const parts = UNITS.map(([unit, length]): [number, string] => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return [count, unit];
  });
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** 17,840 */
export const formatNumber = (value: number): string => NUMBER.format(value);

/** 1 item, 2 items */
export function formatCount(count: number, singular: string): string {
  return `${formatNumber(count)} ${count === 1 ? singular : `${singular}s`}`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "512 B", "1.5 MiB" */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BYTE_UNITS.length - 1);
  const value = bytes / 1_024 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[power] ?? ''}`;
}
