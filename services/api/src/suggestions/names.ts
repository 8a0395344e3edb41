import type { estypes } from '@elastic/elasticsearch';
import { foldText } from '@ugc/shared/search-text/fold-text';
import { parseLiteral, separateChunks, splitChunks } from '@ugc/shared/search-text/literals';
import { nameKey } from '@ugc/shared/search-text/name-key';
import { separateTerms } from '@ugc/shared/search-text/separate-terms';
import type { MultiSearchItem } from '../searched-index/multi-search.ts';
import { distinctBy } from './distinct-by.ts';

type Query = estypes.QueryDslQueryContainer;

/** Enough for eight distinct names, if most names belong to few items. */
const CANDIDATES = 40;
const INSIDE_WORD = /[\p{L}\p{M}\p{N}]$/u;

/**
 * Searches names that contain the folded prompt as consecutive words, of which the last may be unfinished. The most
 * downloaded come first, and of these the newest.
 */
export function nameSearch(folded: string): estypes.SearchSearchRequestBody {
  const words: Query = { match_phrase_prefix: { 'folded.name.words': { query: separateTerms(folded) } } };
  return {
    query: { bool: { filter: [{ term: { deleted: false } }, words, ...symbolQueries(folded)] } },
    sort: [{ downloadsCount: 'desc' }, { contentId: 'desc' }],
    size: CANDIDATES,
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['name'],
  };
}

/** @returns the names, without those that differ only in accents, letter case and blanks */
export function namesOf(response: MultiSearchItem | undefined, folded: string): string[] {
  const names = (response?.hits.hits ?? []).map(({ fields }) => String(fields?.['name']));
  const matching = strictLiterals(folded).length === 0 ? names : names.filter((name) => containsAsWritten(foldText(name), folded));
  return distinctBy(matching, nameKey);
}

/** To the index, `c++` is the word `c`, with which many words begin. */
function symbolQueries(folded: string): Query[] {
  return strictLiterals(folded).map(({ text, isLast }) =>
    isLast ? { prefix: { literals: { value: text } } } : { term: { literals: { value: text } } },
  );
}

/** An item may have the literals of the prompt in another field than its name. */
function containsAsWritten(name: string, prompt: string): boolean {
  const [text = '', beginning = ''] = [name, prompt].map(separateChunks);
  const textsBefore = text.split(beginning).slice(0, -1);
  return textsBefore.some((before) => !INSIDE_WORD.test(before));
}

function strictLiterals(folded: string): { text: string; isLast: boolean }[] {
  const chunks = splitChunks(folded);
  return chunks.flatMap((chunk, position) => {
    const literal = parseLiteral(chunk);
    return literal?.strict ? [{ text: literal.text, isLast: position === chunks.length - 1 }] : [];
  });
}
