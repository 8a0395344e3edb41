import { escapePattern } from '@ugc/fields/escape-pattern';
import { literalTerms, type Term } from '@ugc/text/prompt/alternatives';
import type { TextRules } from '@ugc/text/rules/text-rules';
import { hasSign, parseLiteral, plainTerms } from '@ugc/text/words/literals';
import { continuedHangul } from '@ugc/text/words/hangul';
import { markSeparations } from '@ugc/text/words/separate';
import { tokensOf } from '@ugc/text/words/tokens';
import type { Query } from './response.ts';

/** The names of items as they are searched, not stemmed. */
export const NAME_WORDS = 'folded.name.words';

export function anyOf(should: Query[]): Query {
  return should.length === 0 ? { match_none: {} } : { bool: { should } };
}

/** Matches every term of the text in any text of an item, stemmed. */
export function textQuery(text: string, boost = 1): Query {
  return { match: { text: { query: text, operator: 'and', boost } } };
}

/** @param key by `promptFormKeys` or `promptLetterKeys`. Do not pass it to `map`, as `phraseQuery`. */
export function formQuery(key: string, boost = 1): Query {
  return { term: { forms: { value: key, boost } } };
}

/** @param literal by `parseLiteral`, or a code. Do not pass it to `map`, as `phraseQuery`. */
export function literalQuery(literal: string, boost = 1): Query {
  return { term: { literals: { value: literal, boost } } };
}

/** Do not pass it to `map`, which would pass the position as the boost. */
export function phraseQuery(text: string, boost = 1): Query {
  return { match_phrase: { words: { query: text, boost } } };
}

/** So many words may stand between two that are near each other. */
const NEAR_WORDS = 8;

/** Matches two words that stand near each other, in any order. */
export function nearQuery(text: string, boost: number): Query {
  return { match_phrase: { words: { query: text, slop: NEAR_WORDS, boost } } };
}

/** Those of `index_prefixes` of the fields. */
const MAX_PREFIX_LENGTH = 8;
export const MAX_NAME_PREFIX_LENGTH = 12;
/** About the score of a word that one of a hundred items contains. */
const LONG_BEGINNING_SCORE = 5;

/** Matches every word, or text with symbols, that begins with the text; if that is several words, the last one may be longer. */
export function beginningQuery(text: string, boost = 1): Query {
  if (hasSign(text)) return { prefix: { literals: { value: text, boost: boost * LONG_BEGINNING_SCORE } } };
  if (text.length <= MAX_PREFIX_LENGTH || text.includes(' ')) return phraseBeginning('words', text, boost);
  return { prefix: { words: { value: text.replace(/'s$/, ''), boost: boost * LONG_BEGINNING_SCORE } } };
}

/** Matches names with every term of the text. */
export function nameWords(text: string, boost: number): Query {
  return { match: { [NAME_WORDS]: { query: text, operator: 'and', boost } } };
}

export function namePhrase(text: string, boost: number): Query {
  return { match_phrase: { [NAME_WORDS]: { query: text, boost } } };
}

/** As `beginningQuery`, in names. */
export function nameBeginning(text: string, boost = 1): Query {
  return phraseBeginning(NAME_WORDS, text, boost);
}

/**
 * A beginning that is no term of the index would become the first words of the dictionary with it, which anybody can fill. So
 * the phrase ends in the longest beginning that is one, and the item has a word with the whole one.
 */
function phraseBeginning(field: string, text: string, boost: number): Query {
  const maxLength = field === NAME_WORDS ? MAX_NAME_PREFIX_LENGTH : MAX_PREFIX_LENGTH;
  const last = tokensOf(text).at(-1);
  const letters = [...(last?.text ?? '')];
  const beginning = (query: string): Query => ({ match_phrase_prefix: { [field]: { query, boost, max_expansions: 10 } } });
  if (!last || letters.length <= maxLength) return beginning(text);
  const shorter = text.slice(0, last.start) + letters.slice(0, maxLength).join('');
  return { bool: { must: [beginning(shorter)], filter: [{ prefix: { [field]: { value: last.text.replace(/'s$/, '') } } }] } };
}

/**
 * @returns a regular expression of Lucene, at most three times as long as the escaped text, for what begins with a folded text,
 *   of which the last syllable, or the last word of a script without blanks, may be half typed
 */
export function beginningPattern(folded: string): string {
  const continued = continuedHangul(folded);
  const common = continued[0]?.beginning ?? folded;
  const ends = continued.map(({ beginning, first, last }) => `${beginning.slice(common.length)}[${first}-${last}]`);
  return `${markSeparations(escapePattern(common), ' ?')}${ends.length === 0 ? '' : `(${ends.join('|')})`}.*`;
}

const QUERY_BY: Record<Term['by'], (text: string, boost: number) => Query> = {
  stem: textQuery,
  sequence: phraseQuery,
  literal: literalQuery,
  beginning: beginningQuery,
  key: formQuery,
};

export function toQuery({ by, text }: Term, boost = 1): Query {
  return QUERY_BY[by](text, boost);
}

export function excludedWordQuery(word: string, rules: TextRules): Query {
  const literal = parseLiteral(word);
  if (literal) return anyOf(literalTerms(literal.text, rules).map((term) => toQuery(term)));
  const terms = rules.separate(word);
  // Only items in which the parts of "well-known" follow each other are excluded.
  return plainTerms(word, rules.separate).includes(' ') ? phraseQuery(terms) : anyOf([textQuery(terms), phraseQuery(terms)]);
}
