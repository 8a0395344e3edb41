import type { estypes } from '@elastic/elasticsearch';
import { totalOf } from '../response.ts';
import type { Found, SearchBody } from '../session.ts';

type Query = estypes.QueryDslQueryContainer;

/** A word that occurs nowhere, its candidates, and the words of the prompt around it. */
export type Repair = { word: string; candidates: string[]; before: string[]; after: string[]; context: string[] };

/** The first letter of a word is rarely wrong, and requiring it keeps the lookup fast in a large vocabulary. */
const SUGGESTER = {
  field: 'words',
  sort: 'frequency',
  prefix_length: 1,
  min_word_length: 4,
  size: 5,
  // Elasticsearch's default of 5 inspections misses the most frequent neighbour.
  max_inspections: 50,
} as const;

function live(query: Query): Query {
  return { bool: { filter: [{ term: { deleted: false } }, query] } };
}

export function existsSearch(query: Query): SearchBody {
  return { query: live(query), size: 0, terminate_after: 1 };
}

export function suggestSearch(words: string[], edits: 1 | 2, mode: 'missing' | 'always'): SearchBody {
  const term = { ...SUGGESTER, max_edits: edits, suggest_mode: mode };
  return { size: 0, query: { match_none: {} }, suggest: { text: words.join(' '), proposals: { term } } };
}

export function proposalsOf(response: Found | undefined): Map<string, string[]> {
  const suggestions = (response?.suggest?.['proposals'] ?? []) as estypes.SearchTermSuggest[];
  return new Map(suggestions.map(({ text, options }) => [text, [options].flat().map((option) => option.text)]));
}

const COUNTS = ['adjacent', 'together', 'items'] as const;

/** Counts the items with each candidate: next to a neighbour of the word, with another word of the prompt, and all. */
export function countSearch({ candidates, before, after, context }: Repair): SearchBody {
  // The parts of a split word are evidence enough that they are next to each other.
  const words = candidates.filter((text) => !text.includes(' '));
  const neighbours = (text: string): string[] => [...before.map((word) => `${word} ${text}`), ...after.map((word) => `${text} ${word}`)];
  const counts: Record<(typeof COUNTS)[number], [string, Query][]> = {
    adjacent: before.length + after.length > 0 ? words.map((text) => [text, anyPhrase(neighbours(text))]) : [],
    together: context.length > 0 ? words.map((text) => [text, { bool: { filter: [phraseQuery(text), anyWord(context)] } }]) : [],
    items: candidates.map((text) => [text, phraseQuery(text)]),
  };
  const asked = Object.entries(counts).filter(([, queries]) => queries.length > 0);
  const aggregations = asked.map(([name, queries]) => [name, { filters: { filters: Object.fromEntries(queries) } }]);
  return { query: live(anyPhrase(candidates)), size: 0, aggregations: Object.fromEntries(aggregations) };
}

/** @returns one candidate, or none if no item contains any */
export function mostFrequent(candidates: string[], response: Found | undefined): string[] {
  const counts = COUNTS.map((name) => countsOf(response?.aggregations?.[name]));
  const compare = (a: string, b: string): number => counts.map((count) => count(b) - count(a)).find((difference) => difference !== 0) ?? 0;
  const contained = candidates.filter((text) => counts.at(-1)?.(text));
  return contained.toSorted(compare).slice(0, 1);
}

function countsOf(aggregate: estypes.AggregationsAggregate | undefined): (text: string) => number {
  const { buckets = {} } = (aggregate ?? {}) as { buckets?: Record<string, estypes.AggregationsFiltersBucket> };
  return (text) => buckets[text]?.doc_count ?? 0;
}

function anyPhrase(texts: string[]): Query {
  return { bool: { should: texts.map((text) => phraseQuery(text)), minimum_should_match: 1 } };
}

function anyWord(words: string[]): Query {
  return { match: { words: { query: words.join(' ') } } };
}

export function beginningQuery(beginning: string): Query {
  return { prefix: { words: { value: beginning } } };
}

/**
 * Matches every term of the text in any of the fields. `combined_fields` scores several fields as one, with common term
 * statistics.
 */
export function textQuery(text: string, fields: string[], boost = 1): Query {
  const [field = '', ...others] = fields;
  return others.length === 0
    ? { match: { [field]: { query: text, operator: 'and', boost } } }
    : { combined_fields: { query: text, fields, operator: 'and', boost } };
}

/** Do not pass it to `map`, which would pass the position as the boost. */
export function phraseQuery(text: string, boost = 1): Query {
  return { match_phrase: { words: { query: text, boost } } };
}

export function matchesOf(response: Found | undefined): number {
  return response ? totalOf(response.hits) : 0;
}
