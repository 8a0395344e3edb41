import { LIVE } from '@ugc/shared/contracts/content-index';
import type { estypes } from '@elastic/elasticsearch';
import { SPELLING, spelledBy, spellingKeys } from '@ugc/text/forms/spelling-keys';
import type { Join } from '@ugc/text/prompt/joins';
import { isHangul } from '@ugc/text/words/hangul';
import { isCode } from '@ugc/text/words/literals';
import { totalOf, type Found, type Query, type SearchBody } from '../response.ts';
import type { Session } from '../session.ts';
import { anyOf, beginningQuery, formQuery, literalQuery, phraseQuery, textQuery } from '../text-fields.ts';

/** A small search of the items that are not deleted, whatever the filters are. `key` names its answer. */
export type Question = { key: string; search: SearchBody };
export type Answers = ReadonlyMap<string, Found>;

/** Sends all questions in one request; without a question, none. @throws as `Session` */
export async function askIndex(session: Pick<Session, 'searchMany'>, questions: Question[]): Promise<Answers> {
  const answers = await session.searchMany(questions.map(({ search }) => search));
  return new Map(answers.map((answer, at) => [questions[at]?.key ?? '', answer]));
}

export function live(query: Query): Query {
  return { bool: { filter: [LIVE, query] } };
}

/** Whether an item matches the query. */
export function exists(key: string, query: Query): Question {
  return { key, search: { query: live(query), size: 0, terminate_after: 1 } };
}

/** @returns the answer to `exists`; false if that was not asked */
export function isThere(answers: Answers, key: string): boolean {
  const answer = answers.get(key);
  return answer !== undefined && totalOf(answer.hits) > 0;
}

/** So many similar words are listed. One account can fill the list, so what is not listed may be there too. */
const MAX_PROPOSALS = 8;

/** The first letter of a word is rarely wrong, and requiring it keeps the lookup fast in a large vocabulary. */
export const PREFIX_LENGTH = 1;

const SUGGESTER = {
  field: 'words',
  sort: 'frequency',
  prefix_length: PREFIX_LENGTH,
  min_word_length: 4,
  size: MAX_PROPOSALS,
  // Of all similar words, not of the first ones in the order of the dictionary.
  max_inspections: 3_000,
} as const;

/** Syllables are two or three letters each. */
const HANGUL = { min_word_length: 3 };
const SPELLINGS = { field: 'forms', analyzer: 'whitespace', min_word_length: SPELLING.length + SUGGESTER.min_word_length };

/** Which words of the index resemble each of these. Some may be in deleted items only. */
export function propose(key: string, words: string[], options: Partial<estypes.SearchTermSuggester>): Question[] {
  if (words.length === 0) return [];
  const term = { ...SUGGESTER, ...options };
  const [hangul, others] = [words.filter(isHangul), words.filter((word) => !isHangul(word))];
  const spellings = { ...term, ...SPELLINGS, prefix_length: SPELLING.length + term.prefix_length };
  const asked: [name: string, texts: string[], term: estypes.SearchTermSuggester][] = [
    ['spellings', words.flatMap(spellingKeys), spellings],
    ['hangul', hangul, { ...term, ...HANGUL }],
    ['proposals', others, term],
  ];
  const suggest = asked.filter(([, texts]) => texts.length > 0).map(([name, texts, how]) => [name, { text: texts.join(' '), term: how }]);
  return [{ key, search: { size: 0, query: { match_none: {} }, suggest: Object.fromEntries(suggest) } }];
}

type Listed = (word: string) => { spelled: estypes.SearchTermSuggestOption[]; written: estypes.SearchTermSuggestOption[] };

function listedIn(answers: Answers, key: string): Listed {
  const { spellings = [], hangul = [], proposals = [] } = (answers.get(key)?.suggest ?? {}) as Record<string, estypes.SearchTermSuggest[]>;
  const optionsBy = (suggestions: estypes.SearchTermSuggest[]): Map<string, estypes.SearchTermSuggestOption[]> =>
    new Map(suggestions.map(({ text, options }) => [text, [options].flat()]));
  const [bySpelling, byText] = [optionsBy(spellings), optionsBy([...hangul, ...proposals])];
  return (word) => ({
    spelled: spellingKeys(word).flatMap((spelling) => bySpelling.get(spelling) ?? []),
    written: byText.get(word) ?? [],
  });
}

/**
 * @param isMeant whether a similar word that is in so many items may be meant; by default, every one may
 * @returns the answer to `propose`: for a word the similar ones, the most frequent first
 */
export function proposalsIn(
  answers: Answers,
  key: string,
  isMeant: (word: string, items: number) => boolean = () => true,
): (word: string) => string[] {
  const listed = listedIn(answers, key);
  return (word) => {
    const { spelled, written } = listed(word);
    const options = [...spelled.map(({ text, freq }) => ({ text: spelledBy(text), freq })), ...written];
    return [...new Set(options.filter(({ text, freq }) => isMeant(text, freq)).map(({ text }) => text))];
  };
}

/** @returns how many items, deleted ones too, a similar word can have at most that `propose` did not list; 0 if it listed all */
export function unlistedIn(answers: Answers, key: string): (word: string) => number {
  const listed = listedIn(answers, key);
  const leastOf = (options: estypes.SearchTermSuggestOption[]): number =>
    options.length < MAX_PROPOSALS ? 0 : Math.min(...options.map(({ freq }) => freq));
  return (word) => Math.max(...Object.values(listed(word)).map(leastOf));
}

/** Named queries, and how many items match each. */
type Counted = [name: string, query: Query][];

/**
 * How many items match each query. Without a query, nothing is asked.
 * @param among counts only the items that match this; by default, those that match a query
 * @param more further counts, of the same items
 * @param of what else is counted of the items that match a query, such as `PEOPLE`
 */
export function count(
  key: string,
  queries: Counted,
  { among = anyOf(queries.map(([, query]) => query)), more = {}, of }: CountOptions = {},
): Question[] {
  if (queries.length === 0) return [];
  const counts = Object.entries({ ...more, items: queries }).filter(([, counted]) => counted.length > 0);
  const aggregations = counts.map(([name, counted]) => [
    name,
    { filters: { filters: Object.fromEntries(counted) }, ...(of && { aggregations: of }) },
  ]);
  return [{ key, search: { query: live(among), size: 0, aggregations: Object.fromEntries(aggregations) } }];
}

type CountOptions = {
  among?: Query;
  more?: Record<string, Counted>;
  of?: Record<string, estypes.AggregationsAggregationContainer>;
};

/** @returns the answer to `count`, by the name of a query; 0 if it was not asked */
export function countsIn(answers: Answers, key: string, name = 'items'): (counted: string) => number {
  const { buckets = {} } = (answers.get(key)?.aggregations?.[name] ?? {}) as {
    buckets?: Record<string, estypes.AggregationsFiltersBucket>;
  };
  return (counted) => buckets[counted]?.doc_count ?? 0;
}

/** @param counts of items by text, the most important first @returns the candidates, the most frequent first */
export function byFrequency(candidates: string[], ...counts: ((text: string) => number)[]): string[] {
  const compare = (a: string, b: string): number => counts.map((items) => items(b) - items(a)).find((difference) => difference !== 0) ?? 0;
  return candidates.toSorted(compare);
}

/** Counts the items with each form that lack the word itself: others are found by the word. */
export function countForms(forms: [word: string, keys: string[]][]): Question[] {
  const other = (word: string, key: string): Query => ({ bool: { filter: [formQuery(key)], must_not: [phraseQuery(word)] } });
  const queries = forms.flatMap(([word, keys]) => keys.map((key): [string, Query] => [`${word} ${key}`, other(word, key)]));
  return count('forms', queries, { among: { terms: { forms: [...new Set(forms.flatMap(([, keys]) => keys))] } } });
}

/** @returns the keys by which items contain the word in another form */
export function formsIn(answers: Answers, word: string, keys: string[]): string[] {
  const items = countsIn(answers, 'forms');
  return keys.filter((key) => items(`${word} ${key}`) > 0);
}

/** A function that is passed to `map` would get the position as the boost. */
export function eachBy(toQuery: (text: string) => Query, texts: string[]): Counted {
  return texts.map((text) => [text, toQuery(text)]);
}

/** How items contain a word: as it is, by its stem, and as a code. */
export function wordQueries(word: string): Query[] {
  return [phraseQuery(word), textQuery(word), ...(isCode(word) ? [literalQuery(word)] : [])];
}

/** Usually no item contains any of a group. */
export function joinGroups(joins: Join[]): [key: string, group: Join[]][] {
  return [
    ['joins', joins.filter(({ isLinked = false }) => !isLinked)],
    ['linked', joins.filter(({ isLinked = false }) => isLinked)],
  ];
}

export function joinQueries({ to, isBeginning }: Join): Query[] {
  const words = to.includes(' ') ? [phraseQuery(to)] : wordQueries(to);
  return [...words, ...(isBeginning ? [beginningQuery(to)] : [])];
}
