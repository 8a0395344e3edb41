import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { multiSearch } from './multi-search.ts';
import { SearchFailed } from './search-failed.ts';
import type { SearchedIndexLookup } from './searched-index.ts';
import { withSearchedIndex } from './with-searched-index.ts';

type CheckDeps = { elasticsearch: Elasticsearch; alias: string; searchedIndex: SearchedIndexLookup };

/** Whether a list can be answered. `problem`: what an operator has to do, if waiting for Elasticsearch is not enough. */
export type Searchable = { searchable: boolean; problem?: string };

const ONE_ITEM = { size: 0, terminate_after: 1 };

/** Sends the smallest search in the way of every list. */
export async function checkSearchable(deps: CheckDeps): Promise<Searchable> {
  const client = { disconnected: new AbortController().signal };
  try {
    await withSearchedIndex(deps, client, (index, { signal }) => multiSearch({ ...deps, index }, [ONE_ITEM], signal));
    return { searchable: true };
  } catch (error) {
    const problem = problemOf(error);
    return { searchable: false, ...(problem !== undefined && { problem }) };
  }
}

function problemOf(error: unknown): string | undefined {
  return error instanceof SearchFailed && error.forOperators ? error.message : undefined;
}
