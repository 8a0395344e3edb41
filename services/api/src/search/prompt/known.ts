import type { TextRules } from '@ugc/text/rules/text-rules';
import { promptLetterKeys } from '@ugc/text/forms/accents';
import { promptPartKeys, wholeKey } from '@ugc/text/forms/part-keys';
import { promptFormKeys } from '@ugc/text/forms/word-forms';
import type { Alternative } from '@ugc/text/prompt/alternatives';
import { joinsOf, type Join } from '@ugc/text/prompt/joins';
import type { Gap } from './gaps.ts';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import type { Word } from '@ugc/text/words/word';
import type { Synonym, Synonyms } from '@ugc/text/prompt/synonyms';
import { waysOf } from '@ugc/text/ways/ways';

/**
 * What items contain of a word, a literal or a run. Before the first stage, `ways` and `forms` are all possible ones.
 * @property occurs whether an item contains the word, as it is or by its stem; undefined if that is not asked
 * @property ways other ways to write it, the most frequent first; undefined if they, and `forms`, are not asked for
 * @property forms the keys of its other forms
 * @property proposals more frequent words with one edit, the most frequent first, for a word that at most few items contain
 * @property isRare whether few items contain the word or its stem
 * @property unlisted so many items can have such a word that is not among them; undefined for none
 */
export type WordFacts = {
  occurs: boolean | undefined;
  ways: string[] | undefined;
  forms: string[];
  proposals: string[];
  unlisted?: number;
  isRare?: boolean;
};

/** A word that one account uses. @property others similar words of several accounts, to be counted */
export type OwnedWord = { text: string; unlisted: number; others?: string[] };

/** What is known of a prompt: at first what it says and what is remembered of its words, and more after each stage. */
export type Known = {
  prompt: Prompt;
  /** Whether words that occur nowhere are corrected and split, and adjacent words joined. */
  correct: boolean;
  synonyms: Synonym[];
  /** Facts of the words in the order of the prompt, and then of its literals and runs. */
  facts: ReadonlyMap<string, WordFacts>;
  /** Those of which nothing is remembered. */
  toLookUp: Word[];
  /** The words that can be joined; after two stages, those that items contain so. */
  joins: Join[];
  gaps: Gap[];
  /** Far more frequent words that are searched for besides rare ones. */
  near: Alternative[];
  /** Words that occur with another word of the prompt, as rare ones do not. They only count when fewer words are required. */
  nearIfRelaxed: Alternative[];
  /** Words beside which nothing is searched for yet, and of which not all similar words are listed. */
  owned: OwnedWord[];
  /** The other forms of what is searched for in another script. */
  foreignForms: Alternative[];
  /** The words that no item contains, nor as the beginning of a word if they are unfinished. */
  missing: string[];
};

/** The lookups of one prompt are bounded; further words are searched for as they are written. */
const MAX_LOOKED_UP = 32;

export type Correcting = {
  /** Whether words that occur nowhere are corrected and split, and adjacent words joined. */
  correct: boolean;
  /** None for suggestions. */
  synonyms?: Synonyms | undefined;
};

/** @param recall what is remembered of a word @returns what is known before the first stage */
export function begin(prompt: Prompt, { correct, synonyms }: Correcting, recall: (word: string) => WordFacts | undefined): Known {
  const { isLiteral, isDescriptive, words, rules } = prompt;
  // A description has enough other words, and a rare way to write one of them would count too much.
  const isVaried = correct && !isLiteral && !isDescriptive;
  const plain = isLiteral ? [] : words.filter(isWord).slice(0, MAX_LOOKED_UP);
  const others = isVaried ? words.filter((word) => !isWord(word)) : [];
  const recalled = new Map(plain.map(({ text }) => [text, recalledFacts(recall(text), { isVaried, correct })]));
  const lookedUp = [...plain, ...others];
  const factsOf = (word: Word): WordFacts => recalled.get(word.text) ?? (isVaried ? possibleFacts(word, rules) : NOTHING);
  return {
    prompt,
    correct,
    synonyms: isVaried ? (synonyms?.in(prompt) ?? []) : [],
    facts: new Map(lookedUp.map((word) => [word.text, factsOf(word)])),
    toLookUp: lookedUp.filter(({ text }) => recalled.get(text) === undefined),
    joins: correct ? joinsOf(prompt) : [],
    gaps: [],
    near: [],
    nearIfRelaxed: [],
    owned: [],
    foreignForms: [],
    missing: [],
  };
}

export function isWord({ kind }: Word): boolean {
  return kind === 'word';
}

const NOTHING: WordFacts = { occurs: undefined, ways: undefined, forms: [], proposals: [] };

/** A word of a description is remembered without its ways. What is not asked for does not count if it is remembered. */
function recalledFacts(facts: WordFacts | undefined, { isVaried, correct }: { isVaried: boolean; correct: boolean }) {
  if (isVaried) return facts?.ways && facts;
  return facts && { ...facts, ways: undefined, forms: [], proposals: correct ? facts.proposals : [] };
}

/** Eight words are varied, and Elasticsearch permits 1,024 terms in a query, or more. */
const MAX_POSSIBLE_TERMS = 100;

function possibleFacts(word: Word, rules: TextRules): WordFacts {
  const ways = boundTerms(waysOf(word, rules), MAX_POSSIBLE_TERMS);
  return { ...NOTHING, ways, forms: keysOf(word) };
}

/** A text with signs may be the name of a file. */
function keysOf({ kind, text }: Word): string[] {
  if (kind === 'word') return promptKeysOf(text);
  return kind === 'literal' ? [wholeKey(text)] : [];
}

/** @returns the keys by which items in any language contain another form of the word, or have it as a part of a word */
export function promptKeysOf(word: string): string[] {
  return [...new Set([...promptFormKeys(word), ...promptLetterKeys(word), ...promptPartKeys(word)])];
}

/** @returns the first texts, as long as they have no more terms together */
export function boundTerms(texts: string[], maxTerms: number): string[] {
  let terms = 0;
  return texts.filter((text) => (terms += text.split(' ').length) <= maxTerms);
}

/** Whether no item contains the word, in any way. */
export function isAbsent(word: string, { facts, synonyms }: Pick<Known, 'facts' | 'synonyms'>): boolean {
  const { occurs, ways = [], forms = [] } = facts.get(word) ?? NOTHING;
  return occurs === false && ways.length + forms.length === 0 && !isMeant(word, synonyms);
}

/** Words that the operator knows are spelt as they are meant. */
export function isMeant(word: string, synonyms: Synonym[]): boolean {
  return synonyms.some(({ from }) => from.includes(word));
}

/** @returns what takes the place of words, or is searched for besides rare ones */
export function correctionsIn({ gaps, near }: Known): Alternative[] {
  return [...gaps.flatMap(({ filled, near: others = [] }) => [...(filled ? [filled] : []), ...others]), ...near];
}

/** @returns what was learnt of words that occur; the others may be uploaded. Without corrections it is not complete. */
export function toRemember({ correct, toLookUp, facts }: Known): [string, WordFacts][] {
  const learnt = toLookUp.map(({ text }): [string, WordFacts] => [text, facts.get(text) ?? NOTHING]);
  return correct ? learnt.filter(([, { occurs }]) => occurs) : [];
}
