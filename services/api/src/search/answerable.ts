import { Problem, type ErrorDetail } from '@ugc/items/problems/problem';
import type { SearchedIndex } from './index-lookup.ts';
import type { Query } from './response.ts';

/** What a request asks of the index: a parameter, and the fields of the index that answer it. */
export type Asked = { parameter: string; fields: string[] };
export type Mapped = Pick<SearchedIndex, 'fields'> & Partial<Pick<SearchedIndex, 'publicDownloads'>>;

const HEADERS = { 'Retry-After': '60' };

/**
 * An index that lacks a field would answer a filter with nothing, an exclusion with everything, and an order with an error.
 * @throws Problem 503 unless the index has every field
 */
export function assertAnswers(index: Pick<Mapped, 'fields'>, asked: Asked[]): void {
  const missing = asked.filter(({ fields }) => !hasFields(index, fields));
  if (missing.length > 0) throw rebuildDue(missing.map(({ parameter }) => parameter));
}

export function hasFields({ fields }: Pick<Mapped, 'fields'>, asked: string[]): boolean {
  return asked.every((field) => fields.has(field));
}

/** @returns the fields that a clause of a filter asks */
export function fieldsOf(clause: Query): string[] {
  return Object.entries(clause as object).flatMap(([kind, asked]) => {
    const clauses = (): Query[] => Object.values(asked as Record<string, Query[]>).flat();
    return kind === 'bool' ? clauses().flatMap(fieldsOf) : Object.keys(asked as object);
  });
}

/** @param parameters those of the request that the index cannot answer */
export function rebuildDue(parameters: string[]): Problem {
  const detail = 'is not in the search index yet, which was made by an earlier release, or before the field was declared';
  const errors = parameters.map((parameter): ErrorDetail => ({ parameter, detail }));
  const what = `The search index cannot answer ${parameters.join(', ')} until an operator has rebuilt it (npx pnpm index:rebuild).`;
  return new Problem(503, 'rebuild-due', `${what} Requests without it are answered.`, { errors, headers: HEADERS });
}
