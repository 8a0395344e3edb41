import type { estypes } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import {
  beginningQuery,
  countSearch,
  existsSearch,
  mostFrequent,
  phraseQuery,
  proposalsOf,
  suggestSearch,
  textQuery,
  matchesOf,
  type Repair,
} from './vocabulary-searches.ts';
import type { Found, SearchBody, Session } from '../session.ts';
import { textFieldsOf, type TextFields } from '../text-fields.ts';

type Query = estypes.QueryDslQueryContainer;

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

/**
 * What the searchable items contain. All methods ignore filters, and items that are deleted.
 * @throws as `Session`
 */
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
