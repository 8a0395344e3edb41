import { CONTENT_WORDS } from './collection/words.ts';

/** A request around a list, and the list beside which it is shown. */
export type Row = { request: string; path: string; list: string };

/** Longer prompts have no suggestions. */
const MAX_LENGTH = 300;

const [MANY = '', SECOND = ''] = CONTENT_WORDS;
const RARE = CONTENT_WORDS[2_900] ?? '';

export const SUGGESTION_ROWS: Row[] = [
  suggestionsOf('1 letter', MANY.slice(0, 1)),
  suggestionsOf('2 letters', MANY.slice(0, 2)),
  suggestionsOf('3 letters', MANY.slice(0, 3)),
  suggestionsOf('5 letters', MANY.slice(0, 5)),
  suggestionsOf('2 letters of rare words', RARE.slice(0, 2)),
  suggestionsOf('5 letters of rare words', RARE.slice(0, 5)),
  suggestionsOf('two words, the second of 2 letters', `${MANY} ${SECOND.slice(0, 2)}`),
  suggestionsOf('two words', `${MANY} ${SECOND}`),
  suggestionsOf('five known words', `${MANY} ${SECOND} ${MANY} ${SECOND} ${RARE}`),
  suggestionsOf('a misspelt word', `${MANY.slice(0, -1)}x`),
  suggestionsOf('the longest prompt', `${MANY} `.repeat(MAX_LENGTH).slice(0, MAX_LENGTH)),
];

function suggestionsOf(request: string, text: string): Row {
  const prompt = encodeURIComponent(text);
  return { request, path: `/api/content/suggest?prompt=${prompt}`, list: `/api/content?sort=relevance&prompt=${prompt}` };
}
