import { DateTime, IANAZone } from 'luxon';

/** Undefined unless the text has the form. `hasZone`: whether a text without an offset is one of the zone. */
type Read = (text: string, zone: string) => DateTime;

const NAMED: Record<string, Read> = {
  iso: (text, zone) => DateTime.fromISO(text, { zone }),
  sql: (text, zone) => DateTime.fromSQL(text, { zone }),
  unix: (text, zone) => fromNumber(text, 1_000, zone),
  'unix-ms': (text, zone) => fromNumber(text, 1, zone),
};
export const NAMED_FORMS = Object.keys(NAMED);

/** Of a leap year, after noon; day, month and year cannot be confused. */
const PROBE = DateTime.fromObject({ year: 2_024, month: 10, day: 29, hour: 17, minute: 38, second: 46 }, { zone: 'utc' });

/** @returns what is wrong with a form of dates; undefined if a text has one day only by it */
export function problemOfForm(form: string): string | undefined {
  if (form in NAMED) return undefined;
  // Luxon has D for the form of a language, and no Y; other programs have them for the day and the year.
  const isOfOthers = /[DY]/.test(form.replace(/'[^']*'/g, ''));
  const probe = DateTime.fromFormat(PROBE.toFormat(form, { locale: 'en' }), form, { zone: 'utc', locale: 'en' });
  if (!isOfOthers && probe.isValid && probe.hasSame(PROBE, 'day')) return undefined;
  return (
    'is no form of a date. It has y for the year, M for the month, d for the day, H, m and s for the time, such as dd.MM.yyyy or ' +
    `yyyy-MM-dd HH:mm; or it is ${NAMED_FORMS.join(', ')}`
  );
}

export function isZone(zone: string): boolean {
  return IANAZone.isValidZone(zone);
}

/** @returns undefined unless the text has one of the forms */
function read(text: string, forms: string[], zone: string): DateTime | undefined {
  for (const form of forms) {
    const date = NAMED[form]?.(text, zone) ?? DateTime.fromFormat(text, form, { zone, locale: 'en' });
    if (date.isValid) return date;
  }
  return undefined;
}

/** @returns a time with an offset, such as 2019-04-01T10:00:00.000Z */
export function toTime(text: string, forms: string[], zone: string): string | undefined {
  return read(text, forms, zone)?.toUTC().toISO() ?? undefined;
}

/** @returns a day, such as 2019-04-01, in the zone */
export function toDay(text: string, forms: string[], zone: string): string | undefined {
  return read(text, forms, zone)?.toISODate() ?? undefined;
}

function fromNumber(text: string, factor: number, zone: string): DateTime {
  return /^-?\d{1,16}(\.\d{1,9})?$/.test(text) ? DateTime.fromMillis(Number(text) * factor, { zone }) : DateTime.invalid('no number');
}
