import { parseLiteral } from '@ugc/shared/search-text/literals';
import { UNLIKE_FORMS } from '../prompt/english-forms.ts';
import type { Interpretation } from '../prompt/interpret-prompt.ts';
import type { Word } from '../prompt/parse-prompt.ts';
import { replacementsOf, textOf } from '../prompt/synonyms.ts';
import { stemOf, termsOf } from './terms.ts';
import type { TextRules } from '@ugc/shared/search-text/text-rules';

/** A prefix of one letter is not searched. */
const BEGINNING_MIN_LENGTH = 2;

/**
 * What the query of a prompt finds in a text. A plain object, so that it can be sent to another thread.
 * @property mappingVersion of the searched index, whose rules the terms follow
 * @property stems of words that are found in all their forms
 * @property beginnings of words, not stemmed
 * @property phrases as terms that follow each other, not stemmed; also of a single term
 * @property literals by `extractLiterals`
 */
export type SearchedText = Parts & { mappingVersion: number };

type Parts = { stems: string[]; beginnings: string[]; phrases: string[][]; literals: string[] };

/**
 * Mirrors `buildQuery`. Adjacent pairs of words are left out: they raise the rank of items that match anyway.
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
  };
}

function partsOf(interpretation: Interpretation): Partial<Parts>[] {
  const { rules } = interpretation;
  const { words, replacements, variants, joins, phrases, unfinished, beginnings, isLiteral, synonyms } = interpretation;
  const isReplaced = (text: string): boolean => replacementsOf(text, synonyms).length > 0;
  const searched = words.filter(({ text }) => !isReplaced(text));
  return [
    ...searched.map((word) => (isLiteral ? asPhrase(word.text, rules) : asWritten(word, interpretation))),
    ...synonyms.map(({ to }) => asSynonym(to, interpretation)),
    ...[...replacements.values()].map((text) => asReplacement(text, rules)),
    ...joins.flatMap(({ to, isBeginning }) => [asWord(to, rules), ...(isBeginning ? [asBeginning(to, rules)] : [])]),
    ...[...variants.values()].flat().map((text) => asPhrase(text, rules)),
    ...[...beginnings.values()].map((text) => asBeginning(text, rules)),
    ...(unfinished === undefined || beginnings.has(unfinished) || isReplaced(unfinished) ? [] : [asBeginning(unfinished, rules)]),
    ...phrases.map((text) => asPhrase(text, rules)),
  ];
}

function asWritten({ kind, text }: Word, { rules, isDescriptive }: Interpretation): Partial<Parts> {
  const forms = kind === 'word' && !isDescriptive ? UNLIKE_FORMS.get(text) : undefined;
  if (forms) return { phrases: forms.map((form) => [form]) };
  if (kind === 'word') return asWord(text, rules);
  if (kind === 'run') return asPhrase(text, rules);
  return { literals: [text], ...(parseLiteral(text)?.strict ? {} : asPhrase(text, rules)) };
}

function asSynonym(to: Word[], interpretation: Interpretation): Partial<Parts> {
  const { rules } = interpretation;
  const [only, ...more] = to;
  return only && more.length === 0 ? asWritten(only, interpretation) : asPhrase(rules.separate(textOf(to)), rules);
}

function asReplacement(replacement: string, rules: TextRules): Partial<Parts> {
  return replacement.includes(' ') ? asPhrase(replacement, rules) : asWord(replacement, rules);
}

/** A word of several terms, such as one of more than 255 letters, is marked only where its terms follow each other. */
function asWord(text: string, rules: TextRules): Partial<Parts> {
  const [term, ...more] = termsOf(text, rules);
  if (term === undefined || more.length > 0) return asPhrase(text, rules);
  return { stems: [stemOf(term.text) ?? []].flat() };
}

function asBeginning(text: string, rules: TextRules): Partial<Parts> {
  const [term, ...more] = termsOf(text, rules);
  const isSearched = text.length >= BEGINNING_MIN_LENGTH && term !== undefined && more.length === 0;
  return { beginnings: isSearched ? [term.text] : [] };
}

function asPhrase(text: string, rules: TextRules): Partial<Parts> {
  const terms = termsOf(text, rules).map((term) => term.text);
  return { phrases: terms.length === 0 ? [] : [terms] };
}
