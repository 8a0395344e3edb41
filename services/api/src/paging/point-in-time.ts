import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { SearchFailed } from '../searched-index/search-failed.ts';

/** Elasticsearch closes a point in time that could not be closed after this time. Longer than a list may take. */
const KEEP_ALIVE = '5s';

type Searched = { elasticsearch: Elasticsearch; index: string[]; preference: string };

/**
 * Calls `use` with the id of a point in time: searches of it see one state of the index, in the same shard copy.
 * @throws SearchFailed · errors of `use`
 */
export async function withPointInTime<T>({ elasticsearch, ...searched }: Searched, use: (id: string) => Promise<T>): Promise<T> {
  // It cannot be cancelled: a point in time whose id did not arrive could not be closed.
  const { id } = await elasticsearch.openPointInTime({ ...searched, keep_alive: KEEP_ALIVE }).catch((cause: unknown) => {
    throw new SearchFailed('opening a point in time failed', { cause });
  });
  try {
    return await use(id);
  } finally {
    void elasticsearch.closePointInTime({ id }).catch(() => undefined);
  }
}
