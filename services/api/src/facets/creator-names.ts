import type { estypes } from '@elastic/elasticsearch';
import type { ContentDocument } from '@ugc/shared/contracts/content-index';
import { multiSearch, type IndexSource } from '../searched-index/multi-search.ts';

type Named<T> = T & { creatorName: string };

/**
 * Adds the name in any item of the creator. Creators whose last items have been deleted since they were counted are
 * omitted.
 * @throws as `multiSearch`
 */
export async function withCreatorNames<T extends { creatorId: number }>(
  source: IndexSource,
  creators: T[],
  signal: AbortSignal,
): Promise<Named<T>[]> {
  const responses = await multiSearch(source, creators.map(anyItemOf), signal);
  const names = responses.map(({ hits: { hits: [hit] } }) => (hit?._source as ContentDocument | undefined)?.creatorName); // prettier-ignore
  return creators.flatMap((creator, position) => {
    const creatorName = names[position];
    return creatorName === undefined ? [] : [{ ...creator, creatorName }];
  });
}

function anyItemOf({ creatorId }: { creatorId: number }): estypes.SearchSearchRequestBody {
  return { query: { term: { creatorId } }, size: 1, terminate_after: 1, _source: ['creatorName'] };
}
