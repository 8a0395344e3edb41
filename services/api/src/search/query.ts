import { DELETED, LIVE } from '@ugc/shared/contracts/content-index';
import type { NameKeys } from '@ugc/text/rules/text-rules';
import { correctionsOf, isCorrection, isReplaced, typedBeginning, type Alternative } from '@ugc/text/prompt/alternatives';
import type { Interpretation } from './prompt/interpret-prompt.ts';
import type { Phrase } from '@ugc/text/prompt/parse-prompt';
import { replaceWords } from '@ugc/text/prompt/replace-words';
import type { Query } from './session.ts';
import { accentQueries } from './accent-query.ts';
import { weighByQuality } from './sort.ts';
import { NAME_BOOST, nameQuery, OTHER_NAME_BOOST, WITH_ARTICLE_BOOST, withArticleQuery } from './name-query.ts';
import { pairQueries, tiersOf } from './ranking-query.ts';
import { WITHOUT_NAMES, freshNames, type Naming } from './reasons.ts';
import { anyOf, excludedWordQuery, phraseQuery, textQuery, toQuery } from './text-fields.ts';

/** Higher than any sum of word scores, so that the item with exactly this name is the first by relevance. */
const NAME_KEY_BOOST = { whole: 1_000, loose: 500 };
/**
 * The name with its words joined otherwise, by how rare it is. A name that has all words as they are typed comes before, and
 * one that has other forms of them behind.
 */
const JOINED_NAME_BOOST = NAME_BOOST;
/** Higher than that of an item with this name, whatever the quality of both. */
const ITEM_BOOST = 4_000;

/**
 * Builds the query for a prompt and filters. It matches the same items whether they are ranked or not.
 * @param interpretation undefined for a blank prompt, which matches everything
 * @param filters by `filterClauses`
 * @param isRanked whether the scores are used; otherwise no clause is sent that only ranks
 * @param isWeighed whether scores are multiplied by the quality of the items. What makes a tier is added after that: quality
 *   lifts no item with three words above one with four
 * @param isExplained whether the hits name the clauses by `reasons.ts`; scores and matches stay the same
 */
export function buildQuery(
  interpretation: Interpretation | undefined,
  filters: Query[] = [],
  { isRanked = false, isWeighed = false, isExplained = false } = {},
): Query {
  if (!interpretation) return { bool: { filter: [LIVE, ...filters] } };
  const naming = isExplained ? freshNames() : WITHOUT_NAMES;
  const { matching, ranking, tiers } = clausesOf(interpretation, naming);
  if (!isRanked) return { bool: { ...matching, filter: filters } };
  const words = [...ranking, ...accentQueries(interpretation, isWeighed, naming)];
  if (!isWeighed) return ranked(matching, [...words, ...tiers], filters);
  return { bool: { must: [weighByQuality(ranked(matching, words, filters))], should: tiers } };
}

function ranked(matching: Clauses['matching'], should: Query[], filter: Query[]): Query {
  return { bool: { ...matching, ...(should.length > 0 && { should }), filter } };
}

type Clauses = { matching: ReturnType<typeof matchingClauses>; ranking: Query[]; tiers: Query[] };

/** Of interpretations that are remembered, and so used several times. */
const clauses = new WeakMap<Interpretation, Clauses>();

function clausesOf(interpretation: Interpretation, naming: Naming): Clauses {
  if (naming !== WITHOUT_NAMES) return makeClauses(interpretation, naming);
  const known = clauses.get(interpretation);
  if (known) return known;
  const made = makeClauses(interpretation, naming);
  clauses.set(interpretation, made);
  return made;
}

function makeClauses(interpretation: Interpretation, naming: Naming): Clauses {
  const tiers = tiersOf(interpretation, naming).map(({ query }) => query);
  return { matching: matchingClauses(interpretation, naming), ranking: rankingClauses(interpretation, naming), tiers };
}

function matchingClauses(interpretation: Interpretation, { name }: Naming) {
  const { phrases, isDescriptive, match } = interpretation;
  const required = [
    ...wordClauses(interpretation),
    ...(match === 'all' ? smallWordQueries(interpretation) : []),
    ...(isDescriptive ? [] : phrases.map(quotedQuery)),
  ];
  const words = required.length > 0 ? [{ bool: { must: required } }] : [];
  const excluded = excludedQueries(interpretation);
  if (onlyExcludes(interpretation)) return { must_not: [DELETED, ...excluded] };
  const names = namesIn(interpretation);
  // The item with exactly this name is found although a part of its name excludes it.
  const matching = [
    ...words.map((query) => without(query, excluded)),
    ...name('name', exactNameQuery(names)),
    ...name('inName', joinedNameQuery(names)),
    ...name('id', itemQuery(interpretation)),
  ];
  return { must: [anyOf(matching)], must_not: [DELETED] };
}

function excludedQueries({ rules, excludedWords, excludedPhrases }: Interpretation): Query[] {
  return [...excludedWords.map((word) => excludedWordQuery(word, rules)), ...excludedPhrases.map(quotedQuery)];
}

function rankingClauses(interpretation: Interpretation, naming: Naming): Query[] {
  const { phrases, isDescriptive, match } = interpretation;
  if (onlyExcludes(interpretation)) return [];
  const { name } = naming;
  return [
    ...name('adjacentWords', pairQueries(interpretation)),
    ...droppedEndQuery(interpretation),
    ...nameQuery(interpretation, naming),
    ...withArticleQuery(interpretation),
    ...name('name', looseNameQuery(namesIn(interpretation))),
    ...name('inName', renamedQuery(interpretation)),
    ...(match === 'all' ? [] : smallWordQueries(interpretation)),
    ...(isDescriptive ? name('adjacentWords', phrases.map(quotedQuery)) : []),
  ];
}

/** Whatever a prompt does not exclude matches it equally well. */
export function onlyExcludes({ words, phrases, excludedWords, excludedPhrases }: Interpretation): boolean {
  return words.length + phrases.length === 0 && excludedWords.length + excludedPhrases.length > 0;
}

function without(query: Query, excluded: Query[]): Query {
  return excluded.length === 0 ? query : { bool: { must: [query], must_not: excluded } };
}

function wordClauses(interpretation: Interpretation): Query[] {
  const { words, isLiteral, required, match } = interpretation;
  if (words.length === 0) return [];
  const should = words.map(({ text, count }) => ({ dis_max: { queries: wordQueries(text, interpretation), boost: count } }));
  // With `match=most`, a repeated word counts as two of the required words.
  const repeated = match === 'most' && !isLiteral ? should.filter((_, position) => (words[position]?.count ?? 0) > 1) : [];
  return [{ bool: { should: [...should, ...repeated.map(withoutScore)], minimum_should_match: required } }];
}

/** Matches what has at least so many words of the prompt, and its phrases. The score is the number of words. */
export function wordCountQuery(interpretation: Interpretation, least: number): Query {
  const { words, phrases, isDescriptive } = interpretation;
  const should = words.map(({ text }) => ({ constant_score: { filter: anyOf(wordQueries(text, interpretation)), boost: 1 } }));
  const filter = [LIVE, ...(isDescriptive ? [] : phrases.map(quotedQuery))];
  return { bool: { should, minimum_should_match: least, filter, must_not: excludedQueries(interpretation) } };
}

/** A small word says less than any other one, however rare it is in the collection. */
const SMALL_WORD_BOOST = 0.2;

function smallWordQueries({ smallWords }: Interpretation): Query[] {
  return smallWords.map((word) => textQuery(word, SMALL_WORD_BOOST));
}

function withoutScore(filter: Query): Query {
  return { constant_score: { filter, boost: 0 } };
}

/** When fewer words are required, an item with a guess would come before one with a word that is known. */
const GUESS_BESIDE_KNOWN = 0.1;

function wordQueries(word: string, interpretation: Interpretation): Query[] {
  const { alternatives, isRelaxed } = interpretation;
  const factor = isRelaxed && hasKnownWord(interpretation) ? GUESS_BESIDE_KNOWN : 1;
  const own = alternatives.filter(({ from }) => from.includes(word));
  return own.flatMap((one) => toQueries(isCorrection(one) ? { ...one, weight: one.weight * factor } : one));
}

function hasKnownWord({ words, missing, alternatives }: Interpretation): boolean {
  const guessed = alternatives.filter(isCorrection).flatMap(({ from }) => from);
  return words.some(({ text }) => !missing.includes(text) && !guessed.includes(text));
}

function toQueries({ weight, terms }: Alternative): Query[] {
  return terms.map((term) => toQuery(term, weight));
}

/** A small word at the end may be the beginning of another one. Items without it match too. */
function droppedEndQuery({ droppedEnd, isDescriptive, rules }: Interpretation): Query[] {
  return isDescriptive ? [] : typedBeginning(droppedEnd, true, rules).flatMap(toQueries);
}

const QUOTED = /^\s*"(?<name>[^"]+)"\s*$/;

/** The item whose name is the prompt. */
function exactNameQuery(names: NameKeys[]): Query[] {
  return nameKeyQuery(
    names.map(({ whole }) => whole),
    NAME_KEY_BOOST.whole,
  );
}

/** Also found if its words are more than are joined for a lookup. */
function joinedNameQuery(names: NameKeys[], boost = JOINED_NAME_BOOST): Query[] {
  const keys = new Set(names.flatMap(({ joined }) => joined));
  return Array.from(keys, (value) => ({ term: { nameKey: { value, boost } } }));
}

/** Ranks the whole name, in which a word is written otherwise, as a name with another form. The other way finds the item. */
function renamedQuery({ text, rules, words, alternatives, inNames }: Interpretation): Query[] {
  if (inNames.size === 0 || words.some((word) => isReplaced(word.text, alternatives))) return [];
  return joinedNameQuery([rules.nameKeys(replaceWords(text, rules, inNames))], OTHER_NAME_BOOST);
}

/** Only ranks: without its punctuation, the prompt may exclude what the name contains. */
function looseNameQuery(names: NameKeys[]): Query[] {
  return nameKeyQuery(
    names.flatMap(({ loose }) => loose),
    NAME_KEY_BOOST.loose,
  );
}

/** The item that the prompt names. */
function itemQuery({ item }: Interpretation): Query[] {
  return item === undefined ? [] : [{ constant_score: { filter: { term: { contentId: item } }, boost: ITEM_BOOST } }];
}

/** A part of the score that all items have which the query matches. Quality multiplies it if `isWeighed`. */
export type Bonus = { bonus: number; isWeighed: boolean; query: Query };

/** @returns what an exact name, the id, and all words add to the score */
export function bonusesOf(interpretation: Interpretation): Bonus[] {
  const names = namesIn(interpretation);
  const exact: [number, Query[]][] = [
    [NAME_KEY_BOOST.whole, exactNameQuery(names)],
    [WITH_ARTICLE_BOOST, withArticleQuery(interpretation)],
    [NAME_KEY_BOOST.loose, looseNameQuery(names)],
    [ITEM_BOOST, itemQuery(interpretation)],
  ];
  const tiers = tiersOf(interpretation).filter(({ bonus }) => bonus > 0);
  return [
    ...exact.flatMap(([bonus, queries]) => queries.map((query) => ({ bonus, isWeighed: true, query }))),
    ...tiers.map(({ bonus, has }) => ({ bonus, isWeighed: false, query: has })),
  ];
}

/** The names that the prompt may be, as it is written and corrected. */
function namesIn({ text, rules, words, alternatives }: Interpretation): NameKeys[] {
  if (words.some((word) => isReplaced(word.text, alternatives))) return [];
  // A chosen suggestion is a quoted name.
  const name = QUOTED.exec(text)?.groups?.['name'] ?? text;
  return [name, replaceWords(name, rules, correctionsOf(alternatives))].map(rules.nameKeys);
}

function nameKeyQuery(keys: string[], boost: number): Query[] {
  return keys.length === 0 ? [] : [{ constant_score: { filter: { terms: { nameKey: [...new Set(keys)] } }, boost } }];
}

/** The field of words has "c++" as "c". */
function quotedQuery({ text, literals }: Phrase): Query {
  const symbols = literals.map((literal) => toQuery({ by: 'literal', text: literal }));
  return symbols.length === 0 ? phraseQuery(text) : { bool: { must: [phraseQuery(text), ...symbols] } };
}
