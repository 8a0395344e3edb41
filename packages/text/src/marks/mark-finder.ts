import { literalsIn, parseLiteral, splitChunks } from '../words/literals.ts';
import type { Term } from '../prompt/alternatives.ts';
import type { Phrase } from '../prompt/parse-prompt.ts';
import type { Range, Token } from '../words/tokens.ts';
import { stemOf, termsOf } from '../words/terms.ts';
import { compoundEnds, COMPOUNDING } from '../forms/compounds.ts';
import { isPartKey, keysOfPart } from '../forms/part-keys.ts';
import { itemFormKeys, languagesOfKeys } from '../forms/word-forms.ts';
import { textRulesOf, type TextRules } from '../rules/text-rules.ts';
import { partsOf } from '../forms/word-parts.ts';
import { analyzeChunk, type WrittenTerm } from './analyze-chunk.ts';
import type { FoldedText } from './fold-with-origins.ts';
import { PhraseMatcher } from './phrase-matcher.ts';
import { PhrasesWithSymbols } from './phrases-with-symbols.ts';

/**
 * What the query of a prompt finds, by the rules of the searched index. It can be sent to another thread.
 * @property withSymbols phrases that are marked only where they have their symbols
 */
export type SearchedText = { mappingVersion: number; terms: Term[]; withSymbols?: Phrase[] };

/**
 * No term and no literal contains a blank, or the punctuation of Chinese and Japanese, which are written without blanks.
 * U+FEFF is a blank of `\s`, but folding removes it as an invisible character inside of a word.
 */
const CHUNK = /[[^\s、。，．！？；：「」『』（）【】〈〉《》]\ufeff]+/gv;

/** Finds what a prompt matches in texts, for example in all texts of a page. */
export class MarkFinder {
  readonly #rules: TextRules;
  readonly #stems: ReadonlySet<string>;
  readonly #beginnings: string[];
  readonly #literals: ReadonlySet<string>;
  readonly #literalBeginnings: string[];
  readonly #forms: ReadonlySet<string>;
  /** The languages of the forms. The rules of all languages would take 25 µs for each word of a page. */
  readonly #languages: string[];
  /** Those of them that write compounds as one word: only these tell the end of one. */
  readonly #compounding: string[];
  /** Whether the prompt finds parts of words. */
  readonly #hasParts: boolean;
  readonly #phrases: PhraseMatcher;
  /** Phrases of which the last term is a beginning. */
  readonly #unfinished: string[][];
  readonly #withSymbols: PhrasesWithSymbols;
  readonly #hasPhrases: boolean;
  readonly #matchingTerms = new Map<string, boolean>();
  /** How long the end of a compound is that matches, or 0. */
  readonly #matchingEnds = new Map<string, number>();

  constructor({ mappingVersion, terms, withSymbols = [] }: SearchedText) {
    this.#rules = textRulesOf(mappingVersion);
    const { stem, sequence, literal, beginning, key, ...others } = textsBy(terms);
    // Another way needs a mark too.
    others satisfies Record<string, never>;
    const toPhrase = (text: string): string[] => termsOf(text, this.#rules).map((term) => term.text);
    // The index has "c++" as the word "c", with which many words begin.
    const isSymbol = (text: string): boolean => parseLiteral(text)?.strict === true;
    const [stems, beginnings] = [stem.map(toPhrase), beginning.filter((text) => !isSymbol(text)).map(toPhrase)];
    this.#stems = new Set(stems.filter(isOne).flatMap(([term = '']) => stemOf(term) ?? []));
    this.#beginnings = beginnings.filter(isOne).flat();
    this.#literals = new Set(literal);
    this.#literalBeginnings = beginning.filter(isSymbol);
    this.#forms = new Set(key);
    this.#languages = languagesOfKeys([...this.#forms]);
    // The end of a compound has the keys of its forms too: `tow` finds the German *Dicetower*.
    this.#compounding = this.#languages.filter((language) => COMPOUNDING.includes(language));
    this.#hasParts = key.some(isPartKey) || this.#compounding.length > 0;
    // A word of several terms, such as one of more than 255 letters, is marked only where they follow each other.
    const phrases = [...sequence.map(toPhrase), ...stems.filter((parts) => !isOne(parts))].filter((parts) => parts.length > 0);
    this.#phrases = new PhraseMatcher(phrases);
    this.#unfinished = beginnings.filter((parts) => parts.length > 1);
    this.#withSymbols = new PhrasesWithSymbols(withSymbols, toPhrase);
    this.#hasPhrases = phrases.length + this.#unfinished.length + withSymbols.length > 0;
  }

  /** Takes time in proportion to the length of the text. @returns what matches, in the order of the text, without overlaps */
  find(text: string): Range[] {
    const found: Range[] = [];
    const terms: Token[] = [];
    const symbols: Token[] = [];
    for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
      const analyzed = analyzeChunk(chunk, this.#rules);
      for (const term of analyzed.terms) {
        if (this.#matches(term)) found.push(shift(term, index));
        else if (this.#hasParts) found.push(...this.#findEnd(term, analyzed.folded).map((end) => shift(end, index)));
        if (this.#hasPhrases) terms.push({ text: term.text, start: term.start + index, end: term.end + index });
      }
      if (this.#hasParts) found.push(...this.#findParts(chunk).map((part) => shift(part, index)));
      for (const { text: literal, ...range } of this.#findLiterals(analyzed.folded.text)) {
        const origin = shift(analyzed.folded.origin(range), index);
        if (this.#isWanted(literal)) found.push(origin);
        if (this.#withSymbols.symbols.has(literal)) symbols.push({ text: literal, ...origin });
      }
    }
    return mergeOverlapping([...found, ...this.#findPhrases(terms), ...this.#withSymbols.find(terms, symbols)]);
  }

  #matches({ text, keys }: WrittenTerm): boolean {
    return this.#matchesText(text) || (keys?.some((key) => this.#forms.has(key)) ?? false);
  }

  #matchesText(term: string): boolean {
    const known = this.#matchingTerms.get(term);
    if (known !== undefined) return known;
    const stem = stemOf(term);
    const matches =
      (stem !== undefined && this.#stems.has(stem)) ||
      this.#beginnings.some((beginning) => term.startsWith(beginning)) ||
      this.#isForm(term);
    this.#matchingTerms.set(term, matches);
    return matches;
  }

  /** The language of the text is not known here, so a word of another language may be marked. */
  #isForm(term: string): boolean {
    return this.#languages.length > 0 && itemFormKeys(term, this.#languages).some((key) => this.#forms.has(key));
  }

  /** The parts of words at borders of case and script. */
  #findParts(chunk: string): Range[] {
    return partsOf(chunk).filter(({ text }) => this.#isPart(this.#rules.fold(text), this.#languages));
  }

  /** The end of a compound, of any language. */
  #findEnd({ text, folded }: WrittenTerm, { origin }: FoldedText): Range[] {
    const length =
      this.#matchingEnds.get(text) ?? compoundEnds(text, COMPOUNDING).find((end) => this.#isPart(end, this.#compounding))?.length ?? 0;
    this.#matchingEnds.set(text, length);
    return length === 0 ? [] : [origin({ start: folded.end - length, end: folded.end })];
  }

  #isPart(part: string, languages: string[]): boolean {
    return keysOfPart(part, languages).some((key) => this.#forms.has(key));
  }

  /** Finds those of the literals that `extractLiterals` extracts from the folded text. */
  #findLiterals(folded: string): Token[] {
    if (this.#literals.size + this.#literalBeginnings.length + this.#withSymbols.symbols.size === 0) return [];
    return locate(splitChunks(folded), folded).flatMap(({ text: chunk, start }) => {
      const wanted = literalsIn(chunk).filter(({ text }) => this.#isWanted(text) || this.#withSymbols.symbols.has(text));
      return wanted.map((literal) => ({ text: literal.text, ...shift(literal, start) }));
    });
  }

  #isWanted(literal: string): boolean {
    return this.#literals.has(literal) || this.#literalBeginnings.some((beginning) => literal.startsWith(beginning));
  }

  #findPhrases(terms: Token[]): Range[] {
    const lengths = this.#phrases.match(terms.map(({ text }) => text));
    return terms.flatMap(({ end }, at) => {
      const begun = this.#unfinished.filter((phrase) => endsAt(phrase, at, terms)).map((phrase) => phrase.length);
      const length = Math.max(lengths[at] ?? 0, ...begun);
      return length === 0 ? [] : [{ start: terms[at - length + 1]?.start ?? 0, end }];
    });
  }
}

function textsBy(terms: Term[]): Record<Term['by'], string[]> {
  const texts: Record<Term['by'], string[]> = { stem: [], sequence: [], literal: [], beginning: [], key: [] };
  for (const { by, text } of terms) texts[by].push(text);
  return texts;
}

function isOne({ length }: string[]): boolean {
  return length === 1;
}

/** @param phrase of which the last term is a beginning */
function endsAt(phrase: string[], at: number, terms: Token[]): boolean {
  const first = at - phrase.length + 1;
  return phrase.every((part, n) => {
    const term = terms[first + n]?.text;
    return n === phrase.length - 1 ? term?.startsWith(part) : term === part;
  });
}

function shift({ start, end }: Range, by: number): Range {
  return { start: start + by, end: end + by };
}

function mergeOverlapping(ranges: Range[]): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** @param parts parts of the text, in its order, with nothing but separators between them */
function locate(parts: string[], text: string): { text: string; start: number }[] {
  let end = 0;
  return parts.map((part) => {
    const start = text.indexOf(part, end);
    end = start + part.length;
    return { text: part, start };
  });
}
