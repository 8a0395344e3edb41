import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * What Elasticsearch's analyzers make of texts, recorded by `UPDATE_DOCS=1 npx pnpm test api/highlight -t recorded`: so unit
 * tests compare our splitting of texts with Lucene's without a server.
 * @property terms by the analyzer `folded`, of texts that are folded and not yet separated
 * @property characters by range of code points: the kinds of `characterKind`, each with the number of characters that follow
 * each other
 * @property stems by the analyzer `english`; an empty text for a stop word
 */
export type LuceneTerms = { terms: [folded: string, terms: string[]][]; characters: Record<string, string>; stems: Record<string, string> };

const FILE = new URL('lucene-terms.json', import.meta.url);

export function readLuceneTerms(): LuceneTerms {
  return JSON.parse(readFileSync(FILE, 'utf8')) as LuceneTerms;
}

/** A line for each text, so that a change is read easily. */
export function writeLuceneTerms({ terms, characters, stems }: LuceneTerms): void {
  const lines = terms.map((entry) => JSON.stringify(entry));
  writeFileSync(
    FILE,
    `{"terms":[\n${lines.join(',\n')}],\n"characters":${JSON.stringify(characters)},\n"stems":${JSON.stringify(stems)}}\n`,
  );
}

const TEXTS = [
  ...["The dog's bowl, dogs' O’Neill's rock'n'roll 'quoted'", 'snake_case node.js 3.14 1,000 12:30 e-mail it·s a.b.c', 'C++ .net r2-d2 3/4 2½ x²'],
  ...['東京都の夜 カタカナ ｶﾞｷﾞ 人々 〇', '한국어 ㅋㅋ', 'ภาษาไทย12บาท น้ำใจ abcไทย', 'សួស្តីពិភពលោក', 'မင်္ဂလာပါကမ္ဘာ', 'ພາສາລາວ'],
  ...['مُحَمَّد قصّة ٢٠٢٤ می‌خواهم', 'צה״ל ג׳ירפה פרופ׳ "ציטוט"', 'हिन्दी फ़िल्म', 'Ёлка за\u0301мок', 'Οδυσσέας', 'İstanbul Straße Łódź ɓat ŋa'],
  ...['👍🏽 👩🏽‍💻👨‍👩‍👧‍👦 🇩🇪🇫🇷 ❤️ ★★☆ ☂ 1️⃣ ©', 'a👍b 5★ star', 'aᛮb ᛮ 〆切 a〆', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}a', 'Lego™ ①②', `${'x'.repeat(600)} ${'𝔘'.repeat(300)}`],
]; // prettier-ignore

/** Letters, digits and marks of all scripts with a rule of their own, and what stands between them. */
const PARTS = ['a', 'B', 'é', 'ß', '1', '٢', "'", '"', '.', ',', ':', ';', '·', '-', '_', ' ', '/', '+', '#', 'я', 'ё', 'ب', 'א', '東', '々', 'ひ', 'カ', 'ー', 'ッ', 'ᴄ', '🅰', '한', 'ㅋ', 'ก', 'ล', 'က', 'ក', 'क', 'த', 'ა', 'η', '👍', '👩‍💻', '🇩🇪', '★', '½', '™', "'s", 'a\u0301', "'n'", '。', '\u200b']; // prettier-ignore

/** @returns folded texts */
export function textsOfAllScripts(random: number, seed: number): string[] {
  const anyText = fc.string({ unit: fc.constantFrom(...PARTS), minLength: 2, maxLength: 10 });
  const texts = [...TEXTS, ...fc.sample(anyText, { numRuns: random, seed })];
  return [...new Set(texts.map((text) => NEWEST_RULES.fold(text.replace(/[\r\n\u2028\u2029]/g, ' '))))];
}

// Latin to Georgian, Indic and South-East Asian scripts, symbols, Chinese, Japanese and Korean, emoji.
export const CHARACTER_RANGES = [[0x20, 0x590], [0x5d0, 0x600], [0x606, 0x6dd], [0x900, 0xe00], [0xe01, 0xf00], [0x1e00, 0x2000], [0x2010, 0x2028], [0x2030, 0x203f], [0x2600, 0x2700], [0x3000, 0x3100], [0x4e00, 0x9ff0], [0xac00, 0xd7a4], [0x1f300, 0x1f650], [0x1f680, 0x1f6ff]] as const; // prettier-ignore

export function charactersOf([from, to]: readonly [number, number]): string[] {
  return Array.from({ length: to - from }, (_, n) => String.fromCodePoint(from + n));
}

/** The folded text in which the kind of a character is determined. */
export function besideLetters(character: string): string {
  return NEWEST_RULES.fold(`a${character}b`);
}

/** What a character does between two letters: it `j`oins them, `s`eparates them, is a `t`erm, or something else. */
export function characterKind(terms: string[]): string {
  if (terms.length === 1) return 'j';
  if (terms.length === 2 && terms.join('') === 'ab') return 's';
  return terms.length === 3 && terms[0] === 'a' && terms[2] === 'b' ? 't' : `${terms.length}`;
}

export function nameOfRange([from, to]: readonly [number, number]): string {
  return `${from.toString(16)}-${(to - 1).toString(16)}`;
}

/** For example `3j 1s`. */
export function runLengths(kinds: string[]): string {
  const groups: { kind: string; count: number }[] = [];
  for (const kind of kinds) {
    const last = groups.at(-1);
    if (last?.kind === kind) last.count += 1;
    else groups.push({ kind, count: 1 });
  }
  return groups.map(({ kind, count }) => `${count}${kind}`).join(' ');
}
