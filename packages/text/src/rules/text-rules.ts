import { foldText, replaceRareLetters } from '../words/fold-text.ts';
import { joinedNameKeys, looseNameKeys, nameKey, nameSortKey, sortKey } from './keys.ts';
import { joinAbbreviations, separateAtAnd, separateAtPunctuation, separateKatakana } from '../words/separate.ts';

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
  /** The keys under which a complete name is found. */
  nameKeys: (name: string) => NameKeys;
  /** The key by which texts are sorted, such as the names of creators. */
  sortKey: (text: string) => string;
  /** The key by which the names of items are sorted. */
  nameSortKey: (name: string) => string;
  /** Whether items have the keys of `part-keys.ts`. */
  hasParts: boolean;
  /** Whether items have the numbers that say how popular they are. */
  hasPopularity: boolean;
};

/** The results of `nameKey`, `looseNameKeys` and `joinedNameKeys`. */
export type NameKeys = { whole: string; loose: string[]; joined: string[] };

const RULES: TextRules = {
  /** Raise it with every change of the mapping, the settings of the index or these rules; `npx pnpm index:rebuild` applies it. */
  mappingVersion: 11,
  fold: (text) => foldStyledLetters(foldText(text)),
  separate: (folded) => separateKatakana(joinAbbreviations(RULES.separateInPlace(folded))),
  separateInPlace: (folded) => separateAtAnd(separateAtPunctuation(folded)),
  nameKeys: (name) => ({ whole: nameKey(name, RULES), loose: looseNameKeys(name, RULES), joined: joinedNameKeys(name, RULES) }),
  sortKey: (text) => sortKey(text, RULES),
  nameSortKey: (name) => nameSortKey(name, RULES),
  hasParts: true,
  hasPopularity: true,
};

/** Those of 1.0.0. */
const RULES_10: TextRules = { ...RULES, mappingVersion: 10, hasParts: false, hasPopularity: false };

/**
 * The rules of the mapping versions that this code knows, the oldest first. A version that changes only the mapping has a row
 * too, with the rules of the row before.
 */
export const KNOWN_RULES = [RULES_10, RULES];

/** The rules of the indices that this code creates. */
export const NEWEST_RULES = RULES;

/** Whether an index can be searched. One of an older version is built anew; one of a newer version is searched as an own one. */
export function isKnownMapping(mappingVersion: number): boolean {
  return mappingVersion >= (KNOWN_RULES[0]?.mappingVersion ?? Infinity);
}

/** @returns the oldest rules for an index that is not known: whatever is written to it is not searched */
export function textRulesOf(mappingVersion: number): TextRules {
  return KNOWN_RULES.findLast((rules) => rules.mappingVersion <= mappingVersion) ?? KNOWN_RULES[0] ?? RULES;
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
