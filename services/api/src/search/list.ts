import { textRulesOf } from '@ugc/text/rules/text-rules';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isBlank } from '@ugc/text/words/is-blank';
import { assertAnswers } from './answerable.ts';
import { requireClosest } from './closest.ts';
import { filterClauses, givenFilters } from './filters.ts';
import { PromptVectors, type Meaning } from './meaning/meaning.ts';
import { isRanked, readRankedPage, type RankedPage } from './meaning/read-ranked-page.ts';
import { isEmptyPage, readPage, type KnownLists, type PageSearch } from './pages/read-page.ts';
import { behind, formatPlace, lastPlace, type Place } from './pages/place.ts';
import { askedOf, sourceOf, type ListParameters, type MatchParameters } from './parameters.ts';
import type { Declared } from './where.ts';
import { correctionHeader, explain, searchedText } from './prompt/explanation.ts';
import {
  asMost,
  forgetWords,
  interpretPrompt,
  relaxations,
  remembersWords,
  type Interpretation,
  type Matching,
} from './prompt/interpret-prompt.ts';
import { mayBeRemembered, type PromptMemory } from './prompt/prompt-memory.ts';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { askIndex, exists, isThere } from './prompt/questions.ts';
import { buildQuery, onlyExcludes } from './query.ts';
import { renderItems, type RenderDeps } from './render-items.ts';
import { inSession, type Caller, type SearchSource, type Session } from './session.ts';
import { buildSort, isWalkable, sortsByBest, sortsByScore } from './sort.ts';
import type { Synonyms } from '@ugc/text/prompt/synonyms';

export type PromptDeps = PromptMemory & { synonyms: Synonyms };
/** `meaning` is undefined without an embedding service. */
export type SearchDeps = SearchSource & RenderDeps & PromptDeps & { knownLists: KnownLists; meaning?: Meaning | undefined };

/**
 * `body` is the page as JSON in UTF-8, `correction` the value of the header Search-Correction, `ranking` that of
 * Search-Ranking. `isEmpty`: whether no item matches the prompt, on whatever page; false without a prompt. `next`: the place
 * behind which the next page begins, if the list can be walked.
 */
export type ListResponse = {
  body: Buffer;
  correction: string | undefined;
  ranking: string | undefined;
  isEmpty: boolean;
  next: Place | undefined;
};

/** @throws errors of `inSession`, of `readPage` and of `renderItems` */
export async function listContent(deps: SearchDeps, parameters: ListParameters & Declared, caller: Caller): Promise<ListResponse> {
  const prompts = deps.meaning && new PromptVectors(deps.meaning, caller.user);
  return inSession(deps, caller, async (session) => {
    const isHighlighted = parameters.highlight === 'true';
    const { found, interpretation } = await searchInterpreted(
      session,
      deps,
      { ...parameters, ...matchingOf(parameters) },
      {
        search: (interpreted) => readList(session, { ...deps, prompts }, parameters, interpreted),
        isEmpty: (page) => isEmptyPage(page, session.index.shards),
      },
    );
    // The response is given to the renderer.
    const isEmpty = interpretation !== undefined && !parameters.after && isEmptyPage(found, session.index.shards);
    const { response, ranking, ...order } = found;
    const { page, size, include, fields, totals, after, declared } = parameters;
    const next = nextOf(parameters, found, interpretation);
    const request = {
      page,
      size,
      isSlice: totals === 'false' || after !== undefined,
      isContinued: after !== undefined,
      include,
      declared,
      next: next && formatPlace(next),
      isSummary: fields === 'summary',
      highlighted: isHighlighted ? searchedText(interpretation) : undefined,
      isReasoned: interpretation !== undefined && isReasoned(parameters),
      interpretation: parameters.explain === 'true' && interpretation ? explain(interpretation, ranking) : undefined,
      ...order,
    };
    const body = await renderItems(session, deps, { response, request, caller });
    return { body, correction: interpretation && correctionHeader(interpretation), ranking, isEmpty, next };
  });
}

/** @returns undefined for the last page and in other orders than the default one */
function nextOf(parameters: ListParameters, found: RankedPage, interpretation: Interpretation | undefined): Place | undefined {
  const last = isWalkable(parameters) ? lastPlace(found, (parameters.page + 1) * parameters.size) : undefined;
  return last && { ...last, required: interpretation?.match === 'closest' ? interpretation.required : undefined };
}

/** A walk by `closest` requires as many words on each page as on its first one. */
function matchingOf({ match, after }: ListParameters): Matching {
  if (match !== 'closest' || !after) return { match };
  return after.required === undefined ? { match: 'most' } : { match, required: after.required };
}

/** Whether the items of a list with a prompt say why they are where they are. */
function isReasoned(parameters: ListParameters): boolean {
  return parameters.explain === 'true' && isRanked(parameters);
}

async function readList(
  session: Session,
  { knownLists, meaning, prompts }: Pick<SearchDeps, 'knownLists' | 'meaning'> & { prompts: PromptVectors | undefined },
  parameters: ListParameters & Declared,
  interpretation: Interpretation | undefined,
): Promise<RankedPage> {
  const page = pageSearch(session.index, parameters, interpretation, knownLists);
  if (!interpretation || !isRanked(parameters)) return readPage(session, page);
  if (!meaning || !prompts || parameters.semantic === 'false') return { ...(await readPage(session, page)), ranking: 'lexical' };
  return readRankedPage(session, { page, interpretation, isWeighed: sortsByBest(parameters.sort), meaning, prompts });
}

function pageSearch(
  index: Session['index'],
  parameters: ListParameters & Declared,
  interpretation: Interpretation | undefined,
  knownLists: KnownLists,
): PageSearch {
  const { page, size, sort, fields, totals, after, include, declared } = parameters;
  assertAnswers(index, askedOf(include));
  const hasPrompt = interpretation !== undefined;
  const hasScores = hasPrompt && !onlyExcludes(interpretation);
  const isWeighed = hasScores && sortsByBest(sort);
  const filters = filterClauses(parameters, index);
  const isRanked = hasScores && sortsByScore(sort);
  const counted = buildQuery(interpretation, filters);
  const query = isRanked ? buildQuery(interpretation, filters, { isRanked, isWeighed, isExplained: isReasoned(parameters) }) : counted;
  const order = buildSort(sort, { hasPrompt, hasScores, index, declared });
  return {
    query: after ? behind(query, order, after) : query,
    counted,
    sort: order,
    from: page * size,
    size,
    preference: preferenceOf(parameters),
    knownLists,
    // Many users read the same list without a prompt, and its sort takes most of the time in a large index. Prompts differ.
    isShared: !hasPrompt && !after,
    hasTotal: totals === 'true' && !after,
    afterMs: after?.createdAtMs,
    ...sourceOf(fields),
  };
}

type Interpreted<T> = { found: T; interpretation: Interpretation | undefined };
/** `isEmpty`: whether no item matches, on whatever page. */
type Search<T> = { search: (interpretation: Interpretation | undefined) => Promise<T>; isEmpty: (found: T) => boolean };

/**
 * Learns the words of the prompt, and searches once. If nothing is found, what was remembered of the prompt is looked up
 * again, `closest` becomes `most`, unless the number of its words is given, and fewer words are required. Without a prompt,
 * the interpretation is undefined.
 * @throws errors of `search` and of `Session`
 */
export async function searchInterpreted<T>(
  session: Session,
  { knownWords, knownPrompts, synonyms }: PromptDeps,
  { prompt, match, required, correct }: Pick<MatchParameters, 'prompt' | 'correct'> & Matching,
  { search, isEmpty }: Search<T>,
): Promise<Interpreted<T>> {
  if (isBlank(prompt)) return { found: await search(undefined), interpretation: undefined };
  const key = JSON.stringify([session.index.name, prompt, match, correct, required]);
  const known = knownPrompts.get(key);
  // What this request has learnt is not looked up again.
  let isRemembered = known !== undefined;
  const interpret = async (): Promise<Interpretation> => {
    const parsed = parsePrompt(prompt, textRulesOf(session.index.mappingVersion));
    isRemembered ||= remembersWords(parsed, { session, knownWords });
    const plain = match === 'closest' ? 'most' : match;
    const typed = await interpretPrompt(parsed, { match: plain, correct: correct === 'true', synonyms }, { session, knownWords });
    const learnt = match === 'closest' ? await requireClosest(session, typed, required) : typed;
    if (mayBeRemembered(learnt)) knownPrompts.set(key, learnt);
    return learnt;
  };
  let interpretation = known ?? (await interpret());
  let found = await search(interpretation);
  const relearn = async () => {
    if (!isRemembered) return undefined;
    forgetWords(interpretation, { session, knownWords });
    return interpret();
  };
  const relax = () => relaxed(session, interpretation);
  const widen = () => (required === undefined ? asMost(interpretation) : undefined);
  for (const next of correct === 'true' ? [relearn, widen, relax] : [widen]) {
    const other = isEmpty(found) ? await next() : undefined;
    if (!other || isDeepStrictEqual(other, interpretation)) continue;
    session.discard();
    interpretation = other;
    found = await search(other);
  }
  return { found, interpretation };
}

/**
 * Requires fewer words if no item at all matches, whatever the filters: so all pages, orders and facets of a prompt agree.
 * @returns undefined if an item matches, or if fewer words make no difference
 */
async function relaxed(session: Session, interpretation: Interpretation): Promise<Interpretation | undefined> {
  const fewer = relaxations(interpretation);
  if (fewer.length === 0) return undefined;
  const answers = await askIndex(session, [interpretation, ...fewer].map((one, at) => exists(String(at), buildQuery(one)))); // prettier-ignore
  return isThere(answers, '0') ? undefined : fewer.find((_, at) => isThere(answers, String(at + 1)));
}

/** Scores differ slightly between shard copies, so all pages of a list come from the same copy. */
export function preferenceOf(parameters: MatchParameters & Declared): string {
  const given = givenFilters(parameters).map(({ name, value }) => [name, value]);
  return hash('sha256', JSON.stringify([parameters.prompt, parameters.match, parameters.correct, given]));
}
