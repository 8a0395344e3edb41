import { limitMarks, normalized } from './normalized.ts';
import { separateWords } from './separate.ts';

/**
 * Folds a text to the form in which it is searched: in lower case, without compatibility forms, accents and invisible
 * characters, and with blanks between the words of scripts that are written without. The indexer folds items, the API
 * folds prompts. Idempotent; takes time in proportion to the length of the text.
 *
 * "ae" stays different from "ä", because it also occurs in words without an umlaut, such as "Israel".
 */
export function foldText(text: string): string {
  return ASCII_ONLY.test(text) ? text.toLowerCase() : separateWords(foldLetters(removeMarks(decompose(text))));
}

/** About the UTF-16 units of the folded text, in a fraction of the time: compatibility forms can be 18 times as long. */
export function foldedUnits(text: string): number {
  return normalized(text, 'NFKC').length;
}

const ASCII_ONLY = /^[\0-\x7f]*$/;

/** @returns the text in lower case and in normalization form NFKD */
function decompose(text: string): string {
  const visible = text.replace(/[™℠]/g, ' ').replace(FRACTION_AFTER_DIGIT, '$1 ').replace(/´/g, "'").replace(INVISIBLE, '$1');
  return limitMarks(normalized(normalized(visible, 'NFKC').toLowerCase(), 'NFKD'));
}

// NFKC makes "21⁄2" of "2½", appends the letters of "™" to its word, and makes a blank of the "´" in "don´t".
const FRACTION_AFTER_DIGIT = /(\p{Nd})(?=[¼-¾⅐-⅞])/gu;

// The first alternatives keep the joiners of emoji and the tags of flags. Skin tones and keycaps are removed as accents
// are.
const INVISIBLE =
  /(\u200d(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d)(?=\p{Extended_Pictographic})|[\u{e0020}-\u{e007f}](?<=\p{Extended_Pictographic}[\u{e0020}-\u{e007f}])[\u{e0020}-\u{e007f}]*)|[\p{Default_Ignorable_Code_Point}\u{1f3fb}-\u{1f3ff}\u20e3]/gv;

/**
 * Removes accents and vowel points. A Cyrillic or Arabic letter that Unicode composes with its mark is a letter of its
 * own, such as й, ї and ئ. In other scripts, such as Devanagari, Thai and kana, marks are parts of letters.
 */
function removeMarks(decomposed: string): string {
  const withoutAccents = decomposed.replace(TATWEEL_AND_NUKTA, '').replace(/([\p{sc=Latin}\p{sc=Greek}])\p{M}+/gu, '$1');
  return normalized(withoutAccents, 'NFC').replace(/([[\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]&&\p{L}])\p{M}+/gv, '$1');
}

// Tatweel only stretches an Arabic word. The nukta of Devanagari is often omitted; Lucene's HindiNormalizer removes it
// too.
const TATWEEL_AND_NUKTA = /[\u0640\u093c]/g;

/**
 * The Latin letters are folded as by Elasticsearch's `asciifolding`, which folds rarer ones too; the Arabic letters as
 * by Lucene's ArabicNormalizer and PersianNormalizer. Russian е may be written for ё, but и not for й.
 */
const REPLACEMENTS = new Map([
  ...['ß=ss', 'æ=ae', 'œ=oe', 'ø=o', 'ł=l', 'đ=d', 'ð=d', 'þ=th', 'ħ=h', 'ŧ=t', 'ı=i', 'ς=σ', 'ё=е', 'ѐ=е', 'ѝ=и'].map(pair),
  // Alef with madda, hamza or wasla; alef maksura, Persian yeh, yeh barree and kaf, teh marbuta, heh goal.
  ...['\u0622=\u0627', '\u0623=\u0627', '\u0625=\u0627', '\u0671=\u0627'].map(pair),
  ...['\u0649=\u064a', '\u06cc=\u064a', '\u06d2=\u064a', '\u06a9=\u0643', '\u0629=\u0647', '\u06c0=\u0647', '\u06c1=\u0647'].map(pair),
  // Devanagari candrabindu, as by Lucene's HindiNormalizer; quotation marks of Hebrew abbreviations.
  ...['\u0901=\u0902', "\u05f3='", '\u05f4="'].map(pair),
  ...["‘='", "’='", "‛='", "ʻ='", "ʼ='", '⁄=/'].map(pair),
]);

function pair(text: string): [from: string, to: string] {
  const [from = '', to = ''] = text.split('=');
  return [from, to];
}

const REPLACED = new RegExp(`[${[...REPLACEMENTS.keys()].join('')}]`, 'gu');

function foldLetters(text: string): string {
  return restoreSaraAm(text.replace(REPLACED, (letter) => REPLACEMENTS.get(letter) ?? letter).replace(/[\p{Nd}--[0-9]]/gv, asciiDigit));
}

/**
 * The digits of a script follow each other, from 0 to 9. Where those of two scripts do (U+116DA, Unicode 16), those of the
 * second are 9: indices that exist have them so.
 */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/**
 * NFKC decomposes this vowel of Thai and Lao, but the dictionaries have it composed. A tone mark may stand in between.
 */
function restoreSaraAm(text: string): string {
  const restored = text.replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, '$1\u0e33').replace(/\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g, '$1\u0eb3');
  return normalized(restored, 'NFC');
}

/**
 * The letters that Elasticsearch's filter `asciifolding` replaces, and `foldText` does not: each replacement with its
 * letters. Some become capitals, because the filter `lowercase` comes before.
 */
const RARE = `A=ᴀ a=əⱥɐɚᶏᶕ B=ʙᴃ b=ƀɓƃᵬᶀ C=ʗᴄ c=ƈȼɕↄꜿ D=ᴅᴆ d=ɖɗƌȡᵭᶁᶑꝺ E=ᴇⱻ e=ǝɛɇɘɜɝɞʚᴈᶒᶓᶔⱸ F=ꜰꟻ f=ƒᵮᶂꝼ G=ǥɢʛ g=ɠɡᵷᵹᶃꝿ H=ʜ
   h=ɥɦʮʯⱨⱶ I=ɪᵻꟾ i=ɨᴉᵼᶖ J=ᴊ j=ȷɉɟʄʝ K=ᴋ k=ƙʞᶄⱪꝁꝃꝅ L=ʟᴌ l=ƚȴɫɬɭᶅⱡꝇꝉꞁ M=ᴍꟽꟿ m=ɯɰɱᵯᶆ N=ɴᴎ n=ŋɲƞȵɳᵰᶇ O=ᴏᴐ o=ɔɵᴖᴗᶗⱺꝋꝍ
   P=ᴘ p=ƥᵱᵽᶈꝑꝓꝕꟼ q=ĸɋʠꝗꝙ R=ʀʁᴙᴚ r=ɍɼɽɾɿᵲᵳᶉꝛꞃ S=ꜱꞅ s=ȿʂᵴᶊẜẝ T=ᴛ t=ƫƭʈȶⱦʇᵵ U=ᴜᵾ u=ʉᶙ V=ᴠ v=ʋʌᶌⱱⱴꝟ W=ᴡ w=ƿʍⱳ x=ᶍ
   Y=ʏ y=ƴɏʎỿ Z=ᴢ z=ƶȝȥɀʐʑᵶᶎⱬꝣ aa=ꜳ AE=ᴁ ae=ᴂ ao=ꜵ au=ꜷ av=ꜹꜻ ay=ꜽ db=ȸ dz=ʣʥ hv=ƕ ll=ỻ ls=ʪ lz=ʫ OE=ɶ oe=ᴔ oo=ꝏ
   OU=ᴕ ou=ȣ qp=ȹ tc=ʨ th=ᵺꝧ ts=ʦ tz=ꜩ ue=ᵫ vy=ꝡ`;

const RARE_REPLACEMENTS = new Map(
  RARE.split(/\s/).flatMap((entry) => {
    const [replacement = '', letters = ''] = entry.split('=');
    return Array.from(letters, (letter): [string, string] => [letter, replacement]);
  }),
);
const RARE_LETTERS = new RegExp(`[${[...RARE_REPLACEMENTS.keys()].join('')}]`, 'gu');

/** Completes the folding of a text or a term as the analyzers do. */
export function replaceRareLetters(text: string): string {
  return text.replace(RARE_LETTERS, (letter) => RARE_REPLACEMENTS.get(letter) ?? letter);
}
