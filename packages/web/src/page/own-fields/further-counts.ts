import { countFacets } from '../api/content.ts';
import { countedFields } from '../api/counted-fields.ts';
import type { Facets } from '../api/types.ts';
import type { View } from '../location/query-string.ts';

export type FieldFacets = NonNullable<Facets['facets']['fields']>;
type Counts = { facets: FieldFacets; sampled: NonNullable<Facets['sampled']> };

/** Counts the fields beyond those of the request that the other facets are of. */
export async function countFurther(view: View, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = { facets: {}, sampled: {} };
  for (const paths of countedFields(view).slice(1)) {
    const { facets, sampled } = await countFacets(view, '', signal, paths);
    Object.assign(counts.facets, facets.fields);
    Object.assign(counts.sampled, sampled);
  }
  return counts;
}
