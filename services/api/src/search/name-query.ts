import { isLetterKey } from '@ugc/text/forms/accents';
import { isPartKey } from '@ugc/text/forms/part-keys';
import { isAddedSynonym, isCorrection, isReplaced, type Alternative, type Term } from '@ugc/text/prompt/alternatives';
import { inflectionsOf } from '@ugc/text/prompt/inflections';
import { isArticle } from '@ugc/text/rules/keys';
import { stemOf } from '@ugc/text/words/terms';
import type { TextRules } from '@ugc/text/rules/text-rules';
import type { Interpretation } from './prompt/interpret-prompt.ts';
import { knownWords, textsOf, writtenAs } from './ranking-query.ts';
import { WITHOUT_NAMES, type Naming } from './reasons.ts';
import type { Query } from './session.ts';
import { MAX_NAME_PREFIX_LENGTH, NAME_WORDS, nameBeginning, namePhrase, nameWords } from './text-fields.ts';

/** A name that has all words of the prompt as they are typed, or corrected. */
export const NAME_BOOST = 1.65;
/** A name that has another form of a word. With .8, a form that is rarer than the word would come before it. */
export const OTHER_NAME_BOOST = 0.45 * NAME_BOOST;
/** A name with a word that resembles a rare one: with .45, it would come before a description with the word that is typed. */
const NEAR_BOOST = 0.15 * NAME_BOOST;
/** So many ways of each kind to write a word, the most frequent ones. */
const MAX_OTHERS = 3;

/** Words that are not searched for, and two adjacent ones of which one is such a word, in a name with all others. */
const SMALL_WORD_BOOST = 0.5;
const SMALL_PAIR_BOOST = 0.3;
const MAX_SMALL_WORDS = 8;

/**
 * A name with all words of the prompt counts more than any description, however long the description of the item is. A name
 * that has alternatives of the words counts about half as much. A word that no item has is left out. Among names with all
 * words, those that are not searched for decide.
 */
export function nameQuery(interpretation: Interpretation, naming = WITHOUT_NAMES): Query[] {
  const { alternatives, rules, isLiteral, isDescriptive } = interpretation;
  const named = knownWords(interpretation);
  if (isLiteral || isDescriptive || named.length === 0) return [];
  const must = named.map(({ text }) => wordQuery(text, alternatives, rules));
  const should = naming.name('smallWordsInName', smallWordQueries(interpretation));
  return [...naming.name('inName', [{ bool: { must, should } }]), ...typedQuery(interpretation, naming)];
}

/** More than a name that differs in the article, less than the whole name. */
export const WITH_ARTICLE_BOOST = 750;

/**
 * Names with all words of a prompt that begins with an article of another language, as `los angeles map`. A second small word
 * tells that the whole prompt is in that language: `la casa del mar` may be named *Casa del mar*.
 */
export function withArticleQuery(interpretation: Interpretation): Query[] {
  const { smallWords, sequences, rules, isDescriptive } = interpretation;
  const [article = '', ...others] = smallWords;
  if (isDescriptive || others.length > 0 || sequences[0]?.[0]?.text !== article || !isArticle(article)) return [];
  const texts = [article, ...writtenAs(textsOf(knownWords(interpretation)), interpretation)];
  return [{ constant_score: { filter: hasWords(texts.join(' '), 1, rules), boost: WITH_ARTICLE_BOOST } }];
}

/** Tells a name with all words as they are typed, or corrected, from one with other forms of them. */
function typedQuery(interpretation: Interpretation, { add }: Naming): Query[] {
  const { alternatives, rules } = interpretation;
  const texts = textsOf(knownWords(interpretation));
  if (texts.some((text) => isReplaced(text, alternatives))) return [];
  return add('wordsInName', [hasWords(writtenAs(texts, interpretation).join(' '), 1, rules)]);
}

function smallWordQueries({ sequences, dropped, smallWords, rules }: Interpretation): Query[] {
  const small = [...dropped, ...smallWords].slice(0, MAX_SMALL_WORDS);
  const pairs = sequences.flatMap((words) => words.slice(1).map((word, at) => [words[at]?.text ?? '', word.text]));
  const withSmall = pairs.filter((pair) => pair.some((text) => small.includes(text))).slice(0, MAX_SMALL_WORDS);
  return [
    ...small.map((word) => hasWords(word, SMALL_WORD_BOOST, rules)),
    ...withSmall.map((pair) => namePhrase(rules.separate(pair.join(' ')), SMALL_PAIR_BOOST)),
  ];
}

function wordQuery(word: string, alternatives: Alternative[], rules: TextRules): Query {
  const own = alternatives.filter((one) => one.from.includes(word) && !isAddedSynonym(one));
  const ofKind = Map.groupBy(own, ({ kind }) => kind);
  const others = [...ofKind.values()].flatMap((alike) => alike.flatMap((one) => otherQueries(word, one, rules)).slice(0, MAX_OTHERS));
  return { dis_max: { queries: [...(isReplaced(word, own) ? [] : [hasWords(word, NAME_BOOST, rules)]), ...others] } };
}

/** @returns a query for each term of the alternative but the word itself, and for its other forms */
function otherQueries(word: string, one: Alternative, rules: TextRules): Query[] {
  if (one.kind === 'form') {
    const keys = one.terms.map(({ text }) => text);
    return [...keys.filter(isPartKey).map(partQuery), ...formQueries(word, keys.filter((key) => !isPartKey(key)), rules)]; // prettier-ignore
  }
  const other = one.kind === 'near' ? NEAR_BOOST : OTHER_NAME_BOOST;
  const boost = isCorrection(one) ? NAME_BOOST : other;
  const written = (text: string): Query[] => (text === word ? [] : [hasWords(text, boost, rules)]);
  const queries: Record<Term['by'], (text: string) => Query[]> = {
    stem: (text) => [...written(text), ...hasForm(inflected(text), (stemOf(text) ?? '').replace(/(?<=...)i$/, ''), other)],
    sequence: written,
    literal: written,
    beginning: (text) => [nameBeginning(rules.separate(text), other)],
    key: (text) => formQueries(word, [text], rules),
  };
  return one.terms.flatMap(({ by, text }) => queries[by](text));
}

/** A name that has the word as a part of another one. */
function partQuery(value: string): Query {
  return { term: { nameParts: { value, boost: OTHER_NAME_BOOST } } };
}

/** Another word with the same stem may mean something else. */
function inflected(word: string): Query {
  return { terms: { [NAME_WORDS]: inflectionsOf(word) } };
}

/** A key has a shorter form of a word in the item after the name of a language and a colon; others have the word itself. */
function formQueries(word: string, keys: string[], rules: TextRules): Query[] {
  const isShorter = (key: string): boolean => /^\w+:/.test(key) && !isLetterKey(key);
  const textOf = (key: string): string => key.slice(key.search(/[:=]/) + 1);
  const shorter = keys.filter(isShorter);
  const written = new Set(keys.filter((key) => !isShorter(key)).map(textOf));
  const beginning = shorter.map(textOf).reduce(commonBeginning, word);
  const form: Query = { terms: { forms: shorter } };
  return [...(shorter.length > 0 ? hasForm(form, beginning) : []), ...[...written].map((text) => hasWords(text, OTHER_NAME_BOOST, rules))];
}

function hasWords(text: string, boost: number, { separate }: TextRules): Query {
  return nameWords(separate(text), boost);
}

const MIN_BEGINNING = 3;

/** Names are not stemmed: a name has another form if it has a word that begins alike, and it or its item has the form. */
function hasForm(form: Query, beginning: string, boost = OTHER_NAME_BOOST): Query[] {
  if (beginning.length < MIN_BEGINNING) return [];
  const start = [...beginning].slice(0, MAX_NAME_PREFIX_LENGTH).join('');
  return [{ bool: { must: [nameBeginning(start, boost)], filter: [form] } }];
}

function commonBeginning(one: string, other: string): string {
  const different = Array.from(one).findIndex((letter, at) => letter !== other[at]);
  return different < 0 ? one : one.slice(0, different);
}
