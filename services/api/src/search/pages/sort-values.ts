/** A hit begins with it. No item contains it: names of fields begin with a letter, and quotes in texts are escaped in JSON. */
const HIT = '{"_index":';
/** It precedes the values of the sort keys of a hit. They follow its item, which may have a declared field of this name. */
const SORT_VALUES = '"sort":[';
const VALUES = /^(-?\d+),(\d+)\]/;

/**
 * Reads a response sorted by `createdAt` and `contentId`, without parsing its items.
 * @returns the values by which its first or last hit is sorted; undefined without a hit
 */
export function sortValuesOf(response: Buffer, which: 'first' | 'last'): { createdAtMs: number; contentId: number } | undefined {
  const end = which === 'first' ? response.indexOf(HIT, response.indexOf(HIT) + 1) : -1;
  const at = response.lastIndexOf(SORT_VALUES, end === -1 ? undefined : end);
  if (at === -1) return undefined;
  const values = response.subarray(at + SORT_VALUES.length, at + SORT_VALUES.length + 64).toString('latin1');
  const [, createdAtMs, contentId] = VALUES.exec(values) ?? [];
  return createdAtMs === undefined ? undefined : { createdAtMs: Number(createdAtMs), contentId: Number(contentId) };
}
