import type { Term } from '../prompt/alternatives.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import { stemOf, termsOf } from './terms.ts';
import type { TextRules } from '@ugc/shared/search-text/text-rules';

/**
 * What the query of a prompt finds in a text. A plain object, so that it can be sent to another thread.
 * @property mappingVersion of the searched index, whose rules the terms follow
 * @property stems of words that are found in all their forms
 * @property beginnings of words, not stemmed
 * @property phrases as terms that follow each other, not stemmed; also of a single term
 * @property literals by `extractLiterals`
 * @property forms keys of words in other forms
 */
export type SearchedText = Parts & { mappingVersion: number };

type Parts = { stems: string[]; beginnings: string[]; phrases: string[][]; literals: string[]; forms: string[] };

/**
 * All alternatives, and the quoted phrases. Adjacent pairs of words only raise the rank of items that match anyway.
 * @param interpretation undefined for a blank prompt, which marks nothing
 */
export function searchedText(interpretation: Interpretation | undefined): SearchedText {
  const parts = interpretation ? partsOf(interpretation) : [];
  return {
    mappingVersion: interpretation?.rules.mappingVersion ?? 0,
    stems: parts.flatMap(({ stems = [] }) => stems),
    beginnings: parts.flatMap(({ beginnings = [] }) => beginnings),
    phrases: parts.flatMap(({ phrases = [] }) => phrases),
    literals: parts.flatMap(({ literals = [] }) => literals),
    forms: parts.flatMap(({ forms = [] }) => forms),
  };
}

function partsOf({ alternatives, phrases, rules }: Interpretation): Partial<Parts>[] {
  const terms = alternatives.flatMap((alternative) => alternative.terms);
  return [...terms.map(({ by, text }) => AS[by](text, rules)), ...phrases.map((text) => asPhrase(text, rules))];
}

const AS: Record<Term['by'], (text: string, rules: TextRules) => Partial<Parts>> = {
  stem: asWord,
  sequence: asPhrase,
  beginning: asBeginning,
  literal: (text) => ({ literals: [text] }),
  key: (text) => ({ forms: [text] }),
};

/** A word of several terms, such as one of more than 255 letters, is marked only where its terms follow each other. */
function asWord(text: string, rules: TextRules): Partial<Parts> {
  const [term, ...more] = termsOf(text, rules);
  if (term === undefined || more.length > 0) return asPhrase(text, rules);
  return { stems: [stemOf(term.text) ?? []].flat() };
}

function asBeginning(text: string, rules: TextRules): Partial<Parts> {
  const [term, ...more] = termsOf(text, rules);
  return { beginnings: term !== undefined && more.length === 0 ? [term.text] : [] };
}

function asPhrase(text: string, rules: TextRules): Partial<Parts> {
  const terms = termsOf(text, rules).map((term) => term.text);
  return { phrases: terms.length === 0 ? [] : [terms] };
}
