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
  if (Object.hasOwn(NAMED, form)) return undefined;
  // Luxon has D for the form of a language, and no Y; other programs have them for the day and the year.
  const letters = form.replace(/'[^']*'/g, ' ');
  const isOfOthers = /[DY]/.test(letters);
  const probe = DateTime.fromFormat(PROBE.toFormat(form, { locale: 'en' }), form, { zone: 'utc', locale: 'en' });
  if (!isOfOthers && probe.isValid && probe.hasSame(PROBE, 'day')) return problemOfTwice(letters);
  return (
    'is no form of a date. It has y for the year, M for the month, d for the day, H, m and s for the time, such as dd.MM.yyyy or ' +
    `yyyy-MM-dd HH:mm; or it is ${NAMED_FORMS.join(', ')}`
  );
}

/** What the letters of a form stand for. */
const PARTS: [letters: RegExp, part: string, hint: string][] = [
  [/y+|k+/g, 'the year', 'y is for the year'],
  [/[ML]+/g, 'the month', 'm is for the minutes, such as HH:mm'],
  [/d+|o+/g, 'the day', 'd is for the day'],
  [/[Ec]+/g, 'the day of the week', 'd is for the day'],
  [/[Hh]+/g, 'the hour', 'H is for the hour'],
  [/m+/g, 'the minutes', 'M is for the month, such as yyyy-MM-dd'],
  [/s+/g, 'the seconds', 's is for the seconds, and SSS for those of a thousandth'],
  [/[Zz]+/g, 'the zone', 'Z is for the offset'],
];

/** Of two texts for one part, Luxon takes one and says nothing: with HH:MM, the minutes are the month. */
function problemOfTwice(letters: string): string | undefined {
  const [twice] = PARTS.flatMap(([pattern, part, hint]) => {
    const found = letters.match(pattern) ?? [];
    return found.length > 1 ? [`has ${part} twice, as ${found.join(' and ')}: ${hint}`] : [];
  });
  return twice;
}

export function isZone(zone: string): boolean {
  return IANAZone.isValidZone(zone);
}

/** @returns undefined unless the text has one of the forms */
function read(text: string, forms: string[], zone: string): DateTime | undefined {
  for (const form of forms) {
    const date =
      (Object.hasOwn(NAMED, form) ? NAMED[form]?.(text, zone) : undefined) ?? DateTime.fromFormat(text, form, { zone, locale: 'en' });
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
