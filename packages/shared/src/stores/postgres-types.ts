import pg from 'pg';

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Tells pg how to read the values of a type. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  // All bigint values of the schema are ids and counts below 2^53.
  if (oid === INT8) return Number;
  return oid === TIMESTAMPTZ && format !== 'binary' ? parseTime : pg.types.getTypeParser(oid, format);
}

const parseIso = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => unknown;

/** Other formats of PostgreSQL would silently become another time. @throws Error */
function parseTime(text: string): unknown {
  if (/^(\d{4,6}-|-?infinity)/.test(text)) return parseIso(text);
  throw new Error('PostgreSQL returned a time that is not in the format of DateStyle ISO');
}
