import { WITHOUT_BLANKS } from '../words/separate.ts';
import type { Range } from '../words/tokens.ts';

/** A part of a word, and where it is in the text. */
export type Part = Range & { text: string };

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const CASED = ['Latin', 'Cyrillic', 'Greek', 'Armenian'];
const WITH_CASE = CASED.map((script) => String.raw`(?:\p{sc=${script}}\p{M}*)+`);
/** Tatweel, `ー` and the like belong to no script. */
const NOT_OTHER = [...CASED, 'Hangul', 'Han', 'Hiragana', 'Katakana', 'Common'].map((script) => String.raw`\p{sc=${script}}`).join('');
/** A letter of a script such as Arabic, Hebrew or Devanagari. */
const OTHER_LETTER = String.raw`[\p{L}--[${NOT_OTHER}${WITHOUT_BLANKS}]]`;
/** Of other scripts that the index does not separate from Latin letters and digits, as it does Chinese, Japanese and Thai. */
const OTHERS = [String.raw`(?:\p{sc=Hangul}\p{M}*)+`, String.raw`\p{Nd}+`, String.raw`(?:${OTHER_LETTER}[\p{M}\u0640]*)+`];
const OF_ONE_SCRIPT = new RegExp([...WITH_CASE, ...OTHERS].join('|'), 'gv');
/**
 * "XMLHttpMock" consists of "XML", "Http" and "Mock". What comes next is compared first: otherwise each mark of a letter would
 * be followed back to the letter.
 */
const CASE_BORDER = /(?=\p{Lu})(?<=\p{Ll}\p{M}*)|(?=\p{Lu}\p{M}*\p{Ll})(?<=\p{Lu}\p{M}*)/u;
/** Only for speed: most words have neither a capital after another letter nor letters of two kinds. Hangul has marks of its own. */
const MAY_HAVE_PARTS =
  /[\p{L}\p{M}\p{N}](?=\p{Lu})|\p{L}\p{M}*\p{N}|\p{N}\p{L}|[\p{sc=Hangul}&&\p{L}]\p{M}*[\p{L}--\p{sc=Hangul}]|[\p{L}--\p{sc=Hangul}]\p{M}*\p{sc=Hangul}/v;
const BESIDE_LATIN = new RegExp(String.raw`\p{sc=Latin}\p{M}*${OTHER_LETTER}|${OTHER_LETTER}[\p{M}\u0640]*\p{sc=Latin}`, 'v');

/** Two letters are an abbreviation in capitals, and hardly ever a word otherwise. One syllable of Hangul is a word. */
const LONG_ENOUGH = /^(?:\p{sc=Hangul}+|\p{Nd}{3,}|\p{Lu}{2}|(?:\p{L}\p{M}*){3,})$/u;

/** @returns the parts of the words of a text at borders of case and script: "Folium" of "BetterFolium", "코드" of "QR코드" */
export function partsOf(text: string): Part[] {
  if (!MAY_HAVE_PARTS.test(text) && !BESIDE_LATIN.test(text)) return [];
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const parts = [...word.matchAll(OF_ONE_SCRIPT)].flatMap((run) => splitAtCase(run[0], index + run.index));
    return parts.length < 2 ? [] : parts.filter((part) => LONG_ENOUGH.test(part.text));
  });
}

function splitAtCase(run: string, at: number): Part[] {
  let start = at;
  return run.split(CASE_BORDER).map((text) => {
    const part = { text, start, end: start + text.length };
    start = part.end;
    return part;
  });
}
