import { textRulesOf, type TextRules } from '@ugc/text/rules/text-rules';
import { isCode } from '@ugc/text/words/literals';
import { LRUCache } from 'lru-cache';
import type { Found, Query, SearchBody, Session } from '../session.ts';
import type { Join } from '@ugc/text/prompt/alternatives';
import type { Word } from '@ugc/text/words/word';
import { anyOf, beginningQuery, literalQuery, phraseQuery, textQuery } from '../text-fields.ts';
import {
  candidatesOf,
  contained,
  countItemsSearch,
  countSearches,
  existsSearch,
  hasOtherFirstLetter,
  itemCounts,
  matchesOf,
  MORE_FREQUENT,
  mostFrequent,
  proposalsOf,
  repairCounts,
  repairSearch,
  suggestSearch,
  WRONG_FIRST_LETTER,
  type Repair,
} from './vocabulary-searches.ts';

/** What is remembered of a word that occurs. `variants` is undefined if they, and `forms`, were not asked for. */
type KnownWord = { variants: string[] | undefined; forms: string[]; proposals: string[] };
export type KnownWords = LRUCache<string, KnownWord>;

const REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 20_000;

/**
 * Words that occurred in an item a short while ago, by index. Words that occur nowhere are not remembered: an upload may add
 * them. For so long, an upload with another form of a remembered word is not found by it.
 */
export function createKnownWords(): KnownWords {
  return new LRUCache({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
}

type Lookup = {
  words: string[];
  /** Words and literals that items may write in other ways. */
  varied: Word[];
  /** The last of the words, if it may be incomplete. */
  unfinished: string | undefined;
  joins: Join[];
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
  /** The variants of each word that items contain, the most frequent first. */
  variants: Map<string, string[]>;
  /** The keys by which items contain another form of each word. */
  forms: Map<string, string[]>;
  /** The joined words that an item contains, as they are, by their stem, or as the beginning of a word. */
  joins: Join[];
  /**
   * More frequent words with one edit, the most frequent first, for words that no item or few items contain. Some may be in
   * deleted items only.
   */
  proposals: Map<string, string[]>;
};

const MIN_LENGTH_FOR_TWO_EDITS = 8;
/** Each of these lookups reads the complete vocabulary. */
const MAX_FIRST_LETTERS = 4;

/** What the searchable items contain. All methods ignore filters, and items that are deleted. @throws as `Session` */
export class Vocabulary {
  readonly #session: Session;
  readonly #known: KnownWords;
  readonly #rules: TextRules;

  constructor(session: Session, known: KnownWords) {
    this.#session = session;
    this.#known = known;
    this.#rules = textRulesOf(session.index.mappingVersion);
  }

  async lookUp({ words, varied, unfinished, joins, propose }: Lookup): Promise<LookedUp> {
    const isVaried = new Set(varied.map(({ text }) => text));
    const known = this.#remembered(words, isVaried);
    const unknown = words.filter((word) => !known.has(word));
    const unknownVaried = varied.filter(({ text }) => !known.has(text));
    const candidates = new Map(unknownVaried.map((word) => [word.text, candidatesOf(word, this.#rules)]));
    const texts = [...new Set([...unknown, ...candidates.keys()])];
    const mayBegin = unfinished !== undefined && unknown.includes(unfinished);
    const found = await this.#search([
      ...unknown.map((word) => ({ key: `word ${word}`, search: this.#existsSearch(word) })),
      ...(mayBegin ? [{ key: 'beginning', search: existsSearch(beginningQuery(unfinished)) }] : []),
      ...(joins.length > 0 ? [{ key: 'joined', search: this.#anyOfSearch(joins) }] : []),
      ...countSearches([...candidates.values()]),
      // Words that more items contain have no proposals and cost nothing.
      ...(propose && unknown.length > 0 ? [{ key: 'proposals', search: suggestSearch(unknown, MORE_FREQUENT) }] : []),
    ]);
    const occurs = (key: string): boolean => matchesOf(found.get(key)) > 0;
    const proposals = proposalsOf(found.get('proposals'));
    const learnt = texts.map((text): [string, KnownWord] => [
      text,
      { ...contained(candidates.get(text), found), proposals: proposals.get(text) ?? [] },
    ]);
    if (propose) for (const [text, entry] of learnt) if (occurs(`word ${text}`)) this.#known.set(this.#keyOf(text), entry);
    const all = [...known, ...learnt];
    return {
      occurring: new Set(words.filter((word) => known.has(word) || occurs(`word ${word}`))),
      begins: occurs('beginning'),
      variants: new Map(all.flatMap(([word, entry]) => (isVaried.has(word) ? [[word, entry.variants ?? []]] : []))),
      forms: new Map(all.flatMap(([word, entry]) => (isVaried.has(word) && entry.forms.length > 0 ? [[word, entry.forms]] : []))),
      joins: occurs('joined') ? await this.#findJoins(joins) : [],
      proposals: new Map(all.map(([word, entry]) => [word, entry.proposals])),
    };
  }

  #keyOf(word: string): string {
    return `${this.#session.index.name} ${word}`;
  }

  #remembered(words: string[], isVaried: ReadonlySet<string>): Map<string, KnownWord> {
    const entries = words.map((word) => [word, this.#known.get(this.#keyOf(word))] as const);
    const isComplete = (word: string, entry: KnownWord): boolean => !isVaried.has(word) || entry.variants !== undefined;
    return new Map(entries.flatMap(([word, entry]) => (entry && isComplete(word, entry) ? [[word, entry]] : [])));
  }

  /** What was remembered of the words may be outdated. @returns whether anything was remembered */
  forget(words: string[]): boolean {
    return words.filter((word) => this.#known.delete(this.#keyOf(word))).length > 0;
  }

  /** Usually none of them occurs, which is known before. @param joins of which one occurs */
  async #findJoins(joins: Join[]): Promise<Join[]> {
    if (joins.length === 1) return joins;
    const found = await this.#session.searchMany(joins.map((join) => this.#anyOfSearch([join])));
    return joins.filter((_, position) => matchesOf(found[position]) > 0);
  }

  #anyOfSearch(joins: Join[]): SearchBody {
    return existsSearch(anyOf(joins.flatMap((join) => this.#joinQueries(join))));
  }

  /**
   * Proposes corrections with two edits for long words, and for short words that the index contains, but no searchable
   * item. Two edits in a short word make another word.
   */
  async proposeMoreCorrections(words: string[]): Promise<Map<string, string[]>> {
    const isLong = (word: string): boolean => word.length >= MIN_LENGTH_FOR_TWO_EDITS;
    const groups = [
      { key: 'long', words: words.filter(isLong), edits: 2 },
      { key: 'short', words: words.filter((word) => !isLong(word)), edits: 1 },
    ];
    const asked = groups.filter((group) => group.words.length > 0);
    const found = await this.#search([
      ...asked.map(({ key, words, edits }) => ({ key, search: suggestSearch(words, { max_edits: edits, suggest_mode: 'always' }) })),
      ...(words.length > 0 ? [{ key: 'first letter', search: suggestSearch(words.slice(0, MAX_FIRST_LETTERS), WRONG_FIRST_LETTER) }] : []),
    ]);
    const [long, short, first] = ['long', 'short', 'first letter'].map((key) => proposalsOf(found.get(key)));
    const proposed = (word: string): string[] => [
      ...(long?.get(word) ?? short?.get(word) ?? []),
      ...(first?.get(word) ?? []).filter((proposal) => hasOtherFirstLetter(word, proposal)),
    ];
    return new Map(words.map((word) => [word, [...new Set(proposed(word))]]));
  }

  /**
   * @param candidates by word: groups of beginnings, the best group first
   * @returns for each word, the beginning with which most items have a word, of the first group that has one
   */
  async findBeginnings(candidates: ReadonlyMap<string, string[][]>): Promise<Map<string, string>> {
    const asked = [...candidates].filter(([, groups]) => groups.flat().length > 0);
    if (asked.length === 0) return new Map();
    const found = await this.#search(
      asked.map(([word, groups]) => ({ key: word, search: countItemsSearch(groups.flat(), beginningQuery) })),
    );
    return new Map(
      asked.flatMap(([word, groups]) => {
        const counts = [itemCounts(found.get(word))];
        const best = groups.flatMap((group) => mostFrequent(group, counts));
        return best.slice(0, 1).map((beginning): [string, string] => [word, beginning]);
      }),
    );
  }

  /** @returns for each word, the candidate that at least `ratio` times as many items contain as contain the word */
  async findFarMoreFrequent(candidates: ReadonlyMap<string, string[]>, ratio: number): Promise<Map<string, string>> {
    const asked = [...candidates].filter(([, texts]) => texts.length > 0);
    if (asked.length === 0) return new Map();
    const found = await this.#search(
      asked.map(([word, texts]) => ({ key: word, search: countItemsSearch([word, ...texts], phraseQuery) })),
    );
    return new Map(
      asked.flatMap(([word, texts]) => {
        const count = itemCounts(found.get(word));
        const frequent = texts.filter((text) => count(text) >= ratio * Math.max(count(word), 1));
        return mostFrequent(frequent, [count]).map((text): [string, string] => [word, text]);
      }),
    );
  }

  /**
   * @returns for each word its candidate that most items contain next to a neighbour of the word, or else together with
   *   another word of the prompt, or else at all; no entry when no item contains any candidate
   */
  async findMostFrequent(repairs: Repair[]): Promise<Map<string, string>> {
    const asked = repairs.filter(({ candidates, foreign }) => candidates.length + foreign.length > 0);
    const found = await this.#search(asked.map((repair) => ({ key: repair.word, search: repairSearch(repair) })));
    return new Map(
      asked.flatMap(({ word, candidates, foreign }) =>
        mostFrequent([...candidates, ...foreign], repairCounts(found.get(word))).map((text) => [word, text]),
      ),
    );
  }

  #existsSearch(word: string): SearchBody {
    return existsSearch(anyOf(this.#wordQueries(word)));
  }

  #wordQueries(word: string): Query[] {
    const asCode = isCode(word) ? [literalQuery(word)] : [];
    return [phraseQuery(word), textQuery(word), ...asCode];
  }

  #joinQueries({ to, isBeginning }: Join): Query[] {
    const words = to.includes(' ') ? [phraseQuery(to)] : this.#wordQueries(to);
    return [...words, ...(isBeginning ? [beginningQuery(to)] : [])];
  }

  async #search(searches: { key: string; search: SearchBody }[]): Promise<Map<string, Found>> {
    const found = await this.#session.searchMany(searches.map(({ search }) => search));
    return new Map(found.map((response, position) => [searches[position]?.key ?? '', response]));
  }
}
