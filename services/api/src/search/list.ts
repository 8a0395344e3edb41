import { textRulesOf } from '@ugc/shared/search-text/text-rules';
import { hash } from 'node:crypto';
import { isBlank } from '@ugc/shared/search-text/is-blank';
import { filterClauses } from './filters.ts';
import { searchedText } from './highlight/searched-text.ts';
import type { Meaning } from './meaning/meaning.ts';
import { PromptVectors } from './meaning/prompt-vectors.ts';
import { isRanked, readRankedPage, type RankedPage } from './meaning/read-ranked-page.ts';
import { isEmptyPage, readPage, type LongLists, type PageSearch } from './pages/read-page.ts';
import { sourceOf, type ListParameters, type MatchParameters } from './parameters.ts';
import { correctionHeader, explain } from './prompt/explanation.ts';
import { confirmDraft, findSameItems, interpretPrompt, relaxations, type Interpretation } from './prompt/interpret-prompt.ts';
import { parsePrompt } from './prompt/parse-prompt.ts';
import { existsSearch, matchesOf } from './prompt/vocabulary-searches.ts';
import type { KnownWords } from './prompt/known-words.ts';
import { Vocabulary } from './prompt/vocabulary.ts';
import { buildQuery, onlyExcludes } from './query.ts';
import { renderItems, type RenderDeps } from './render-items.ts';
import { inSession, type Caller, type SearchSource, type Session } from './session.ts';
import { buildSort, sortsByBest, weighByQuality } from './sort.ts';
import type { Synonyms } from './prompt/synonyms.ts';

/** `knownWords`: see `createKnownWords`. `meaning` is undefined without an embedding service. */
export type SearchDeps = SearchSource &
  RenderDeps & { knownWords: KnownWords; longLists: LongLists; synonyms: Synonyms; meaning?: Meaning | undefined };

/**
 * `body` is the page as JSON in UTF-8, `correction` the value of the header Search-Correction, `ranking` that of
 * Search-Ranking. `isEmpty`: whether no item matches the prompt, on whatever page; false without a prompt.
 */
export type ListResponse = { body: Buffer; correction: string | undefined; ranking: string | undefined; isEmpty: boolean };

/** @throws errors of `inSession`, of `readPage` and of `renderItems` */
export async function listContent(deps: SearchDeps, parameters: ListParameters, caller: Caller): Promise<ListResponse> {
  const prompts = deps.meaning && new PromptVectors(deps.meaning, caller.user);
  return inSession(deps, caller, async (session) => {
    const isHighlighted = parameters.highlight === 'true';
    const { found, interpretation } = await searchInterpreted(session, deps, parameters, {
      search: (interpreted) => readList(session, { ...deps, prompts }, parameters, interpreted),
      isEmpty: (page) => isEmptyPage(page, session.index.shards),
    });
    // The response is given to the renderer.
    const isEmpty = interpretation !== undefined && isEmptyPage(found, session.index.shards);
    const { response, ranking, ...order } = found;
    const { page, size, include, fields, totals } = parameters;
    const request = {
      page,
      size,
      isSlice: totals === 'false',
      includeTags: include === 'tags',
      isSummary: fields === 'summary',
      highlighted: isHighlighted ? searchedText(interpretation) : undefined,
      interpretation: parameters.explain === 'true' && interpretation ? explain(interpretation, ranking) : undefined,
      ...order,
    };
    const body = await renderItems(session, deps, { response, request, caller });
    return { body, correction: interpretation && correctionHeader(interpretation), ranking, isEmpty };
  });
}

async function readList(
  session: Session,
  { longLists, meaning, prompts }: Pick<SearchDeps, 'longLists' | 'meaning'> & { prompts: PromptVectors | undefined },
  parameters: ListParameters,
  interpretation: Interpretation | undefined,
): Promise<RankedPage> {
  const page = pageSearch(parameters, interpretation, longLists);
  if (!interpretation || !isRanked(parameters)) return readPage(session, page);
  if (!meaning || !prompts || parameters.semantic === 'false') return { ...(await readPage(session, page)), ranking: 'lexical' };
  return readRankedPage(session, { page, interpretation, meaning, prompts });
}

function pageSearch(parameters: ListParameters, interpretation: Interpretation | undefined, longLists: LongLists): PageSearch {
  const { page, size, sort, fields, totals } = parameters;
  const query = buildQuery(interpretation, filterClauses(parameters));
  const hasPrompt = interpretation !== undefined;
  const hasScores = hasPrompt && !onlyExcludes(interpretation);
  return {
    query: hasScores && sortsByBest(sort) ? weighByQuality(query) : query,
    sort: buildSort(sort, { hasPrompt, hasScores }),
    from: page * size,
    size,
    preference: preferenceOf(parameters),
    // Many users read the same list without a prompt, and its sort takes most of the time in a large index. Prompts differ.
    longLists: hasPrompt ? undefined : longLists,
    hasTotal: totals === 'true',
    ...sourceOf(fields),
  };
}

type Interpreted<T> = { found: T; interpretation: Interpretation | undefined };
/** `isEmpty`: whether no item matches, on whatever page. */
type Search<T> = { search: (interpretation: Interpretation | undefined) => Promise<T>; isEmpty: (found: T) => boolean };

/**
 * Searches for the draft of the prompt while it is confirmed, and once more if it was wrong. If nothing is found, what was
 * remembered of the words is looked up again, and fewer words are required. Without a prompt, the interpretation is
 * undefined.
 * @throws errors of `search` and of `Vocabulary`
 */
export async function searchInterpreted<T>(
  session: Session,
  { knownWords, synonyms }: Pick<SearchDeps, 'knownWords' | 'synonyms'>,
  parameters: MatchParameters,
  search: Search<T>,
): Promise<Interpreted<T>> {
  if (isBlank(parameters.prompt)) return { found: await search.search(undefined), interpretation: undefined };
  const vocabulary = new Vocabulary(session, knownWords);
  const words = { vocabulary, synonyms };
  const first = await searchConfirmed(session, words, parameters, search);
  if (!search.isEmpty(first.found) || parameters.correct === 'false') return first;
  const isOutdated = vocabulary.forget(first.interpretation.words.map(({ text }) => text));
  const relearnt = isOutdated ? await searchConfirmed(session, words, parameters, search) : first;
  const relaxed = search.isEmpty(relearnt.found) ? await relax(session, relearnt.interpretation) : undefined;
  if (!relaxed) return relearnt;
  session.discard();
  return { found: await search.search(relaxed), interpretation: relaxed };
}

type Confirmed<T> = { found: T; interpretation: Interpretation };

async function searchConfirmed<T>(
  session: Session,
  { vocabulary, synonyms }: { vocabulary: Vocabulary; synonyms: Synonyms },
  { prompt, match, correct }: MatchParameters,
  { search }: Search<T>,
): Promise<Confirmed<T>> {
  const parsed = parsePrompt(prompt, textRulesOf(session.index.mappingVersion));
  const draft = await interpretPrompt(parsed, { match, correct: correct === 'true', synonyms }, vocabulary);
  const confirming = confirmDraft(draft, vocabulary);
  // Handled below, unless the search fails first.
  confirming.catch(() => undefined);
  const found = await search(draft);
  const interpretation = await confirming;
  if (findSameItems(draft, interpretation)) return { found, interpretation };
  session.discard();
  return { found: await search(interpretation), interpretation };
}

/**
 * Requires fewer words if no item at all matches, whatever the filters: so all pages, orders and facets of a prompt agree.
 * @returns undefined if an item matches, or if fewer words make no difference
 */
async function relax(session: Session, interpretation: Interpretation): Promise<Interpretation | undefined> {
  const isFound = async (interpreted: Interpretation): Promise<boolean> =>
    matchesOf((await session.searchMany([existsSearch(buildQuery(interpreted))]))[0]) > 0;
  const relaxed = relaxations(interpretation);
  if (relaxed.length === 0 || (await isFound(interpretation))) return undefined;
  for (const one of relaxed) if (await isFound(one)) return one;
  return undefined;
}

/** Scores differ slightly between shard copies, so all pages of a list come from the same copy. */
export function preferenceOf(parameters: MatchParameters): string {
  return hash('sha256', JSON.stringify([parameters.prompt, parameters.match, parameters.correct, filterClauses(parameters)]));
}
