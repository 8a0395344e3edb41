import type { estypes } from '@elastic/elasticsearch';
import { DELETED } from '@ugc/shared/contracts/content-index';
import type { StoredContent } from '@ugc/shared/contracts/content';
import { withoutStopWords } from '@ugc/text/words/stop-words';
import { textRulesOf, type TextRules } from '@ugc/text/rules/text-rules';
import { assertAnswers } from '../answerable.ts';
import { filterClauses, filterParameters } from '../filters.ts';
import type { SearchDeps } from '../list.ts';
import { askedOf, DEFAULT_PAGE_SIZE, fields, include, sourceOf } from '../parameters.ts';
import { renderItems } from '../render-items.ts';
import { inSession, type Caller, type Query, type Session } from '../session.ts';
import type { Declared } from '../where.ts';
import { z } from 'zod';
import { ContentItem, ContentSummary } from '@ugc/items/changes/content-item';
import { integerFrom } from '@ugc/items/fields/numbers';
import type { Limits } from '../../env.ts';
import { parseNumber, single } from '../../http/query-parameters.ts';

const MAX_SIMILAR = 20;

export function similarParameters(limits: Limits) {
  return z.object({
    ...filterParameters(limits),
    size: single(integerFrom(1, MAX_SIMILAR).default(DEFAULT_PAGE_SIZE), parseNumber).describe('The maximum number of items.'),
    include,
    fields,
  });
}

export type SimilarParameters = z.output<ReturnType<typeof similarParameters>>;

const DESCRIPTION = 'The most similar items first, at most two of a creator.';

/** There are no totals, because how many items resemble another one is a matter of degree. */
const SimilarItems = z.object({ content: z.array(ContentItem).max(MAX_SIMILAR).describe(DESCRIPTION) }).meta({ id: 'SimilarItems' });
const SimilarSummaries = SimilarItems.extend({ content: z.array(ContentSummary).max(MAX_SIMILAR).describe(DESCRIPTION) }).meta({
  id: 'SimilarSummaries',
});
export const AnySimilarItems = z.union([SimilarItems, SimilarSummaries]).meta({ id: 'AnySimilarItems' });

/** What is compared of an item. */
type Compared = Pick<StoredContent, 'contentId' | 'name' | 'description' | 'tags'>;

const MAX_OF_CREATOR = 2;
/** The most characteristic words of an item: frequent in its texts, and rare in other items. */
const MAX_WORDS = 25;
/** One word in common says little. */
const COMMON_WORDS = 2;
/** Only the item itself contains a word that one item contains. */
const MIN_ITEMS_OF_WORD = 2;
/** Bounds the time: in a million items, words that more items contain are not characteristic. */
const MAX_ITEMS_OF_WORD = 20_000;
const MAX_TAGS = 32;
const TAG_BOOST = 3;
/** The unit is a UTF-16 code unit. Each word is looked up in the index. */
const MAX_TEXT_LENGTH = 5_000;
/** After each of them the creators are left out of whom two items are found. */
const MAX_ROUNDS = 3;

/**
 * Finds the items that resemble one by its stored texts, whether it is indexed yet or not. The name of the creator is not
 * compared, so that the creator's own items are not preferred.
 * @returns the list as JSON in UTF-8 · @throws errors of `inSession` and of `renderItems`
 */
export async function findSimilar(
  deps: SearchDeps,
  item: Compared,
  parameters: SimilarParameters & Declared,
  caller: Caller,
): Promise<Buffer> {
  const { size, include, fields, declared } = parameters;
  return inSession(deps, caller, async (session) => {
    assertAnswers(session.index, askedOf(include));
    const filters = filterClauses(parameters, session.index);
    const similar = similarQuery(item, filters, textRulesOf(session.index.mappingVersion));
    const best = await findBest(session.withCommonScores(), similar, { contentId: item.contentId, size });
    const query = inOrder(best.map(({ contentId }) => contentId), filters); // prettier-ignore
    const response = await session.receive({ query, size, track_total_hits: false, ...sourceOf(fields) });
    const request = { size, include, declared, isSummary: fields === 'summary' };
    return renderItems(session, deps, { response, request, caller });
  });
}

/** Matches items with two of the words, or with one of the tags. */
export function similarQuery({ contentId, tags, ...texts }: Compared, filter: Query[], rules: TextRules): Query {
  const folded = [texts.name, ...tags, texts.description].map((one) => rules.fold(one.slice(0, MAX_TEXT_LENGTH)));
  const compared = withoutStopWords(folded).map(rules.separate);
  const words: Query = {
    more_like_this: {
      fields: ['text'],
      like: compared,
      min_term_freq: 1,
      min_doc_freq: MIN_ITEMS_OF_WORD,
      max_doc_freq: MAX_ITEMS_OF_WORD,
      max_query_terms: MAX_WORDS,
      minimum_should_match: COMMON_WORDS,
    },
  };
  const shared = tags.slice(0, MAX_TAGS).map((tag): Query => ({ term: { 'tags.exact': { value: tag, boost: TAG_BOOST } } }));
  const others: Query[] = [DELETED, withId(contentId)];
  return { bool: { should: [words, ...shared], minimum_should_match: 1, must_not: others, filter } };
}

type Candidate = { contentId: number; creatorId: number; name: string; score: number };

/**
 * @returns the most similar items, the best first, at most two of a creator, and only one of those with the same name and
 *   description · @throws as `Session`
 */
export async function findBest(
  session: Session,
  similar: Query,
  { contentId, size }: { contentId: number; size: number },
): Promise<Candidate[]> {
  let best: Candidate[] = [];
  const repeated: number[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const without = creatorsOf(best).filter((id) => best.filter(({ creatorId }) => creatorId === id).length === MAX_OF_CREATOR);
    const query: Query = { bool: { must: [similar], must_not: [{ terms: { creatorId: without } }, { terms: { contentId: repeated } }] } };
    const candidates = candidatesOf(await session.search({ ...CANDIDATES, query, preference: `similar-${contentId}` }));
    const found = distinctBy([...best, ...candidates], (candidate) => candidate.contentId);
    repeated.push(...(await repeatedOf(session, found)));
    best = ofEachCreator(found.filter((candidate) => !repeated.includes(candidate.contentId)));
    if (best.length >= size || candidates.length < CANDIDATES.size) break;
  }
  return best.slice(0, size);
}

/** @returns the ids of the candidates that have the name and the description of one before them */
async function repeatedOf(session: Session, candidates: Candidate[]): Promise<number[]> {
  const sameName = [...Map.groupBy(candidates, ({ name }) => name).values()].filter(({ length }) => length > 1).flat();
  if (sameName.length === 0) return [];
  const ids = sameName.map(({ contentId }) => contentId);
  const query: Query = { bool: { filter: [{ terms: { contentId: ids } }] } };
  const { hits } = await session.search({
    query,
    size: ids.length,
    track_total_hits: false,
    _source: ['contentId', 'name', 'description'],
  });
  const texts = new Map(
    hits.hits.map(({ _source }) => {
      const { contentId, name, description } = _source as Compared;
      return [contentId, JSON.stringify([name, description])];
    }),
  );
  const first = distinctBy(ids, (id) => texts.get(id) ?? id);
  return ids.filter((id) => !first.includes(id));
}

/** Sorted by score only: with another key, Elasticsearch would have to read every match. */
const CANDIDATES = { size: 100, track_total_hits: false, _source: false, docvalue_fields: ['contentId', 'creatorId', 'name'] };

function candidatesOf({ hits }: estypes.SearchResponse): Candidate[] {
  const candidates = hits.hits.map(({ _score: score, fields }) => {
    const [contentId, creatorId, name] = ['contentId', 'creatorId', 'name'].map((field) => fields?.[field]?.[0]);
    return { contentId: Number(contentId), creatorId: Number(creatorId), name: String(name), score: Number(score) };
  });
  return candidates.toSorted((one, other) => other.score - one.score || other.contentId - one.contentId);
}

function ofEachCreator(candidates: Candidate[]): Candidate[] {
  return candidates.filter(({ creatorId }, at) => {
    return candidates.slice(0, at).filter((before) => before.creatorId === creatorId).length < MAX_OF_CREATOR;
  });
}

/** @returns the first values with different keys */
function distinctBy<T>(values: T[], keyOf: (value: T) => unknown): T[] {
  return [...Map.groupBy(values, keyOf).values()].flatMap(([first]) => first ?? []);
}

function creatorsOf(candidates: Candidate[]): number[] {
  return [...new Set(candidates.map(({ creatorId }) => creatorId))];
}

/** The items that still match the filters. An item scores its rank from the end. */
function inOrder(ids: number[], filters: Query[]): Query {
  const ranked = ids.map((id, at): Query => ({ constant_score: { filter: withId(id), boost: ids.length - at } }));
  return { bool: { filter: [{ terms: { contentId: ids } }, ...filters], should: ranked, must_not: [DELETED] } };
}

function withId(contentId: number): Query {
  return { term: { contentId } };
}
