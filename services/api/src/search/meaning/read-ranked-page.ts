import type { estypes } from '@elastic/elasticsearch';
import type { ListParameters } from '../parameters.ts';
import { readCounted, readPage, type FoundPage, type PageSearch } from '../pages/read-page.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { bonusesOf, type Bonus } from '../query.ts';
import { totalOf } from '../response.ts';
import type { Session } from '../session.ts';
import { QUALITY_FACTOR_FIELD } from '../sort.ts';
import { promptText, type Meaning, type PromptVector, type PromptVectors } from './meaning.ts';

/** So many of the first matches are ranked by meaning. Measured: more make no difference. */
const WINDOW = 100;

export type RankedPage = FoundPage & { ranking?: 'semantic' | 'lexical' };

/** `isWeighed`: whether quality multiplies the scores. */
type Ranked = { page: PageSearch; interpretation: Interpretation; isWeighed: boolean; meaning: Meaning; prompts: PromptVectors };

/** Whether the ranking of a list with a prompt may be one by meaning. */
export function isRanked({ sort: [first] }: Pick<ListParameters, 'sort'>): boolean {
  return (first?.field === 'relevance' || first?.field === 'best') && first.direction === 'desc';
}

/**
 * Reads a page of the list by relevance or by best, of which the first 100 matches are in the order of words and meaning.
 * It has the items and the total of `readPage`, and its order if meanings cannot be compared.
 * @throws errors of `Session`
 */
export async function readRankedPage(session: Session, ranked: Ranked): Promise<RankedPage> {
  const { page, interpretation, meaning, prompts } = ranked;
  const text = promptText(interpretation);
  const embedding = page.from >= WINDOW || text === '' ? undefined : prompts.embed(text, session.signal);
  const read =
    embedding &&
    (await session
      .withCommonScores()
      .inPointInTime(page.preference, (pointInTime) => readWindow({ session, pointInTime }, ranked, embedding)));
  const found = read ?? { ...(await readPage(session, page)), ranking: 'lexical' as const };
  meaning.metrics.lists.inc({ result: found.ranking });
  return found;
}

type ReadPage = RankedPage & { ranking: 'semantic' | 'lexical' };

/** `session`: in which the items are counted. */
type Sessions = { session: Session; pointInTime: Session };

async function readWindow(
  { session, pointInTime }: Sessions,
  { page, interpretation, isWeighed, meaning }: Ranked,
  embedding: Promise<PromptVector | undefined>,
): Promise<ReadPage> {
  const { query, sort, from, size, _source = true } = page;
  const bonuses = bonusesOf(interpretation);
  const request = {
    query: withPositions(query, bonuses),
    sort,
    size: Math.max(WINDOW, from + size),
    ...WITHOUT_STORED,
    ...(isWeighed && { docvalue_fields: [QUALITY_FACTOR_FIELD] }),
  };
  const read = (upTo: boolean | number) => pointInTime.search({ ...request, track_total_hits: upTo });
  const hasMore = ({ hits: { total } }: estypes.SearchResponse): boolean => (total as estypes.SearchTotalHits).relation === 'gte';
  const [{ found, total }, prompt] = await Promise.all([readCounted(session, page, { read, hasMore }), embedding]);
  const { hits } = found;
  const matches = hits.hits.map((hit) => toMatch(hit, bonuses, sort.length - 1));
  const byWords = matches.map(({ contentId }) => contentId);
  const byMeaning = prompt && (await rank(matches.slice(0, WINDOW), meaning, prompt));
  const order = [...(byMeaning ?? byWords.slice(0, WINDOW)), ...byWords.slice(WINDOW)].slice(from, from + size);
  const documents = { query: { bool: { filter: [{ terms: { contentId: order } }] } }, size, track_total_hits: false, _source };
  const response = await pointInTime.receive(documents);
  const namesOf = new Map(hits.hits.map(({ matched_queries: names = [] }, at) => [byWords[at], names as string[]]));
  const names = new Map(order.map((id) => [id, namesOf.get(id) ?? []]));
  return { response, total: total ?? totalOf(hits), order, names, ranking: byMeaning ? 'semantic' : 'lexical' };
}

/** Not even the ids, for which Elasticsearch decompresses 100 documents: measured, that takes 2 of 5 ms. */
const WITHOUT_STORED = { stored_fields: '_none_' };

/** @returns undefined if meanings cannot be compared */
async function rank(matches: MatchByWords[], meaning: Meaning, prompt: PromptVector): Promise<number[] | undefined> {
  if (matches.length === 0) return undefined;
  const cosines = await meaning.compare(
    matches.map(({ contentId }) => contentId),
    prompt,
  );
  return cosines && fuse(matches.map((match) => ({ ...match, cosine: cosines.get(match.contentId) })));
}

type MatchByWords = Omit<Match, 'cosine'>;

/** @param idAt the position of `contentId` in the sort, to which Elasticsearch adds a key of its own */
function toMatch({ sort, fields, matched_queries: names = [] }: estypes.SearchHit, bonuses: Bonus[], idAt: number): MatchByWords {
  const [factor = 1] = (fields?.[QUALITY_FACTOR_FIELD] ?? []) as number[];
  const own = bonuses.filter((_, at) => (names as string[]).includes(String(at)));
  const sum = (isWeighed: boolean): number => own.reduce((all, one) => all + (one.isWeighed === isWeighed ? one.bonus : 0), 0);
  return { contentId: Number(sort?.[idAt]), score: Number(sort?.[0]) - sum(false), bonus: sum(true), tier: sum(false), factor };
}

/** The hits name which of the bonuses they have, by the position, beside the names of `reasons.ts`; the scores do not change. */
function withPositions(query: PageSearch['query'], bonuses: Bonus[]): PageSearch['query'] {
  return { bool: { must: [query], should: bonuses.map(({ query: filter }, at) => ({ bool: { filter: [filter], _name: String(at) } })) } };
}

/**
 * A match in the order by words. `score` is without `tier`, the bonus for how many words it has; `bonus` is the part of it
 * for its name; `cosine` is undefined for an item without a vector. `factor`: by which the quality of the item multiplies its
 * score, 1 unless the list is sorted by best.
 */
export type Match = { contentId: number; score: number; bonus: number; tier: number; factor: number; cosine: number | undefined };

/** Measured on three judged collections: docs/decisions/0037-ranking-by-meaning.md. */
const MEANING_WEIGHT = 0.4;
/** The meaning counts less if there are fewer matches. */
const FULL_WEIGHT_MATCHES = 50;

/**
 * The order by words, meaning and quality. Items whose name is the prompt stay first, then those with all words; equal
 * values keep the order by words.
 * @returns the ids
 */
export function fuse(matches: Match[]): number[] {
  const weight = MEANING_WEIGHT * Math.min(1, matches.length / FULL_WEIGHT_MATCHES);
  const words = matches.map(({ score, bonus, factor }) => Math.max(score / factor - bonus, 0));
  const bestWords = Math.max(...words);
  const meaning = meaningOf(matches);
  const ranked = matches.map(({ contentId, bonus, tier, factor }, at) => ({
    contentId,
    bonus: bonus + tier,
    value: factor * ((1 - weight) * ratio(words[at] ?? 0, bestWords) + weight * (meaning[at] ?? 0)),
  }));
  return ranked.toSorted((one, other) => other.bonus - one.bonus || other.value - one.value).map(({ contentId }) => contentId);
}

/** From 0 for the least to 1 for the greatest cosine, whatever the scale of the model. */
function meaningOf(matches: Match[]): number[] {
  const known = matches.flatMap(({ cosine }) => cosine ?? []);
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / known.length;
  return matches.map(({ cosine = mean }) => ratio(cosine - least, greatest - least));
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
