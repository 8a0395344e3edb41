import { z } from 'zod';

const IsoDate = z.iso.date();
/** Java prints whole minutes without their seconds. */
const IsoTime = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);

/** The patterns below take quadratic time. */
const TIME_MAX_CHARACTERS = 64;

/**
 * Parses a date, which begins at midnight UTC, or a time with an offset. A fraction of a millisecond is rounded up,
 * because times are stored in milliseconds. A space before the offset is read as a plus that was not percent-encoded, and
 * `+0100`, as Python writes it, as `+01:00`.
 * @returns NaN unless the text is an ISO 8601 date or a time with an offset
 */
export function parseTime(text: string): number {
  if (text.length > TIME_MAX_CHARACTERS) return NaN;
  const iso = text.replace(/(T.*)[ +](\d{2}):?(\d{2})$/, '$1+$2:$3').replace(/(T.*-\d{2})(\d{2})$/, '$1:$2');
  if (!IsoDate.safeParse(iso).success && !IsoTime.safeParse(iso).success) return NaN;
  const isFractional = /\.\d{3}\d*[1-9]/.test(iso);
  return Date.parse(iso) + (isFractional ? 1 : 0);
}
