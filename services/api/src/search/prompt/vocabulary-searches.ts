import type { estypes } from '@elastic/elasticsearch';
import { totalOf } from '../response.ts';
import type { Found, Query, SearchBody } from '../session.ts';
import type { TextRules } from '@ugc/text/rules/text-rules';
import { promptUmlautKeys } from '@ugc/text/forms/umlauts';
import { promptFormKeys } from '@ugc/text/forms/word-forms';
import { formQuery, phraseQuery, textQuery } from '../text-fields.ts';
import type { Word } from '@ugc/text/words/word';
import { variantsOf } from '@ugc/text/ways/variants';

/**
 * A word that occurs nowhere, its candidates, and the words of the prompt around it.
 * @property foreign candidates in another script
 * @property inForms whether items may contain these in another form
 */
export type Repair = {
  word: string;
  candidates: string[];
  before: string[];
  after: string[];
  context: string[];
  foreign: string[];
  inForms?: boolean;
};

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

/** Elasticsearch proposes nothing for a word that more items contain. */
const RARE_IN_ITEMS = 5;
export const MORE_FREQUENT = { max_edits: 1, suggest_mode: 'popular', max_term_freq: RARE_IN_ITEMS } as const;
/** Only for words for which nothing else was found: the lookup reads the complete vocabulary. */
export const WRONG_FIRST_LETTER = { max_edits: 1, suggest_mode: 'always', prefix_length: 0 } as const;

/** Hardly ever reached: an item must not hide others by the form in which it writes a word. */
const MAX_TERMS_OF_VARIANTS = 60;

function live(query: Query): Query {
  return { bool: { filter: [{ term: { deleted: false } }, query] } };
}

export function existsSearch(query: Query): SearchBody {
  return { query: live(query), size: 0, terminate_after: 1 };
}

export function suggestSearch(words: string[], options: Partial<estypes.SearchTermSuggester>): SearchBody {
  const term = { ...SUGGESTER, ...options };
  return { size: 0, query: { match_none: {} }, suggest: { text: words.join(' '), proposals: { term } } };
}

export function countItemsSearch(texts: string[], toQuery: (text: string) => Query): SearchBody {
  const queries = texts.map((text): [string, Query] => [text, toQuery(text)]);
  return countSearch({ bool: { should: queries.map(([, query]) => query), minimum_should_match: 1 } }, queries);
}

/** Of the items that match a query, counts those that match each of several others. */
function countSearch(query: Query, queries: [string, Query][]): SearchBody {
  return { query: live(query), size: 0, aggregations: { items: { filters: { filters: Object.fromEntries(queries) } } } };
}

function mostFrequentVariants(variants: string[], count: (text: string) => number): string[] {
  const contained = variants.filter((text) => count(text) > 0);
  let terms = 0;
  const isWithinLimit = (text: string): boolean => (terms += text.split(' ').length) <= MAX_TERMS_OF_VARIANTS;
  return contained.toSorted((one, other) => count(other) - count(one)).filter(isWithinLimit);
}

export function proposalsOf(response: Found | undefined): Map<string, string[]> {
  const suggestions = (response?.suggest?.['proposals'] ?? []) as estypes.SearchTermSuggest[];
  return new Map(suggestions.map(({ text, options }) => [text, [options].flat().map((option) => option.text)]));
}

const COUNTS = ['adjacent', 'together', 'items'] as const;

/** Counts the items with each candidate: next to a neighbour of the word, with another word of the prompt, and all. */
export function repairSearch({ candidates, before, after, context, foreign, inForms = false }: Repair): SearchBody {
  // The parts of a split word are evidence enough that they are next to each other.
  const words = candidates.filter((text) => !text.includes(' '));
  const neighbours = (text: string): string[] => [...before.map((word) => `${word} ${text}`), ...after.map((word) => `${text} ${word}`)];
  const counts: Record<(typeof COUNTS)[number], [string, Query][]> = {
    adjacent: before.length + after.length > 0 ? words.map((text) => [text, anyPhrase(neighbours(text))]) : [],
    together: context.length > 0 ? words.map((text) => [text, { bool: { filter: [phraseQuery(text), anyWord(context)] } }]) : [],
    items: [
      ...candidates.map((text): [string, Query] => [text, phraseQuery(text)]),
      ...foreign.map((text): [string, Query] => [text, inForms ? anyFormQuery(text) : phraseQuery(text)]),
    ],
  };
  const asked = Object.entries(counts).filter(([, queries]) => queries.length > 0);
  const aggregations = asked.map(([name, queries]) => [name, { filters: { filters: Object.fromEntries(queries) } }]);
  const any = { bool: { should: counts.items.map(([, query]) => query) } };
  return { query: live(any), size: 0, aggregations: Object.fromEntries(aggregations) };
}

/** @returns the counts of `repairSearch`, in the order in which they decide */
export function repairCounts(response: Found | undefined): ((text: string) => number)[] {
  return COUNTS.map((name) => countsOf(response?.aggregations?.[name]));
}

/** @returns the counts of `countItemsSearch` */
export function itemCounts(response: Found | undefined): (text: string) => number {
  return countsOf(response?.aggregations?.['items']);
}

/**
 * @param counts of items by text, the most important first; the last one counts all items
 * @returns one candidate, or none if no item contains any
 */
export function mostFrequent(candidates: string[], counts: ((text: string) => number)[]): string[] {
  const compare = (a: string, b: string): number => counts.map((count) => count(b) - count(a)).find((difference) => difference !== 0) ?? 0;
  const contained = candidates.filter((text) => counts.at(-1)?.(text));
  return contained.toSorted(compare).slice(0, 1);
}

function countsOf(aggregate: estypes.AggregationsAggregate | undefined): (text: string) => number {
  const { buckets = {} } = (aggregate ?? {}) as { buckets?: Record<string, estypes.AggregationsFiltersBucket> };
  return (text) => buckets[text]?.doc_count ?? 0;
}

const LATIN = /\p{sc=Latin}/u;

/** English words are stemmed. The keys of a word in Latin letters would be those of too many languages. */
function anyFormQuery(text: string): Query {
  if (LATIN.test(text)) return textQuery(text);
  return { bool: { should: [phraseQuery(text), { terms: { forms: promptFormKeys(text) } }] } };
}

function anyPhrase(texts: string[]): Query {
  return { bool: { should: texts.map((text) => phraseQuery(text)), minimum_should_match: 1 } };
}

function anyWord(words: string[]): Query {
  return { match: { words: { query: words.join(' ') } } };
}

export function matchesOf(response: Found | undefined): number {
  return response ? totalOf(response.hits) : 0;
}

/** Whether the first letter of the word is missing, or exchanged with the second one. Other edits make another word. */
export function hasOtherFirstLetter(word: string, proposal: string): boolean {
  const [first = '', second = '', ...rest] = word;
  return proposal.endsWith(word) || proposal === [second, first, ...rest].join('');
}

/** Other ways to write a word, as terms that follow each other, and the keys of its other forms. */
type Candidates = { variants: string[]; forms: Form[] };
type Form = { word: string; key: string };

export function candidatesOf(word: Word, rules: TextRules): Candidates {
  const { kind, text } = word;
  const keys = kind === 'word' ? new Set([...promptFormKeys(text), ...promptUmlautKeys(text)]) : [];
  return { variants: boundTerms(variantsOf(word, rules)), forms: [...keys].map((key) => ({ word: text, key })) };
}

/** Eight words have candidates, and Elasticsearch permits 1,024 terms in a query, or more. */
const MAX_TERMS_OF_WORD = 100;

/** @returns the first variants of a word, as long as they have no more terms together */
function boundTerms(texts: string[]): string[] {
  let terms = 0;
  return texts.filter((text) => (terms += text.split(' ').length) <= MAX_TERMS_OF_WORD);
}

export function countSearches(candidates: Candidates[]): { key: string; search: SearchBody }[] {
  const variants = new Set(candidates.flatMap((one) => one.variants));
  const forms = candidates.flatMap((one) => one.forms);
  return [
    ...(variants.size > 0 ? [{ key: 'variants', search: countItemsSearch([...variants], (text) => phraseQuery(text)) }] : []),
    ...(forms.length > 0 ? [{ key: 'forms', search: formsSearch(forms) }] : []),
  ];
}

/** Counts the items with each form that lack the word itself: others are found by the word. */
function formsSearch(forms: Form[]): SearchBody {
  const other = ({ word, key }: Form): Query => ({ bool: { filter: [formQuery(key)], must_not: [phraseQuery(word)] } });
  const any = { terms: { forms: [...new Set(forms.map(({ key }) => key))] } };
  return countSearch(any, forms.map((form): [string, Query] => [nameOf(form), other(form)])); // prettier-ignore
}

function nameOf({ word, key }: Form): string {
  return `${word} ${key}`;
}

/** @returns of the candidates, those that items contain; `variants` is undefined if there were none */
export function contained(
  candidates: Candidates | undefined,
  found: ReadonlyMap<string, Found>,
): { variants: string[] | undefined; forms: string[] } {
  const [ofVariants, ofForms] = [itemCounts(found.get('variants')), itemCounts(found.get('forms'))];
  return {
    variants: candidates && mostFrequentVariants(candidates.variants, ofVariants),
    forms: candidates?.forms.filter((form) => ofForms(nameOf(form)) > 0).map(({ key }) => key) ?? [],
  };
}
