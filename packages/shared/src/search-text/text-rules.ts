import { foldText } from './fold-text.ts';
import { looseNameKey, nameKey } from './name-key.ts';
import { replaceRareLetters } from './rare-letters.ts';
import { joinAbbreviations, separateAtAnd, separateAtPunctuation, separateKatakana, separateTerms } from './separate-terms.ts';
import { plainSortKey, sortKey } from './sort-key.ts';

/**
 * How a text becomes terms. An index holds the texts of its items by the rules of its mapping version, and prompts
 * follow the rules of the index that is searched.
 */
export type TextRules = {
  /** The first mapping version with these rules. */
  mappingVersion: number;
  /** Idempotent. */
  fold: (text: string) => string;
  /** Adapts a folded text to the standard tokenizer. */
  separate: (folded: string) => string;
  /** The part of `separate` that keeps the positions of all characters. */
  separateInPlace: (folded: string) => string;
  /** Whether each katakana is a term of its own, as each hiragana is; otherwise a run of them is one term. */
  separatesKatakana: boolean;
  /** The keys under which a complete name is found. */
  nameKeys: (name: string) => NameKeys;
  /** The key by which names are sorted. */
  sortKey: (text: string) => string;
};

/** By `nameKey` and, since mapping version 6, by `looseNameKey`. */
export type NameKeys = { whole: string; loose: string | undefined };

const RULES_3: TextRules = {
  mappingVersion: 3,
  fold: foldText,
  separate: separateTerms,
  separateInPlace: separateAtPunctuation,
  separatesKatakana: false,
  nameKeys: (name) => ({ whole: nameKey(name, RULES_3), loose: undefined }),
  sortKey: plainSortKey,
};
const RULES_6: TextRules = {
  mappingVersion: 6,
  fold: (text) => foldStyledLetters(foldText(text)),
  separate: (folded) => separateKatakana(joinAbbreviations(RULES_6.separateInPlace(folded))),
  separateInPlace: (folded) => separateAtAnd(separateAtPunctuation(folded)),
  separatesKatakana: true,
  nameKeys: (name) => ({ whole: nameKey(name, RULES_6), loose: looseNameKey(name, RULES_6) }),
  sortKey: (text) => sortKey(text, RULES_6),
};

/** The rules of the indices that this code creates. */
export const NEWEST_RULES = RULES_6;

/** Also for older versions than 3, whose indices ignore the fields with folded texts. */
export function textRulesOf(mappingVersion: number): TextRules {
  return mappingVersion < RULES_6.mappingVersion ? RULES_3 : RULES_6;
}

const STYLED = /[^\0-\x7f]/;
/** Unicode decomposes circled and squared letters, but not white ones on black. */
const NEGATIVE = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;
const FIRST_CIRCLED = 0x1f150;
const FIRST_SQUARED = 0x1f170;

/** Folds small capitals, and letters in black circles and squares, with which names are decorated. */
function foldStyledLetters(folded: string): string {
  return STYLED.test(folded) ? replaceRareLetters(folded.replace(NEGATIVE, toLetter)).toLowerCase() : folded;
}

function toLetter(negative: string): string {
  const code = negative.codePointAt(0) ?? 0;
  return String.fromCharCode(97 + code - (code < FIRST_SQUARED ? FIRST_CIRCLED : FIRST_SQUARED));
}
