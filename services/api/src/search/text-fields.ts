import type { Query } from './response.ts';

/** The names of items as they are searched, not stemmed. */
export const NAME_WORDS = 'folded.name.words';

/** Matches every term of the text in any text of an item, stemmed. */
export function textQuery(text: string, boost = 1): Query {
  return { match: { text: { query: text, operator: 'and', boost } } };
}

/** @param key by `promptFormKeys` or `umlautKey`. Do not pass it to `map`, as `phraseQuery`. */
export function formQuery(key: string, boost = 1): Query {
  return { term: { forms: { value: key, boost } } };
}

/** Do not pass it to `map`, which would pass the position as the boost. */
export function phraseQuery(text: string, boost = 1): Query {
  return { match_phrase: { words: { query: text, boost } } };
}
