import { LANGUAGES, listed, listedPairs } from '../languages/languages.ts';

const ELISIONS = [...new Set(LANGUAGES.flatMap(({ elisions }) => listed(elisions)))];

/** The word after the articles, pronouns and prepositions that lose their vowel before one, as in Lucene's ElisionFilter. */
export function withElisions(word: string): string[] {
  return ELISIONS.map((article) => `${article}'${word}`);
}

/** What is written before a word without a blank: the article, conjunctions and prepositions. */
export function withPrefixes(word: string, prefixes: string[]): string[] {
  const without = prefixes.filter((prefix) => word.startsWith(prefix) && word.length - prefix.length >= 2);
  const stems = [word, ...without.map((prefix) => word.slice(prefix.length))];
  return stems.flatMap((stem) => [stem, ...prefixes.map((prefix) => prefix + stem)]);
}

const KOREAN = LANGUAGES.find(({ particles }) => particles)?.particles;
/** Some follow a consonant only, some a vowel. One syllable and one of `afterSyllables` are often another word: "지도" is a map. */
const PARTICLES = {
  afterConsonant: listed(KOREAN?.afterConsonant),
  afterVowel: listed(KOREAN?.afterVowel),
  afterAny: listed(KOREAN?.afterAny),
  afterSyllables: listed(KOREAN?.afterSyllables),
};
const ALL_PARTICLES = Object.values(PARTICLES).flat();
const FIRST_SYLLABLE = 0xac00;
/** A syllable has one of 27 final consonants, or none. */
const FINALS = 28;

/** Korean particles and the plural are appended to nouns. */
export function withOtherParticles(word: string): string[] {
  const without = ALL_PARTICLES.filter((particle) => word.endsWith(particle)).map((particle) => word.slice(0, -particle.length));
  const nouns = [word, ...without.filter((noun) => noun !== '' && particlesOf(noun).includes(word.slice(noun.length)))];
  return nouns.flatMap((noun) => [noun, ...particlesOf(noun).map((particle) => noun + particle)]);
}

function particlesOf(noun: string): string[] {
  const isOpen = (noun.charCodeAt(noun.length - 1) - FIRST_SYLLABLE) % FINALS === 0;
  const { afterConsonant, afterVowel, afterAny, afterSyllables } = PARTICLES;
  return [...(isOpen ? afterVowel : afterConsonant), ...afterAny, ...(noun.length > 1 ? afterSyllables : [])];
}

const CASE_ENDINGS = LANGUAGES.flatMap(({ caseEndings }) => listed(caseEndings));

/** The word as a name with a case ending. There are many forms, so they are for words that occur nowhere. */
export function withCaseEndings(word: string): string[] {
  return /^\p{sc=Latin}{3,}$/u.test(word) ? CASE_ENDINGS.map((ending) => `${word}'${ending}`) : [];
}

/** Such as Bengali khanda ta and the Malayalam chillus (Unicode 16, chapters 12.2, 12.9). */
const EQUAL_LETTERS = LANGUAGES.flatMap(({ equalLetters }) => listedPairs(equalLetters));

/** The word with each of its letters that are written in two ways in the other one. */
export function withEqualLetters(word: string): string[] {
  return EQUAL_LETTERS.flatMap(([one, other]) => [word.replaceAll(one, other), word.replaceAll(other, one)]).filter(
    (form) => form !== word,
  );
}

/** A nasal of a script of India as it is written before a consonant of its row, and the same as a dot. */
type Nasal = { letter: string; dot: string; asLetter: RegExp; asDot: RegExp };

/** @param block where the script begins in Unicode, which has the letters of these scripts in the same order */
function nasalsOf(block: number, rows: number): Nasal[] {
  const at = (offset: number): string => String.fromCharCode(block + offset);
  const [dot, virama] = [at(0x02), at(0x4d)];
  // Each of the first letters of a row of consonants, and the nasal with which the row ends.
  return [0x15, 0x1a, 0x1f, 0x24, 0x2a].slice(0, rows).map((first) => {
    const letter = at(first + 4) + virama;
    const before = `(?=[${at(first)}-${at(first + 3)}])`;
    return { letter, dot, asLetter: new RegExp(letter + before, 'g'), asDot: new RegExp(dot + before, 'g') };
  });
}

/** Devanagari, Gujarati, and Bengali, in which the dot is the nasal of the first row only. */
const NASALS = [nasalsOf(0x900, 5), nasalsOf(0xa80, 5), nasalsOf(0x980, 1)];

/** A nasal before a consonant of its row is also written as a dot: हिन्दी and हिंदी, বাঙ্গালী and বাংগালী. */
export function withOtherNasals(word: string): string[] {
  const forms = NASALS.flatMap((nasals) => [
    nasals.reduce((form, { asLetter, dot }) => form.replaceAll(asLetter, dot), word),
    nasals.reduce((form, { asDot, letter }) => form.replaceAll(asDot, letter), word),
  ]);
  return forms.filter((form) => form !== word);
}
