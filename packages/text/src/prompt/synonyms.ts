import type { TextRules } from '../rules/text-rules.ts';
import type { Word } from '../words/word.ts';
import { foldedWords, type Prompt } from './parse-prompt.ts';
import type { SynonymRule } from './parse-synonyms.ts';

/**
 * Another way to say some words of a prompt.
 * @property from the searched words that it stands for
 * @property to one word, or words that follow each other
 * @property replaces whether the words themselves are not searched for
 */
export type Synonym = { from: string[]; to: Word[]; replaces: boolean };

/** A word or phrase of a rule, and what it means. */
type Entry = { from: Word[]; to: Word[][]; replaces: boolean };

const MAX_TERMS = 50;

/** The synonyms of the operator, folded by the rules of whichever index is searched. */
export class Synonyms {
  readonly #rules: SynonymRule[];
  readonly #entries = new WeakMap<TextRules, Map<string, Entry[]>>();

  constructor(rules: SynonymRule[]) {
    this.#rules = rules;
  }

  /** @returns the synonyms of words outside of quotation marks, at most so many that the query stays within its limit */
  in({ sequences, words, rules }: Prompt): Synonym[] {
    const searched = new Set(words.map(({ text }) => text));
    const found = sequences.flatMap((sequence) => longestIn(sequence, this.#entriesOf(rules)));
    const synonyms = found.flatMap(({ from, to, replaces }) => {
      const texts = from.map(({ text }) => text).filter((text) => searched.has(text));
      return texts.length === 0 ? [] : to.map((alternative): Synonym => ({ from: [...new Set(texts)], to: alternative, replaces }));
    });
    return withinLimit(synonyms);
  }

  #entriesOf(rules: TextRules): Map<string, Entry[]> {
    const known = this.#entries.get(rules);
    if (known) return known;
    const entries = this.#rules.flatMap((rule) => toEntries(rule, rules));
    const byFirst = Map.groupBy(entries, ({ from: [first] }) => first?.text ?? '');
    this.#entries.set(rules, byFirst);
    return byFirst;
  }
}

function toEntries({ from, to, replaces }: SynonymRule, rules: TextRules): Entry[] {
  const meanings = to.map((text) => foldedWords(text, rules)).filter((words) => words.length > 0);
  return from.map((text): Entry => ({ from: foldedWords(text, rules), to: meanings, replaces }));
}

/** The longest of the entries that begin with the same word apply, and the next ones begin after them. */
function longestIn(sequence: Word[], entries: Map<string, Entry[]>): Entry[] {
  const found: Entry[] = [];
  for (let at = 0; at < sequence.length;) {
    const matching = (entries.get(sequence[at]?.text ?? '') ?? []).filter(({ from }) => isAt(sequence, at, from));
    const length = Math.max(1, ...matching.map(({ from }) => from.length));
    found.push(...matching.filter(({ from }) => from.length === length));
    at += length;
  }
  return found.map(({ from, to, replaces }) => {
    const others = to.filter((words) => textOf(words) !== textOf(from));
    // Words that stand on both sides are kept. Without `=>` all do.
    return { from, to: others, replaces: replaces && others.length === to.length };
  });
}

function isAt(sequence: Word[], at: number, words: Word[]): boolean {
  return words.every(({ text }, position) => sequence[at + position]?.text === text);
}

function withinLimit(synonyms: Synonym[]): Synonym[] {
  let terms = 0;
  return synonyms.filter(({ from, to }) => (terms += from.length * to.length) <= MAX_TERMS);
}

/** @returns the words as they follow each other */
export function textOf(words: Word[]): string {
  return words.map(({ text }) => text).join(' ');
}
