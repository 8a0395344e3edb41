import { countOf, MAX_COUNTED_APART } from '@ugc/fields/counts';
import { NO_FIELDS, type Definitions } from '@ugc/fields/definition';
import { badRequest, type ErrorDetail } from '@ugc/items/problems/problem';
import type { DeclaredFields } from '@ugc/shared/fields/declared-fields';
import type { SortKey } from './parameters.ts';
import { checkFieldSort, sortsByFields } from './sort.ts';
import { checkConditions, conditionsOf, hasConditions, isAsked, type FieldFilters } from './where.ts';

/** The parameters of a request that may name declared fields. */
type MayNameFields = FieldFilters & {
  sort?: SortKey[];
  facetFields?: string[] | undefined;
  include?: string[];
  highlight?: string | undefined;
};

/**
 * Adds the fields that are declared now to the parameters of a request that names some. What marks the words of a prompt
 * does without them if they were never read.
 * @throws Problem 400 if a parameter names a field otherwise than it is declared · DatabaseUnavailable
 */
export async function withDeclared<Q extends MayNameFields>(
  declaredFields: Pick<DeclaredFields, 'find'>,
  query: Q,
): Promise<Q & { declared: Definitions }> {
  if (!namesFields(query)) {
    const declared = query.highlight === 'true' ? await declaredFields.find().catch(() => NO_FIELDS) : NO_FIELDS;
    return { ...query, declared };
  }
  const declared = await declaredFields.find();
  const errors = [...checkConditions(query, declared), ...checkFieldSort(query.sort ?? [], declared)];
  if (errors.length === 0) errors.push(...checkCounts(query, declared));
  if (errors.length > 0) throw badRequest('invalid-parameters', 'Some parameters are not valid.', errors);
  return { ...query, declared };
}

function namesFields(query: MayNameFields): boolean {
  const { sort = [], facetFields, include = [] } = query;
  return hasConditions(query) || facetFields !== undefined || include.includes('fields') || sortsByFields(sort);
}

function checkCounts({ facetFields = [], where }: MayNameFields, declared: Definitions): ErrorDetail[] {
  const conditions = conditionsOf('where', where, declared);
  const errors = facetFields.flatMap((path): ErrorDetail[] => {
    const count = countOf(path, declared, conditions);
    return 'detail' in count ? [{ parameter: 'facetFields', detail: count.detail }] : [];
  });
  const apart = new Set(facetFields.filter((path) => conditions.some((each) => isAsked(each, path))));
  if (apart.size <= MAX_COUNTED_APART) return errors;
  const detail = `must name at most ${MAX_COUNTED_APART} fields that \`where\` names too, and not ${[...apart].join(', ')}`;
  return [...errors, { parameter: 'facetFields', detail }];
}
