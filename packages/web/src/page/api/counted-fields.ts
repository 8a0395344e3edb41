import { readCondition } from '../location/conditions.ts';
import { countedPaths, declaredFields } from '../location/declared-fields.ts';
import type { View } from '../location/query-string.ts';

/** So many fields are counted by one request at most, and so many of them with conditions of their own. */
const [COUNTED_MAX, COUNTED_APART_MAX] = [8, 4];

/** @returns the fields, or parts of groups, that each request counts */
export function countedFields({ where }: Pick<View, 'where'>): string[][] {
  const conditioned = new Set(where.map((condition) => readCondition(condition).path));
  const requests: string[][] = [];
  for (const path of declaredFields.flatMap(countedPaths)) {
    const isFull = (paths: string[]): boolean =>
      paths.length === COUNTED_MAX || (conditioned.has(path) && paths.filter((each) => conditioned.has(each)).length === COUNTED_APART_MAX);
    const request = requests.find((paths) => !isFull(paths));
    if (request) request.push(path);
    else requests.push([path]);
  }
  return requests;
}
