import { parseLiteral } from '@ugc/shared/search-text/literals';
import { UNLIKE_FORMS } from '../prompt/english-forms.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import type { Word } from '../prompt/parse-prompt.ts';
import { stemOf, termsOf } from './terms.ts';

/** A prefix of one letter is not searched. */
const BEGINNING_MIN_LENGTH = 2;

/**
 * What the query of a prompt finds in a text. A plain object, so that it can be sent to another thread.
 * @property stems of words that are found in all their forms
 * @property beginnings of words, not stemmed
 * @property phrases as terms that follow each other, not stemmed; also of a single term
 * @property literals by `extractLiterals`
 */
export type SearchedText = { stems: string[]; beginnings: string[]; phrases: string[][]; literals: string[] };

/**
 * Mirrors `buildQuery`. Adjacent pairs of words are left out: they raise the rank of items that match anyway.
 * @param interpretation undefined for a blank prompt, which marks nothing
 */
export function searchedText(interpretation: Interpretation | undefined): SearchedText {
  const parts = interpretation ? partsOf(interpretation) : [];
  return {
    stems: parts.flatMap(({ stems = [] }) => stems),
    beginnings: parts.flatMap(({ beginnings = [] }) => beginnings),
    phrases: parts.flatMap(({ phrases = [] }) => phrases),
    literals: parts.flatMap(({ literals = [] }) => literals),
  };
}

function partsOf(interpretation: Interpretation): Partial<SearchedText>[] {
  const { words, replacements, variants, joins, phrases, unfinished, beginning, isLiteral } = interpretation;
  return [
    ...words.map((word) => (isLiteral ? asPhrase(word.text) : asWritten(word))),
    ...[...replacements.values()].map(asReplacement),
    ...joins.map(({ to }) => asWord(to)),
    ...[...variants.values()].flat().map(asPhrase),
    ...(unfinished === undefined ? [] : [asBeginning(beginning ?? unfinished)]),
    ...phrases.map((text) => asPhrase(text)),
  ];
}

function asWritten({ kind, text }: Word): Partial<SearchedText> {
  const forms = kind === 'word' ? UNLIKE_FORMS.get(text) : undefined;
  if (forms) return { phrases: forms.map((form) => [form]) };
  if (kind === 'word') return asWord(text);
  if (kind === 'run') return asPhrase(text);
  return { literals: [text], ...(parseLiteral(text)?.strict ? {} : asPhrase(text)) };
}

function asReplacement(replacement: string): Partial<SearchedText> {
  return replacement.includes(' ') ? asPhrase(replacement) : asWord(replacement);
}

/** A word of several terms, such as one of more than 255 letters, is marked only where its terms follow each other. */
function asWord(text: string): Partial<SearchedText> {
  const [term, ...more] = termsOf(text);
  if (term === undefined || more.length > 0) return asPhrase(text);
  return { stems: [stemOf(term.text) ?? []].flat() };
}

function asBeginning(text: string): Partial<SearchedText> {
  const [term, ...more] = termsOf(text);
  const isSearched = text.length >= BEGINNING_MIN_LENGTH && term !== undefined && more.length === 0;
  return { beginnings: isSearched ? [term.text] : [] };
}

function asPhrase(text: string): Partial<SearchedText> {
  const terms = termsOf(text).map((term) => term.text);
  return { phrases: terms.length === 0 ? [] : [terms] };
}
