import type { estypes } from '@elastic/elasticsearch';
import { countsIn, type Answers } from './questions.ts';

// An account uploads as many items as it likes, with any words. What is searched for in the place of a word is therefore
// decided by how many accounts use a word, and only among equals by how many items have it.

type Aggregations = Record<string, estypes.AggregationsAggregationContainer>;

/** The least and the greatest id of an account: whether it is one alone. */
export const OWNERS: Aggregations = { owners: { stats: { field: 'creatorId' } } };
/** The accounts of the items that a query matches: how many, which is exact for few, and the least id. */
export const PEOPLE: Aggregations = {
  people: { cardinality: { field: 'creatorId', precision_threshold: 100 } },
  owner: { min: { field: 'creatorId' } },
};

type Owners = { owners?: { min: number | null; max: number | null } };
type Bucket = { doc_count: number; people?: { value: number }; owner?: { value: number | null } };

/** @returns the answer to `OWNERS`: the account that alone has all items; undefined if there are several, or none */
export function ownerOf({ owners }: Owners = {}): number | undefined {
  return owners?.min === owners?.max ? (owners?.min ?? undefined) : undefined;
}

/** @returns how many accounts use what is counted; 0 if that was not asked */
export function peopleIn(answers: Answers, key: string, name = 'items'): (counted: string) => number {
  const bucketOf = bucketsIn(answers, key, name);
  return (counted) => bucketOf(counted)?.people?.value ?? 0;
}

function bucketsIn(answers: Answers, key: string, name: string): (counted: string) => Bucket | undefined {
  const { buckets = {} } = (answers.get(key)?.aggregations?.[name] ?? {}) as { buckets?: Record<string, Bucket> };
  return (counted) => buckets[counted];
}

/** @returns the account that alone uses what is counted; undefined if there are several */
export function ownerIn(answers: Answers, key: string, name = 'items'): (counted: string) => number | undefined {
  const bucketOf = bucketsIn(answers, key, name);
  return (counted) => (bucketOf(counted)?.people?.value === 1 ? (bucketOf(counted)?.owner?.value ?? undefined) : undefined);
}

/**
 * Sorts candidates that items contain. Those that several accounts use come first, by the counts; then those that one
 * account uses, of each account first only its best one. So whatever an account uploads, it adds one candidate before those
 * of others.
 * @param names of the counts, the most important first; the last one counts all items
 */
export function byPeople(candidates: string[], answers: Answers, key: string, names: readonly string[]): string[] {
  const counts = names.flatMap((name) => [peopleIn(answers, key, name), countsIn(answers, key, name)]);
  const owner = ownerIn(answers, key);
  const all = countsIn(answers, key, names.at(-1));
  const isShared = (text: string): number => Number(owner(text) === undefined);
  const compare = (a: string, b: string): number => {
    const differences = [isShared, ...counts].map((count) => count(b) - count(a));
    return differences.find((difference) => difference !== 0) ?? 0;
  };
  const sorted = candidates.filter((text) => all(text) > 0).toSorted(compare);
  const owners = sorted.map(owner);
  const isFurther = (_: string, at: number): boolean => owners[at] !== undefined && owners.indexOf(owners[at]) < at;
  return [...sorted.filter((text, at) => !isFurther(text, at)), ...sorted.filter(isFurther)];
}
