import { normalized } from '../words/normalized.ts';
import { WITHOUT_BLANKS } from '../words/separate.ts';
import { PHRASE, QUOTATION, unifyQuotes, withoutQuotes } from './quotations.ts';

// Folding puts blanks between the words of Thai.
const EXCLUDED_RUN = new RegExp(
  String.raw`${PHRASE}|(?<=^|\s)[\-－](?<run>[^\s"]*[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}${WITHOUT_BLANKS}][^\s"]*)`,
  'gv',
);

/**
 * An en dash, a minus sign and `NOT` in capitals exclude as a hyphen does, outside of quotation marks. Phones write an em dash
 * for `--`, the beginning of an option. "DO NOT DISTURB" is a title: what they exclude has a letter that is no capital.
 */
const EXCLUDING = new RegExp(String.raw`${QUOTATION}|(?=[–−N])(?<=\S\s+)(?:[–−](?=\p{L})|NOT\s+(?=["\p{L}]))(?=\S*\p{Ll})`, 'gu');

function withMinus(prompt: string): string {
  return prompt.replaceAll(EXCLUDING, (part) => (part.startsWith('"') ? part : '-'));
}

const WITH_MINUS = new RegExp(String.raw`(?<=^|\s)-(?:${QUOTATION}|\S*)`, 'gu');

/** @returns the prompt as it is written, without what it excludes and without quotation marks */
export function withoutExcluded(prompt: string): string {
  return withoutQuotes(withMinus(unifyQuotes(prompt)).replaceAll(WITH_MINUS, (part) => (isExcluding(part) ? ' ' : part)));
}

/** What is excluded in a script without blanks is a phrase. */
export function quoteExcluded(prompt: string): string {
  return withMinus(unifyQuotes(prompt)).replaceAll(EXCLUDED_RUN, (part, _, run?: string) =>
    run === undefined || !isExcluding(`-${run}`) ? part : `-"${run}"`,
  );
}

/**
 * These units are of what goes below zero: temperatures, voltages and currents, decibels, pressures, exposure and diopters,
 * money. The minus of `-3d`, `-4k` and `-50mm` excludes: nobody means less than none of these.
 */
const UNIT = String.raw`[cf度도]|[mkμ]?[vв](?:[ad]c)?|[mμ]a|db\p{L}{0,2}|дб|m?bar|[hkm]?pa|psi|ev|dpt|euros?|eur|usd|gbp|chf|k[rčc]|z[łl]|руб|[円元원]`;
/** Up to three digits, because years are excluded; as a decimal or a fraction too. */
const NUMBER = String.raw`\p{Nd}{1,3}(?:[.,\/⁄]\p{Nd}+)?`;
/** No letter follows minutes and feet, as in `-90's`. */
const SIGNS = String.raw`(?:[%'"′″]|°\p{L}{0,3}|\p{L}{0,2}\p{Sc}\p{L}{0,3}){1,2}`;
const QUANTITY = String.raw`${NUMBER}(?:${SIGNS}${NUMBER})*(?:${SIGNS}|${UNIT})?`;
/** What ends a sentence or a bracket, but not the symbol of `c#` or `*`. */
const ENDING = String.raw`[[\p{Po}\p{Pe}\p{Pf}]--[#&@*\/\\]]*`;
/** An option of a command and an amount of money: `--amend`, `-$5`, `-US$5`. */
const OPTION_OR_MONEY = /^-(?:-|\p{Sc}|\p{L}{1,3}\p{Sc}\p{Nd})/u;
/** An option of one letter and a quantity: `-g`, `-20`, `-1.5°`, `-1/2`, `-12V`. */
const LETTER_OR_QUANTITY = new RegExp(String.raw`^-(?:[a-z]|${QUANTITY})${ENDING}$`, 'iv');
/** The expression takes exponential time for letters between signs, as in `1$ab$1`, and no quantity is as long. */
const MAX_QUANTITY_LENGTH = 24;

/** @param chunk of a prompt, after a blank or at its beginning; folded or not */
export function isExcluding(chunk: string): boolean {
  if (!chunk.startsWith('-')) return false;
  const text = normalized(chunk, 'NFKC');
  return !OPTION_OR_MONEY.test(text) && !(text.length <= MAX_QUANTITY_LENGTH && LETTER_OR_QUANTITY.test(text));
}
