import { LANGUAGES, listedPairs } from '../languages/languages.ts';
import { foldText } from '../words/fold-text.ts';

/** The keys of a keyboard whose letters are on the same keys as those of `LAYOUTS`. */
const LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
/** What the keys type with the shift key. */
const SHIFTED: Readonly<Record<string, string>> = { '{': '[', '}': ']', ':': ';', '<': ',', '>': '.', '~': '`' };

/** A key of `LATIN_KEYS` without a letter has a blank. */
const LAYOUTS = LANGUAGES.flatMap(({ layout }) => (layout === undefined ? [] : [[...layout]]));

const FROM_LATIN = LAYOUTS.map((letters) => new Map([...LATIN_KEYS].map((key, at) => [key, letters[at]?.trim()])));
const TO_LATIN = LAYOUTS.map((letters) => new Map(letters.map((letter, at) => [letter, LATIN_KEYS.charAt(at)])));

/** Text with keys that have letters in other layouts only. */
export const LETTER_KEYS = /[[\]{};:'<>,.`~]/;
const LATIN = /[a-z]/;
/** Whether a text is in one script. */
const IN_ONE_SCRIPT = /^(?:[a-z]+(?:'[a-z]+)?|\p{sc=Cyrillic}+|\p{sc=Greek}+|\p{sc=Hebrew}+|\p{sc=Arabic}+)$/u;

/**
 * @param text in lower case, with its punctuation, on which many layouts have letters
 * @returns the words that the same keys write in another layout, such as `привет` for `ghbdtn`
 */
export function inOtherLayouts(text: string): string[] {
  const keys = [...text].map((key) => SHIFTED[key] ?? key);
  const layouts = (LATIN.test(text) ? FROM_LATIN : TO_LATIN).filter((letters) => keys.every((key) => letters.has(key)));
  const words = layouts.map((letters) => foldText(keys.map((key) => letters.get(key)).join('')));
  return [...new Set(words)].filter((word) => IN_ONE_SCRIPT.test(word));
}

/** How the letters of one script are written in another, the most frequent way first. */
type Table = { ways: ReadonlyMap<string, string[]>; mostLetters: number; softSign: string };

const TABLES = LANGUAGES.flatMap(({ fromLatin, toLatin, softSign }): Table[] => [
  ...(fromLatin ? [toTable(fromLatin, softSign)] : []),
  ...(toLatin ? [toTable(toLatin)] : []),
]);

function toTable(pairs: string | string[], softSign = ''): Table {
  const ways = new Map(listedPairs(pairs).map(([from, to]) => [from, to.split(',')]));
  return { ways, mostLetters: Math.max(...Array.from(ways.keys(), ({ length }) => length)), softSign };
}

const LENGTHS = { min: 3, max: 24 };
const MAX_WAYS = 8;
/** Hardly any word has these after a consonant. */
const UNUSUAL = /[бвгґджзклмнпрстфхцчшщ][эйї]/;

/** @returns the ways to write a folded word in another script, the most probable first: `пелмени`, `пельмени` … for `pelmeni` */
export function transliterated(word: string): string[] {
  if (word.length < LENGTHS.min || word.length > LENGTHS.max) return [];
  return TABLES.flatMap((table) => writeIn(word, table));
}

/** `cost`: how many letters are written in a less frequent way. */
type Written = { text: string; cost: number };

/** Keeps the most probable beginnings at each letter, so that the time grows with the length only. */
function writeIn(word: string, table: Table): string[] {
  const beginnings: Written[][] = Array.from({ length: word.length + 1 }, () => []);
  beginnings[0] = [{ text: '', cost: 0 }];
  for (let at = 0; at < word.length; at += 1) {
    const written = mostProbable(beginnings[at] ?? []);
    for (let length = 1; length <= table.mostLetters; length += 1) {
      const next = waysToWrite(word, at, length, table);
      beginnings[at + length]?.push(...written.flatMap((before) => next.map((after) => joined(before, after))));
    }
  }
  return mostProbable(beginnings[word.length] ?? []).map(({ text }) => text);
}

function joined(before: Written, after: Written): Written {
  return { text: before.text + after.text, cost: before.cost + after.cost };
}

function mostProbable(written: Written[]): Written[] {
  const chosen = new Map<string, Written>();
  for (const one of written.toSorted((a, b) => a.cost - b.cost)) {
    if (chosen.size === MAX_WAYS) break;
    if (!chosen.has(one.text) && !UNUSUAL.test(one.text)) chosen.set(one.text, one);
  }
  return [...chosen.values()];
}

const CONSONANT = /[^aeiouy]/;
/** The soft sign is not written in Latin letters: "pelmeni", "gzhel". It is frequent after л, and at the end of a word. */
const SOFT_AFTER_L = 1;
const SOFT = 2;

function waysToWrite(word: string, at: number, length: number, { ways, softSign }: Table): Written[] {
  const letters = word.slice(at, at + length);
  const written = (ways.get(letters) ?? []).map((text, cost): Written => ({ text, cost }));
  const next = word.charAt(at + length);
  const maybeSoft = softSign !== '' && CONSONANT.test(letters.slice(-1)) && (next === '' || CONSONANT.test(next));
  if (!maybeSoft) return written;
  const cost = letters === 'l' || next === '' ? SOFT_AFTER_L : SOFT;
  return [...written, ...written.slice(0, 1).map((hard): Written => ({ text: `${hard.text}${softSign}`, cost }))];
}
