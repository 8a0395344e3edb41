import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { Found, Query, SearchBody, Session } from '../session.ts';
import { phraseQuery, textFieldsOf, textQuery, type TextFields } from '../text-fields.ts';
import { totalOf } from '../response.ts';

type Lookup = {
  words: string[];
  /** The last of the words, if it may be incomplete. */
  unfinished: string | undefined;
  /** Whether corrections are proposed for words that the index does not contain. */
  propose: boolean;
};

type LookedUp = {
  /** The words that an item contains, as they are or by their stem. */
  occurring: Set<string>;
  /**
   * Whether an item contains a word that begins with the unfinished word. Only known for a word that does not occur.
   */
  begins: boolean;
  /** Words with one edit, the most frequent first. Some may be in deleted items only. */
  proposals: Map<string, string[]>;
};

const MIN_LENGTH_FOR_TWO_EDITS = 8;

const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 20_000;

/**
 * Words that occurred in an item a short while ago. Words that occur nowhere are not remembered: an upload may add
 * them.
 */
export function createKnownWords(): LRUCache<string, true> {
  return new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
}

/** What the searchable items contain. All methods ignore filters, and items that are deleted. @throws as `Session` */
export class Vocabulary {
  readonly #session: Session;
  readonly #knownWords: LRUCache<string, true>;
  readonly #fields: TextFields;

  constructor(session: Session, knownWords: LRUCache<string, true>) {
    this.#session = session;
    this.#knownWords = knownWords;
    this.#fields = textFieldsOf(session.index);
  }

  async lookUp({ words, unfinished, propose }: Lookup): Promise<LookedUp> {
    const knownWords = this.#knownWords;
    const unknown = words.filter((word) => !knownWords.has(word));
    const mayBegin = unfinished !== undefined && unknown.includes(unfinished);
    const found = await this.#search([
      ...unknown.map((word) => ({ key: `word ${word}`, search: this.#existsSearch([word]) })),
      ...(mayBegin ? [{ key: 'beginning', search: existsSearch(beginningQuery(unfinished)) }] : []),
      // Words that the index contains have no proposals and cost nothing.
      ...(propose && unknown.length > 0 ? [{ key: 'proposals', search: suggestSearch(unknown, 1, 'missing') }] : []),
    ]);
    const occurs = (key: string): boolean => matchesOf(found.get(key)) > 0;
    for (const word of unknown) if (occurs(`word ${word}`)) knownWords.set(word, true);
    const occurring = words.filter((word) => !unknown.includes(word) || occurs(`word ${word}`));
    return { occurring: new Set(occurring), begins: occurs('beginning'), proposals: proposalsOf(found.get('proposals')) };
  }

  /** @returns the words that an item contains, as they are or by their stem */
  async findOccurring(words: string[]): Promise<string[]> {
    if (words.length === 0) return [];
    // Usually none of them occurs.
    const any = await this.#search([{ key: 'any', search: this.#existsSearch(words) }]);
    if (words.length === 1 || matchesOf(any.get('any')) === 0) return matchesOf(any.get('any')) > 0 ? words : [];
    const found = await this.#search(words.map((word) => ({ key: word, search: this.#existsSearch([word]) })));
    return words.filter((word) => matchesOf(found.get(word)) > 0);
  }

  /**
   * Proposes corrections with two edits for long words, and for short words that the index contains, but no searchable
   * item. Two edits in a short word make another word.
   */
  async proposeMoreCorrections(words: string[]): Promise<Map<string, string[]>> {
    const isLong = (word: string): boolean => word.length >= MIN_LENGTH_FOR_TWO_EDITS;
    const long = { key: 'long', words: words.filter(isLong), edits: 2 } as const;
    const short = { key: 'short', words: words.filter((word) => !isLong(word)), edits: 1 } as const;
    const asked = [long, short].filter((group) => group.words.length > 0);
    const found = await this.#search(asked.map(({ key, words, edits }) => ({ key, search: suggestSearch(words, edits, 'always') })));
    return new Map([...proposalsOf(found.get('long')), ...proposalsOf(found.get('short'))]);
  }

  /**
   * @returns for each word its candidate that most items contain next to a neighbour of the word, or else together with
   *   another word of the prompt, or else at all; no entry when no item contains any candidate
   */
  async findMostFrequent(repairs: Repair[]): Promise<Map<string, string>> {
    const asked = repairs.filter(({ candidates }) => candidates.length > 0);
    const found = await this.#search(asked.map((repair) => ({ key: repair.word, search: countSearch(repair) })));
    return new Map(asked.flatMap(({ word, candidates }) => mostFrequent(candidates, found.get(word)).map((text) => [word, text])));
  }

  #existsSearch(words: string[]): SearchBody {
    const queriesOf = (word: string): Query[] => [phraseQuery(word), textQuery(word, this.#fields.text)];
    return existsSearch({ bool: { should: words.flatMap(queriesOf) } });
  }

  async #search(searches: { key: string; search: SearchBody }[]): Promise<Map<string, Found>> {
    const found = await this.#session.searchMany(searches.map(({ search }) => search));
    return new Map(found.map((response, position) => [searches[position]?.key ?? '', response]));
  }
}

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

export function matchesOf(response: Found | undefined): number {
  return response ? totalOf(response.hits) : 0;
}
