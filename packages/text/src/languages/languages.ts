import { readdirSync, readFileSync } from 'node:fs';

/** Words, or pairs such as `a=b`, separated by blanks. Long lists have several lines. */
type Listed = string | string[];

/**
 * A language, or related ones with the same rules: one file of `languages`, whose name is the code. The comment of a column
 * begins with what a change of it needs before it is in effect: a new version of the mapping (`mappingVersion` of the
 * text rules), a rebuild of the index, or nothing but a new start of the API.
 */
export type Language = {
  /** Rebuild. The beginning of its keys in the field `forms`. */
  code: string;
  /** Nothing. */
  name: string;
  /** New mapping, and English only. What the analyzers of the index omit. */
  stopWords?: Listed;
  /** Rebuild. The codes by which the recognition of languages knows it (ISO 639-1). */
  detectedAs?: string[];
  /** Rebuild. A word is in one of them. */
  scripts?: string[];
  /** Rebuild. How the forms of a word lead to each other; see `word-forms.ts`. English is stemmed by the index. */
  forms?: Forms;
  /** Rebuild. How the ends of compounds are found in names and tags; see `compounds.ts`. */
  compounds?: Compounds;
  /** Rebuild. A name is also found without the one that it begins with. */
  articles?: Listed;
  /** Nothing. Its lists in the package `stopword`, which similar items are not compared by. */
  stopWordLists?: string[];
  /** Nothing. Words that carry grammar, not content, with their accents: words that are typed with others are other words. */
  functionWords?: Listed;
  /** Nothing. The letters with accents that it writes. */
  accents?: string;
  /** Nothing, and English only. Words that are small words of another language, such as "man" and "hat" of German. */
  contentWords?: Listed;
  /** Nothing. Forms of a word that endings do not tell, and words that are spelt in two ways: each finds the other. */
  irregularForms?: Listed;
  otherSpellings?: Listed;
  /**
   * Nothing, and English only. Verbs with their past and their participle. A form that is another word too, such as "rose",
   * "felt", "saw" and "left", is left out.
   */
  irregularVerbs?: Listed;
  /** Nothing. Beginnings of words that are spelt in two ways, whatever follows. */
  otherStems?: Listed;
  /** Nothing. Words of which the last letter is also written twice before an ending. */
  doubledBeforeEnding?: Listed;
  /** Nothing. Words that the stemmer takes for forms of each other, in groups: each part has the forms of one word. */
  unlikeForms?: string[][];
  /** Nothing. The ways to write each number, such as `2=ii=two`. */
  numbers?: Listed;
  /** Nothing. What stands before a vowel and an apostrophe, as in "l'homme". */
  elisions?: Listed;
  /** Nothing. What is written together with the next word. */
  prefixes?: Listed;
  /** Nothing. What follows a name after an apostrophe. */
  caseEndings?: Listed;
  /** Nothing. What is appended to nouns. */
  particles?: { afterConsonant: Listed; afterVowel: Listed; afterAny: Listed; afterSyllables: Listed };
  /** Nothing. Letters that are written in two ways. */
  equalLetters?: Listed;
  /** Nothing. Its letters on the keys of `other-scripts.ts`. */
  layout?: string;
  /** Nothing. How letters are written in another script, the most frequent way first: `c=ц,к`. */
  fromLatin?: Listed;
  toLatin?: Listed;
  /** Nothing. A letter that is not written in Latin letters. */
  softSign?: string;
  /** Only for tests: two forms of each word, how titles of the language end, and words that only look alike. */
  examples?: { of: string; ends: string[]; pairs: string[] }[];
  different?: Listed;
};

/**
 * @property leadTo `dictionary form`: the endings lead from a form to the word of a dictionary; `stem`: to what all forms
 *   share, which need not be a word
 * @property endings rules such as `innen>in`: the ending, a regular expression, and what takes its place
 * @property spelling letters that are written as others first
 */
type Forms = { leadTo: 'dictionary form' | 'stem'; endings: Listed; spelling?: Listed };

/**
 * @property finals the groups of consonants in which a first part may end
 * @property undivided pairs of letters between which no part ends
 * @property short first parts of three letters
 * @property shortEnds ends of three letters
 * @property not what looks like an end, and is none: endings of words
 */
type Compounds = { finals?: Listed; undivided?: Listed; short: Listed; shortEnds: Listed; not: Listed };

/** @param folder with a file for each language, such as `de.json` */
export function readLanguages(folder: URL): Language[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json')).toSorted(); // prettier-ignore
  return files.map((name) => {
    const row = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Omit<Language, 'code'>;
    return { code: name.replace('.json', ''), ...row };
  });
}

export const LANGUAGES = readLanguages(new URL('../../languages/', import.meta.url));

/** @throws if there is no such row */
function languageOf(code: string): Language {
  const found = LANGUAGES.find((language) => language.code === code);
  if (!found) throw new Error(`no file of the language ${code}`);
  return found;
}

export const ENGLISH = languageOf('en');

/** @returns the words of a column, none if the language lacks it */
export function listed(words: Listed = []): string[] {
  const text = [words].flat().join(' ').trim();
  return text === '' ? [] : text.split(/\s+/);
}

/** @returns an expression for words of at least `least` letters of a language, in one of its scripts */
export function lettersOf({ scripts = [] }: Language, least = 1): RegExp {
  return new RegExp(scripts.map((script) => `^[\\p{sc=${script}}${script === 'Latin' ? "'" : ''}]{${least},}$`).join('|') || '(?!)', 'u');
}

/** @returns the pairs of a column */
export function listedPairs(pairs: Listed | undefined): [one: string, other: string][] {
  return listed(pairs).map((pair) => {
    const [one = '', other = ''] = pair.split('=');
    return [one, other];
  });
}

/** Lucene's English stop words, which the index omits. The API checks the words of a prompt against the same list. */
export const STOP_WORDS = listed(ENGLISH.stopWords);
