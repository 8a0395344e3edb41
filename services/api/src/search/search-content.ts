import { createHash } from 'node:crypto';
import { correctionHeader, explain } from '../prompt/explanation.ts';
import { findSameItems, type Interpretation } from '../prompt/interpret-prompt.ts';
import type { KnownWords } from '../prompt/known-words.ts';
import type { SearchClient, SearchSource } from '../searched-index/request-search.ts';
import type { SearchedIndex, SearchedIndexLookup } from '../searched-index/searched-index.ts';
import { withSearchedIndex, type Deadline } from '../searched-index/with-searched-index.ts';
import type { ListParameters } from './list-parameters.ts';
import type { PageRenderer } from './page-renderer.ts';
import { readPage, type FoundPage } from '../paging/read-page.ts';
import { readPrompt } from './read-prompt.ts';
import { buildQuery, buildSort, type SearchedPrompt } from './search-query.ts';

export type SearchDeps = SearchSource & {
  alias: string;
  pages: PageRenderer;
  searchedIndex: SearchedIndexLookup;
  knownWords: KnownWords;
};

/** For all searches of one list request. */
const LIST_TIMEOUT_MS = 3_000;

/** `body` is the page as JSON in UTF-8, `correction` the value of the header Search-Correction. */
type ListResponse = { body: Buffer; correction: string | undefined };

/** @throws errors of `readPage`, `readPrompt`, `withSearchedIndex` */
export async function searchContent(deps: SearchDeps, parameters: ListParameters, client: SearchClient): Promise<ListResponse> {
  const deadline = { ...client, signal: AbortSignal.any([client.disconnected, AbortSignal.timeout(LIST_TIMEOUT_MS)]) };
  return withSearchedIndex(deps, deadline, async (index) => {
    const { response, interpretation, ...order } = await searchConfirmed({ ...deps, index }, parameters, deadline);
    const { page, size, include } = parameters;
    const shown = parameters.explain === 'true' && interpretation ? explain(interpretation) : undefined;
    const request = { page, size, includeTags: include === 'tags', interpretation: shown, shards: index.shards, ...order };
    const body = await deps.pages.render(response, request, deadline.signal);
    return { body, correction: interpretation && correctionHeader(interpretation) };
  });
}

type IndexDeps = SearchDeps & { index: SearchedIndex };

/** Searches for the draft of the prompt while it is confirmed, and once more if it was wrong. */
async function searchConfirmed(
  deps: IndexDeps,
  parameters: ListParameters,
  deadline: Deadline,
): Promise<FoundPage & { interpretation: Interpretation | undefined }> {
  const search = (prompt: SearchedPrompt | undefined) => readPage(deps, pageSearch(parameters, prompt), deadline);
  const draft = await readPrompt(deps, parameters, deadline);
  if (!draft) return { ...(await search(undefined)), interpretation: undefined };
  const confirming = draft.confirm();
  // Handled below, unless the search fails first.
  confirming.catch(() => undefined);
  const found = await search(draft);
  const interpretation = await confirming;
  if (findSameItems(draft.interpretation, interpretation)) return { ...found, interpretation };
  deadline.reservation.release();
  return { ...(await search({ ...draft, interpretation })), interpretation };
}

function pageSearch(parameters: ListParameters, searched: SearchedPrompt | undefined) {
  const { prompt, match, correct, page, size, sort, explain: _explain, include: _include, ...filters } = parameters;
  // Scores differ slightly between shard copies, so all pages of a list come from the same copy.
  const preference = createHash('sha256')
    .update(JSON.stringify([prompt, match, correct, filters]))
    .digest('hex');
  return { query: buildQuery(searched, filters), sort: buildSort(sort, prompt), from: page * size, size, preference };
}
