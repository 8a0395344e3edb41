import { IRREGULAR_FORMS } from './english-forms.ts';
import { inOtherLayouts } from './other-scripts.ts';
import type { TextRules } from '@ugc/shared/search-text/text-rules';
import { compoundSplits, spelledOut, splitsOf } from './parts.ts';
import type { Word } from './parse-prompt.ts';
import { plainTerms } from './split-words.ts';
import JAPANESE_TO_TRADITIONAL from 'opencc-js/dict/JPShinjitaiCharacters';
import TRADITIONAL_TO_SIMPLIFIED from 'opencc-js/dict/TSCharacters';

/** The unit is a UTF-16 code unit. */
const MAX_LENGTH = 24;

/**
 * @param rules of the index that is searched
 * @returns other ways to write a word, as terms that follow each other. Whichever an item contains is found too.
 */
export function variantsOf({ kind, text }: Word, { separate }: Pick<TextRules, 'separate'>): string[] {
  if (text.length > MAX_LENGTH) return [];
  const withX = text.replaceAll(TIMES, 'x');
  const [typed, terms] = [plainTerms(text, separate), plainTerms(withX, separate)];
  const joined = isOneNumberOrNone(text) ? terms.replaceAll(' ', '') : terms;
  const ways = WAYS.filter(({ of, kinds }) => (kinds ?? ['word', 'literal']).includes(kind) && of.test(joined));
  const written = [
    ...(withX === text ? [] : [withX]),
    ...(kind === 'literal' && joined !== terms ? [joined] : []),
    ...(kind === 'literal' ? inOtherLayouts(text) : []),
    ...versionsOf(text, terms),
    ...ways.flatMap(({ write }) => write(joined, terms)),
  ];
  return [...new Set(written.map(separate))].filter((form) => form !== typed && form !== '');
}

const NUMBERED = /^(?<name>[a-z]+?)(?<number>\d{1,2}|iii?|i[vx]|vi{1,3})$/;
/** "10×20" is also written "10x20". */
const TIMES = /(?<=\d)×(?=\d)/g;
/** "1.5", "3/4" and "8:30" are no numbers without their sign, unlike "20,000" and "555-1234". */
const SEVERAL_NUMBERS = /\p{Nd}[^\p{L}\p{M}\p{Nd}\-]\p{Nd}/u;
const THOUSANDS = /^\P{Nd}*\d{1,3}(?:[.,]\d{3})+\P{Nd}*$/u;
const isOneNumberOrNone = (text: string): boolean => !SEVERAL_NUMBERS.test(text) || THOUSANDS.test(text);
const VERSION = /^v?\d+(?:\.\d+)+(?:-[a-z\d.]+)?$/;

function versionsOf(text: string, terms: string): string[] {
  return VERSION.test(text) ? [terms.startsWith('v') ? terms.slice(1) : `v${terms}`] : [];
}

/** How words of some characters are written too. `joined` is the word without its inner symbols, `terms` are its terms. */
type Way = { of: RegExp; kinds?: Word['kind'][]; write: (joined: string, terms: string) => string[] };

const WAYS: Way[] = [
  { of: /^[\p{L}\p{M}]+$/u, write: (word) => [...compoundSplits(word), ...spelledOut(word)] },
  { of: /^[a-z]{6,}s$/, write: (plural) => compoundSplits(plural.slice(0, -1)) },
  { of: /\p{L}\p{M}*\p{Nd}|\p{Nd}\p{L}/u, write: (_, terms) => separatedDigits(terms) },
  // "10×20" has two terms.
  { of: /\dx\d/, write: (word) => separatedDigits(word.replaceAll(/(?<=\d)x(?=\d)/g, ' ')) },
  { of: /^\d{4,}$/, write: groupedDigits },
  { of: /^\d+\p{L}{1,4}$/u, write: measures },
  { of: /^[aeiouyh]\p{L}{2,}$/u, write: (word) => ELIDED.map((article) => `${article}'${word}`) },
  { of: /'/, write: (word) => [word.replaceAll("'", '')] },
  { of: /^[a-z]+nt$/, write: (word) => [`${word.slice(0, -1)}'t`] },
  { of: /^[dlo][a-z]{4,}$/, write: (word) => [`${word.slice(0, 1)}'${word.slice(1)}`] },
  { of: NUMBERED, write: numberedForms },
  { of: /^(?:\d{1,2}(?:st|nd|rd|th)?|[a-z]{2,8}|[vx])$/, write: (word) => NUMBERS.get(word) ?? [] },
  // The terms of "R&B" are two.
  { of: /^[a-z]n[a-z]$/, write: (initials) => [initials.split('n').join(' ')] },
  { of: /^[a-z]+$/, write: (word) => IRREGULAR_FORMS.get(word) ?? [] },
  // The stemmer gives "lens" and "lenses", or "virus" and "viruses", different stems.
  { of: /[a-z]{2}s$/, write: (word) => [`${word}es`, ...(word.endsWith('ses') ? [word.slice(0, -2)] : [])] },
  {
    of: /i[sz](?:e[drs]?|ers|ing|ations?)$/,
    write: (word) => [word.replace(/i([sz])(?=[a-z]+$)/, (_, letter) => (letter === 's' ? 'iz' : 'is'))],
  },
  { of: /^\p{sc=Arabic}{3,}$/u, write: (word) => withPrefixes(word, ARABIC_PREFIXES) },
  { of: /^\p{sc=Hebrew}{3,}$/u, write: (word) => withPrefixes(word, HEBREW_PREFIXES) },
  { of: /^\p{sc=Hangul}+$/u, write: withOtherParticles },
  { of: /[ৎൺ-ൿ]|\p{M}$/u, write: (word) => [...FINAL_CONSONANTS].flatMap(([one, other]) => exchanged(word, one, other)) },
  { of: /^[\p{sc=Hiragana}\p{sc=Katakana}ー]+$/u, kinds: ['run'], write: kanaForms },
  { of: /\p{sc=Han}/u, kinds: ['run'], write: chineseForms },
];

const MAX_BOUNDARIES = 3;
const BOUNDARY = /(?<=\p{L}\p{M}*)(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})/gu;

/** All combinations of separated and joined letters and digits: "r2d2", "r2 d2", "r 2 d 2" … Two numbers stay apart. */
function separatedDigits(terms: string): string[] {
  const parts = terms.replaceAll(BOUNDARY, ' ').split(/(?<!\p{Nd}) | (?!\p{Nd})/u);
  if (parts.length - 1 > MAX_BOUNDARIES) return [parts.join(' ')];
  return Array.from({ length: 2 ** (parts.length - 1) }, (_, bits) =>
    parts.reduce((text, part, at) => `${text}${at === 0 || (bits >> (at - 1)) % 2 === 1 ? '' : ' '}${part}`, ''),
  );
}

/** "ww2" is also written "wwii", and "gtaiv" is "gta 4". */
function numberedForms(text: string): string[] {
  const { name = '', number = '' } = NUMBERED.exec(text)?.groups ?? {};
  return [number, ...(NUMBERS.get(number) ?? [])].flatMap((written) => [`${name}${written}`, `${name} ${written}`]);
}

/** The terms of "20,000" are two, "1'500" is one. */
function groupedDigits(digits: string): string[] {
  return [' ', "'"].map((separator) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, separator));
}

/** "20000mah" is also written "20,000 mAh", and "50kmh" is "50 km/h". */
function measures(measure: string): string[] {
  const [number = '', unit = ''] = measure.split(/(?<=\d)(?=\D)/);
  return [...groupedMeasures(number, unit), ...splitsOf(unit).map((parts) => `${number} ${parts}`)];
}

export function groupedMeasures(number: string, unit: string): string[] {
  return number.length < 4 ? [] : groupedDigits(number).flatMap((digits) => [`${digits}${unit}`, `${digits} ${unit}`]);
}

/** French, Italian and Catalan articles, pronouns and prepositions before a vowel, as in Lucene's ElisionFilter. */
const ELIDED = ['l', 'd', 's', 'n', 'j', 'm', 't', 'c', 'qu', 'un', 'all', 'dall', 'dell', 'nell', 'sull'];

/** The article with conjunctions and prepositions, as in Lucene's ArabicStemmer. */
const ARABIC_PREFIXES = ['ال', 'وال', 'بال', 'كال', 'فال', 'لل', 'و'];
const HEBREW_PREFIXES = ['ה', 'ו', 'ב', 'ל', 'מ', 'ש', 'כ', 'וה', 'של'];

function withPrefixes(word: string, prefixes: string[]): string[] {
  const without = prefixes.filter((prefix) => word.startsWith(prefix) && word.length - prefix.length >= 2);
  const stems = [word, ...without.map((prefix) => word.slice(prefix.length))];
  return stems.flatMap((stem) => [stem, ...prefixes.map((prefix) => prefix + stem)]);
}

/** Korean particles and the plural are appended to nouns: some only after a consonant, some only after a vowel. */
const PARTICLES = {
  afterConsonant: ['이', '은', '을', '과', '으로'],
  afterVowel: ['가', '는', '를', '와'],
  afterAny: ['에', '에서', '에게', '까지', '부터', '들', '들이', '들은', '들을', '들의', '들과', '들에게'],
  /** One syllable and one of these are often another word: "지도" is a map. */
  afterSyllables: ['의', '도', '만', '로'],
};
const ALL_PARTICLES = Object.values(PARTICLES).flat();
const FIRST_SYLLABLE = 0xac00;
/** A syllable has one of 27 final consonants, or none. */
const FINALS = 28;

function withOtherParticles(word: string): string[] {
  const without = ALL_PARTICLES.filter((particle) => word.endsWith(particle)).map((particle) => word.slice(0, -particle.length));
  const nouns = [word, ...without.filter((noun) => noun !== '' && particlesOf(noun).includes(word.slice(noun.length)))];
  return nouns.flatMap((noun) => [noun, ...particlesOf(noun).map((particle) => noun + particle)]);
}

function particlesOf(noun: string): string[] {
  const isOpen = (noun.charCodeAt(noun.length - 1) - FIRST_SYLLABLE) % FINALS === 0;
  const { afterConsonant, afterVowel, afterAny, afterSyllables } = PARTICLES;
  return [...(isOpen ? afterVowel : afterConsonant), ...afterAny, ...(noun.length > 1 ? afterSyllables : [])];
}

/** Turkish case endings, which follow a name after an apostrophe, without accents. */
const CASE_ENDINGS = 'da de ta te dan den tan ten in un nin nun a e ya ye i u yi yu la le'.split(' ');

/** The word as a name with a case ending. There are many forms, so they are for words that occur nowhere. */
export function withCaseEndings(word: string): string[] {
  return /^\p{sc=Latin}{3,}$/u.test(word) ? CASE_ENDINGS.map((ending) => `${word}'${ending}`) : [];
}

/** Bengali khanda ta and the Malayalam chillus: a letter, or a consonant with a virama (Unicode 16, chapters 12.2, 12.9). */
const FINAL_CONSONANTS = new Map(['ৎ=ত্', 'ൺ=ണ്', 'ൻ=ന്', 'ർ=ര്', 'ൽ=ല്', 'ൾ=ള്', 'ൿ=ക്'].map((pair) => pair.split('=') as [string, string]));

function exchanged(word: string, one: string, other: string): string[] {
  return [word.replaceAll(one, other), word.replaceAll(other, one)].filter((form) => form !== word);
}

const KATAKANA_FROM_HIRAGANA = 0x60;

/** A run of katakana is one term, of hiragana each letter is one. A final ー is often omitted. */
function kanaForms(run: string): string[] {
  const katakana = shiftLetters(run, /[ぁ-ゖ]/g, KATAKANA_FROM_HIRAGANA);
  const hiragana = shiftLetters(run, /[ァ-ヶ]/g, -KATAKANA_FROM_HIRAGANA);
  const short = katakana.replace(/ー+$/, '');
  const [v, b] = [exchangeAll(katakana, B_TO_V), exchangeAll(katakana, V_TO_B)];
  return [katakana, short, `${short}ー`, v, b, [...hiragana].join(' '), ...splitsOf(katakana, 2)];
}

/** "violin" is written with either consonant. */
const V_TO_B = ['ヴァ=バ', 'ヴィ=ビ', 'ヴェ=ベ', 'ヴォ=ボ', 'ヴ=ブ'].map((pair) => pair.split('=') as [string, string]);
const B_TO_V = V_TO_B.map(([v, b]): [string, string] => [b, v]);

function exchangeAll(text: string, pairs: [string, string][]): string {
  return pairs.reduce((exchanged, [from, to]) => exchanged.replaceAll(from, to), text);
}

function shiftLetters(text: string, letters: RegExp, by: number): string {
  return text.replaceAll(letters, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + by));
}

/** Small numbers in digits, in Roman numerals and in words. "I" and "one" are words with other meanings. */
const WRITTEN = `2=ii=two 3=iii=three 4=iv=four 5=v=five 6=vi=six 7=vii=seven 8=viii=eight 9=ix=nine 10=x=ten 11=xi=eleven
   12=xii=twelve 13=xiii=thirteen 14=xiv=fourteen 15=xv=fifteen 16=xvi=sixteen 17=xvii=seventeen 18=xviii=eighteen
   19=xix=nineteen 20=xx=twenty 1st=first 2nd=second 3rd=third 4th=fourth 5th=fifth 6th=sixth 7th=seventh 8th=eighth
   9th=ninth 10th=tenth`;

/** The other ways to write a number, by each of them. */
export const NUMBERS: ReadonlyMap<string, string[]> = new Map(
  WRITTEN.split(/\s+/).flatMap((entry) => {
    const forms = entry.split('=');
    return forms.map((form): [string, string[]] => [form, forms.filter((other) => other !== form)]);
  }),
);

/** A simplified character can stand for several others, a word for many combinations of them. */
const MAX_FORMS = 8;

const simplified = new Map(entriesOf(TRADITIONAL_TO_SIMPLIFIED).map(([traditional = '', simple = '']) => [traditional, simple]));
for (const [japanese = '', ...older] of entriesOf(JAPANESE_TO_TRADITIONAL)) {
  const simple = older.map((character) => simplified.get(character) ?? character)[0] ?? japanese;
  for (const character of [japanese, ...older]) if (character !== simple && !simplified.has(character)) simplified.set(character, simple);
}
const written = Map.groupBy([...simplified], ([, simple]) => simple);

function entriesOf(dictionary: string): string[][] {
  return dictionary.split('|').map((entry) => entry.split(' '));
}

/** @returns the text in simplified characters, and the ways to write it in traditional and Japanese ones, by the data of OpenCC */
function chineseForms(text: string): string[] {
  const simple = Array.from(text, (character) => simplified.get(character) ?? character);
  const forms = simple.reduce(
    (beginnings, character) => beginnings.flatMap((beginning) => formsOf(character).map((other) => beginning + other)).slice(0, MAX_FORMS),
    [''],
  );
  return [simple.join(''), ...forms];
}

/** Many characters, such as 台, are also written so in traditional texts. */
function formsOf(simple: string): string[] {
  return [...(written.get(simple) ?? []).map(([character]) => character), simple];
}
