import { correctionOf, isReplaced, withReplaced, type Kind } from '@ugc/text/prompt/alternatives';
import { inflectionsOf, numbersOf } from '@ugc/text/prompt/inflections';
import type { Word } from '@ugc/text/words/word';
import type { Interpretation } from './prompt/interpret-prompt.ts';
import { WITHOUT_NAMES, type Naming } from './reasons.ts';
import type { Query } from './session.ts';
import { anyOf, beginningQuery, nameWords, nearQuery, phraseQuery, textQuery } from './text-fields.ts';

/** Two adjacent words. */
const PAIR_BOOST = 0.3;
/** Two words that stand near each other, in any order. With .3, CACM falls by .007. */
const NEAR_BOOST = 0.1;
/** More words are seldom together, and each takes time. */
const MAX_FEW_WORDS = 3;
/** Each word in the name of an item that has all words. Without this condition, CACM falls by .07. */
const NAME_WORD_BOOST = 3;
/**
 * Each word of an item that has all of them. In a million items, a rare word in a name adds up to 50 to the score. Eight words
 * are less than a name that is the prompt.
 */
const ALL_WORDS_BOOST = 20;
/** An item that a prompt of two words finds has both of them in any case. */
const MIN_ALL_WORDS = 3;
/** An item with the only word of a prompt, and not just with another word of the same stem. */
const MEANT_BOOST = 15;

export function pairQueries(interpretation: Interpretation): Query[] {
  // One word takes the place of two: it is no pair.
  const pairs = interpretation.pairs.map((pair) => writtenAs(pair, interpretation)).filter(({ length }) => length > 1);
  return pairs.map((pair) => phraseQuery(pair.join(' '), PAIR_BOOST));
}

/** What counts more than how rare words are. Quality does not multiply it. `bonus`: the part of a score that is the same for all. */
export type Tier = { bonus: number; has: Query; query: Query };

export function tiersOf(interpretation: Interpretation, naming = WITHOUT_NAMES): Tier[] {
  const { isLiteral, isDescriptive } = interpretation;
  return isLiteral || isDescriptive ? [] : [...allWords(interpretation, naming), ...meantWord(interpretation, naming)];
}

/** An item with all words comes before those with some. Among these, words in the name and near each other count. */
function allWords(interpretation: Interpretation, { name }: Naming): Tier[] {
  const { alternatives, rules, rare } = interpretation;
  const known = knownWords(interpretation);
  const texts = writtenAs(textsOf(known), interpretation);
  if (texts.length < 2 || known.some(({ text }) => isReplaced(text, alternatives))) return [];
  const bonus = known.length < MIN_ALL_WORDS ? 0 : ALL_WORDS_BOOST * known.length;
  // One query with all words: Elasticsearch limits the clauses.
  const has = textQuery(texts.join(' '));
  // If every word is frequent, these clauses take a fifth of the time of a list.
  const few = known.length <= MAX_FEW_WORDS && known.some(({ text }) => rare.includes(text)) ? texts : [];
  const near = few.slice(1).map((text, at) => nearQuery(`${few[at]} ${text}`, NEAR_BOOST));
  const inName = few.map((text) => nameWords(rules.separate(text), NAME_WORD_BOOST));
  const should = [...name('someWordsInName', inName), ...name('nearWords', near)];
  if (bonus === 0 && should.length === 0) return [];
  const all = name('together', [{ constant_score: { filter: has, boost: bonus } }]);
  const must = bonus === 0 ? all : name('allWords', all);
  return [{ bonus, has, query: { bool: { must, should } } }];
}

const ENGLISH = /^[a-z]{3,}$/;
/** A form, by the language that an item seems to be in, may be another word: "police" of `policy`. */
const COMPARED: Kind[] = ['typed', 'spelling', 'form'];

/**
 * English words with one stem may mean different things: `eugene` also finds "eugenics". An item with the word, or with a form
 * that means the same, comes first. In longer prompts the other words tell what is meant. A word that is written in other ways
 * too is not compared with these. Of a frequent word, enough names have the word itself. Unfinished, as `port`, it may be the
 * beginning of another one, as of "portable", which comes behind; so its numbers are compared, not "danced" with `danc`.
 */
function meantWord(interpretation: Interpretation, { name }: Naming): Tier[] {
  const { words, alternatives, unfinished, rare } = interpretation;
  const [{ text } = { text: '' }, ...more] = words;
  const isCompared =
    rare.includes(text) && ENGLISH.test(text) && more.length === 0 && alternatives.every(({ kind }) => COMPARED.includes(kind));
  if (!isCompared) return [];
  const written = writtenAs([text], interpretation).join(' ');
  const forms: Query = { terms: { words: inflectionsOf(written) } };
  const numbers: Query = { terms: { words: numbersOf(written) } };
  const levels = text === unfinished ? [anyOf([forms, beginningQuery(text)]), numbers] : [forms];
  return levels.flatMap((has) =>
    name('writtenWord', [{ constant_score: { filter: has, boost: MEANT_BOOST } }]).map((query) => ({ bonus: MEANT_BOOST, has, query })),
  );
}

export function knownWords({ words, missing }: Interpretation): Word[] {
  return words.filter(({ text }) => !missing.includes(text));
}

export function textsOf(words: Word[]): string[] {
  return words.map(({ text }) => text);
}

/** @returns the words as they are corrected, or as they are typed; what takes the place of several words once */
export function writtenAs(words: string[], { alternatives }: Interpretation): string[] {
  return withReplaced(words, (word) => correctionOf(word, alternatives));
}
