import type { DeclaredField, Facets } from './generated/types.gen.ts';
import { isOwn, pathIn, pathOf, type Query } from './instantsearch-filters.ts';
import type { UgcClient } from './ugc-client.ts';

/** A request of the service counts so many declared fields, and so many of them whose values are chosen with `where`. */
const [MAX_COUNTED, MAX_CHOSEN] = [8, 4];

/** Widgets of a range ask for the facet of their attribute, of which the service has no counts. */
const RANGED = ['number', 'date', 'version'];

export type ReadOwnFacets = (names: string[], matches: Query) => Promise<Facets>;

/** @returns what counts the facets of the service, and those of the names that are declared fields, in as few requests as possible */
export function ownFacets(ugc: UgcClient): ReadOwnFacets {
  const isCounted = countedFields(ugc);
  return async (names, matches) => {
    const own = names.filter(isOwn).map(pathOf);
    const isWanted = own.length > 0 ? await isCounted() : () => true;
    const requests = inRequests(own.filter(isWanted), (matches.where ?? []).map(pathIn));
    const count = (facetFields: string[]) =>
      ugc.countFacets({ query: { ...matches, ...(facetFields.length > 0 && { facetFields }) } }).then(({ data }) => data);
    const counted = (await Promise.all(requests.map(count))) as [Facets, ...Facets[]];
    const fields = Object.fromEntries(counted.flatMap(({ facets }) => Object.entries(facets.fields ?? {})));
    return { ...counted[0], facets: { ...counted[0].facets, fields } };
  };
}

/** Reads the declared fields once. @returns whether the values of a field are counted; of an unknown one, the service says so */
function countedFields(ugc: UgcClient): () => Promise<(path: string) => boolean> {
  let known: Promise<DeclaredField[]> | undefined;
  return async () => {
    known ??= ugc.getFields().then(({ data }) => data.fields);
    const fields = await known.catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return (path) => !fields.some(({ name, facet, type }) => name === path && !facet && RANGED.includes(type));
  };
}

function inRequests(paths: string[], conditions: string[]): string[][] {
  const chosen = paths.filter((path) => conditions.includes(path));
  const sorted = [...chosen, ...paths.filter((path) => !chosen.includes(path))];
  const count = Math.max(1, Math.ceil(paths.length / MAX_COUNTED), Math.ceil(chosen.length / MAX_CHOSEN));
  return Array.from({ length: count }, (_, n) => sorted.filter((__, at) => at % count === n));
}
