import type { Phrase } from '../prompt/parse-prompt.ts';
import type { Range, Token } from '../words/tokens.ts';
import { PhraseMatcher } from './phrase-matcher.ts';

/** Finds phrases whose symbols have a meaning: "C primer" is no `"c++ primer"`. */
export class PhrasesWithSymbols {
  readonly symbols: ReadonlySet<string>;
  readonly #phrases: { matcher: PhraseMatcher; literals: string[] }[];

  /** @param toTerms the terms of a text */
  constructor(phrases: Phrase[], toTerms: (text: string) => string[]) {
    this.symbols = new Set(phrases.flatMap(({ literals }) => literals));
    this.#phrases = phrases.map(({ text, literals }) => ({ matcher: new PhraseMatcher([toTerms(text)]), literals }));
  }

  /** @param symbols in the order of the text, as the terms are @returns the phrases with all of their symbols, and these */
  find(terms: Token[], symbols: Token[]): Range[] {
    return this.#phrases.flatMap(({ matcher, literals }) => {
      const own = symbols.filter(({ text }) => literals.includes(text));
      const hasAll = (inside: Token[]): boolean => literals.every((literal) => inside.some(({ text }) => text === literal));
      const within = withinOf(own);
      return foundBy(matcher, terms).flatMap((phrase) => {
        const inside = within(phrase);
        return hasAll(inside) ? [phrase, ...inside] : [];
      });
    });
  }
}

/** @returns each range once: those of a text whose letters are not told apart are the same */
function foundBy(matcher: PhraseMatcher, terms: Token[]): Range[] {
  const ranges = matcher.match(terms.map(({ text }) => text)).flatMap((length, at) => {
    const [first, last] = [terms[at - length + 1], terms[at]];
    return length > 0 && first && last ? [{ start: first.start, end: last.end }] : [];
  });
  return ranges.filter(({ start, end }, n) => start !== ranges[n - 1]?.start || end !== ranges[n - 1]?.end);
}

/** @returns what of the tokens overlaps a range; each call begins where the one before did, so that ranges must be in order */
function withinOf(tokens: Token[]): (range: Range) => Token[] {
  let first = 0;
  return ({ start, end }) => {
    while ((tokens[first]?.end ?? Infinity) <= start) first += 1;
    let after = first;
    while ((tokens[after]?.start ?? Infinity) < end) after += 1;
    return tokens.slice(first, after);
  };
}
