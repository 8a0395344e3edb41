import type { IndexedContent } from '@ugc/shared/contracts/content';
import type { TextRules } from '@ugc/shared/search-text/text-rules';
import { umlautKey, wordsWithUmlaut, itemFormKeys, type Language } from '@ugc/shared/search-text/word-forms';
import { eld } from 'eld/small';

type Texts = Pick<IndexedContent, 'name' | 'tags' | 'description' | 'creatorName'>;

/** An item has at most this many, so that no item has far more terms than others. */
const MAX_KEYS = 2_000;
const WORD = /[\p{L}\p{M}']+/gu;
/** No language has a longer word. A key is a term, and with a term of more than 32,766 bytes Lucene refuses the document. */
const WORD_MAX_LENGTH = 64;

/** @returns the keys under which the other forms of the words of an item are found */
export function formKeysOf({ name, tags, description, creatorName }: Texts, { fold }: Pick<TextRules, 'fold'>): string[] {
  const text = [name, ...tags, description].join('\n');
  const languages = languagesOf(text);
  const words = new Set(fold(text).match(WORD)?.filter(mayHaveForms));
  const withUmlaut = wordsWithUmlaut(`${creatorName}\n${text}`).map(fold).filter(mayHaveForms);
  const keys = new Set(withUmlaut.map(umlautKey));
  for (const word of words) {
    if (keys.size >= MAX_KEYS) break;
    for (const key of itemFormKeys(word, languages)) keys.add(key);
  }
  return [...keys].slice(0, MAX_KEYS);
}

function mayHaveForms(folded: string): boolean {
  return folded.length <= WORD_MAX_LENGTH;
}

/** The languages of `eld`, by ISO 639-1; English has its own stemmer. */
const LANGUAGES: Readonly<Record<string, Language | 'en'>> = {
  ...{ bg: 'bg', ca: 'ca', cs: 'cs', sk: 'cs', da: 'da', no: 'da', de: 'de', el: 'el', en: 'en', es: 'es', fi: 'fi', fr: 'fr', he: 'he' },
  ...{ hr: 'sh', sr: 'sh', sl: 'sh', hu: 'hu', it: 'it', nl: 'nl', pl: 'pl', pt: 'pt', ro: 'ro', ru: 'ru', sv: 'sv', tr: 'tr', uk: 'uk' },
};
/** The language of more text is certain. */
const MAX_CHARACTERS = 300;
/**
 * Of short texts, related languages score alike: of 800 titles in 20 languages, 798 have their language with these figures.
 * A text that scores best as English rarely is anything else.
 */
const MIN_RATIO = 0.8;
const MIN_RATIO_TO_ENGLISH = 0.94;
const MAX_LANGUAGES = 4;
/** Their words are known by their letters. */
const OF_ONE_SCRIPT: Language[] = ['ar', 'el', 'he'];

/** @returns the most probable languages of a text, without English */
function languagesOf(text: string): Language[] {
  const scores = Object.entries(eld.detect(text.slice(0, MAX_CHARACTERS)).getScores())
    .flatMap(([code, score]) => ({ language: LANGUAGES[code], score }))
    .toSorted((one, other) => other.score - one.score);
  const [best] = scores;
  const min = (best?.score ?? 0) * (best?.language === 'en' ? MIN_RATIO_TO_ENGLISH : MIN_RATIO);
  const languages = new Set(scores.flatMap(({ language, score }) => (language && language !== 'en' && score >= min ? [language] : [])));
  return [...OF_ONE_SCRIPT, ...[...languages].slice(0, MAX_LANGUAGES)];
}
