import type { estypes } from '@elastic/elasticsearch';
import { foldText } from '@ugc/shared/search-text/fold-text';
import type { Filters, SortField, SortKey } from './list-parameters.ts';
import { parsePrompt, type Prompt, type PromptWord } from './parse-prompt.ts';
import { mappingFeatures, type MappingFeatures } from './mapping-features.ts';
import type { SearchedIndex } from './searched-index.ts';

type Query = estypes.QueryDslQueryContainer;

// These boosts and the weights of the fields maximize nDCG@10 on a judged collection: docs/decisions/0001-relevance.md.
const FUZZY_BOOST = 0.7;
const PREFIX_BOOST = 0.3;

/** A prefix of one letter matches too many words. */
const PREFIX_MIN_LENGTH = 2;

/** Fuzzy matching has a cost per term, up to seconds for one of 255 letters. Further and longer words match exactly. */
const MAX_FUZZY_TERMS = 32;
const FUZZY_MAX_LENGTH = 48;
/** The fuzzy variants of all words of a prompt together, and of one term; see `MAX_TERM_CLAUSES` of `parsePrompt`. */
const MAX_EXPANSIONS = 432;
const MAX_EXPANSIONS_PER_TERM = 50;
const NEVER_FUZZY = /[\p{N}\p{Extended_Pictographic}]/u;

/** For a prompt with at least as many words. A descriptive prompt requires one. */
const MIN_MATCHING_WORDS = 2;

/** It depends on the mapping of the index, and not on the sort, so every order has the same matches. */
export function buildQuery(prompt: string, filters: Filters, index: Pick<SearchedIndex, 'mappingVersion'>): Query {
  const features = mappingFeatures(index);
  const parsed = parsePrompt(features.isFolded ? foldText(prompt) : prompt);
  const phrases = parsed.phrases.map(phraseQuery);
  return {
    bool: {
      filter: [{ term: { deleted: false } }, ...filterClauses(filters)],
      must: matchesNothing(prompt, parsed)
        ? [{ match_none: {} }]
        : [...wordClauses(parsed, features), ...(parsed.isDescriptive ? [] : phrases)],
      should: parsed.isDescriptive ? phrases : [],
      must_not: [...parsed.excludedWords.map((word) => excludedWordQuery(word, features)), ...parsed.excludedPhrases.map(phraseQuery)],
    },
  };
}

function filterClauses({ tags = [], creatorId, minRating }: Filters): Query[] {
  return [
    ...tags.map((tag): Query => ({ term: { 'tags.exact': tag } })),
    ...(creatorId === undefined ? [] : [{ term: { creatorId } }]),
    ...(minRating === undefined ? [] : [{ range: { avgRating: { gte: minRating } } }]),
  ];
}

// A blank prompt matches everything; a prompt without any term, such as "***", matches nothing.
function matchesNothing(prompt: string, { words, phrases, excludedWords, excludedPhrases }: Prompt): boolean {
  return prompt.trim() !== '' && [words, phrases, excludedWords, excludedPhrases].every((part) => part.length === 0);
}

function wordClauses({ words, prefix, isDescriptive, stopWordsOnly }: Prompt, features: MappingFeatures): Query[] {
  if (stopWordsOnly) return words.map(({ text }) => phraseQuery(text));
  if (words.length === 0) return [];
  const fuzzyWords = selectFuzzyWords(words);
  const expansions = Math.min(MAX_EXPANSIONS_PER_TERM, Math.floor(MAX_EXPANSIONS / countTerms([...fuzzyWords])));
  const should = words.map((word) => wordQuery(word, { expansions: fuzzyWords.has(word) ? expansions : 0, prefix, features }));
  return [{ bool: { should, minimum_should_match: isDescriptive ? 1 : Math.min(words.length, MIN_MATCHING_WORDS) } }];
}

function selectFuzzyWords(words: PromptWord[]): Set<PromptWord> {
  let terms = 0;
  const isFuzzy = (word: PromptWord): boolean => {
    const { text } = word;
    terms += countTerms([word]);
    return terms <= MAX_FUZZY_TERMS && text.length <= FUZZY_MAX_LENGTH && !NEVER_FUZZY.test(text);
  };
  return new Set(words.filter(isFuzzy));
}

// A word may consist of several terms, such as "pixel-art".
function countTerms(words: PromptWord[]): number {
  return words.reduce((sum, { text }) => sum + text.split(/[^\p{L}\p{M}]+/u).length, 0);
}

type WordOptions = { expansions: number; prefix: string | undefined; features: MappingFeatures };

function wordQuery({ text, count }: PromptWord, { expansions, prefix, features }: WordOptions): Query {
  const queries = [combinedFieldsQuery(text, features)];
  if (expansions > 0) queries.push(fuzzyQuery(text, expansions));
  if (text === prefix && text.length >= PREFIX_MIN_LENGTH) {
    queries.push({ match_phrase_prefix: { words: { query: text, boost: PREFIX_BOOST } } });
  }
  return { dis_max: { queries, boost: count } };
}

function combinedFieldsQuery(text: string, { words }: MappingFeatures): Query {
  return { combined_fields: { query: text, fields: words, operator: 'and' } };
}

// The first letter is rarely wrong, and requiring it keeps the search fast in a large vocabulary.
function fuzzyQuery(text: string, expansions: number): Query {
  const fuzzy = { fuzziness: 'AUTO', prefix_length: 1, max_expansions: expansions };
  return { match: { words: { query: text, operator: 'and', ...fuzzy, boost: FUZZY_BOOST } } };
}

function phraseQuery(text: string): Query {
  return { match_phrase: { words: { query: text } } };
}

// Only the field `words` contains stop words.
function excludedWordQuery(word: string, features: MappingFeatures): Query {
  return { bool: { should: [combinedFieldsQuery(word, features), phraseQuery(word)] } };
}

/** The other fields of the index can be sorted directly. */
const SORT_FIELDS: Partial<Record<SortField, string>> = { creatorName: 'creatorNameSort', name: 'nameSort' };

/** The sort for a prompt, with `contentId` as the tiebreaker, so that pages neither repeat nor skip an item. */
export function buildSort(keys: SortKey[], prompt: string): estypes.SortCombinations[] {
  const effective = prompt.trim() === '' ? keys.map(newestForRelevance) : keys;
  const sort = effective.map(({ field, direction }): estypes.SortCombinations => {
    return field === 'relevance' ? { _score: { order: direction } } : { [SORT_FIELDS[field] ?? field]: direction };
  });
  return [...sort, { contentId: effective[0]?.direction ?? 'desc' }];
}

// Without a prompt, all items are equally relevant.
function newestForRelevance(key: SortKey): SortKey {
  return key.field === 'relevance' ? { field: 'createdAt', direction: 'desc' } : key;
}
