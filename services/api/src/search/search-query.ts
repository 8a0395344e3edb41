import type { estypes } from '@elastic/elasticsearch';
import type { Filters, SortField, SortKey } from './list-parameters.ts';
import { parsePrompt, type Prompt, type PromptWord } from './parse-prompt.ts';

type Query = estypes.QueryDslQueryContainer;

/**
 * The fields that a prompt is matched against, by weight; `combined_fields` treats them as one field, with common statistics.
 * These and the numbers below were chosen by measuring nDCG@10 on a judged collection: docs/decisions/0001-relevance.md.
 */
const WEIGHTED_FIELDS = ['name^2', 'tags^1.7', 'description^1.3', 'creatorName^1'];

/** A word counts less when it matches only with its typing error forgiven, or only as the beginning of a word. */
const FORGIVEN_BOOST = 0.7;
const UNFINISHED_BOOST = 0.3;

/** One letter begins too many words to mean one of them. */
const SHORTEST_BEGINNING = 2;

/**
 * Forgiving each term costs some, and one of 255 letters seconds; nobody mistypes more than so many. What is beyond matches exactly.
 * A word may be several terms, such as "pixel-art".
 */
const MAX_FORGIVEN_TERMS = 32;
const LONGEST_FORGIVEN_WORD = 48;
/** How many words of the vocabulary all of a prompt's words together may be mistyped for, and each alone; see the limit of clauses in `parsePrompt`. */
const MAX_VARIANTS = 432;
const MAX_VARIANTS_OF_TERM = 50;
const NEVER_MISTYPED = /[\p{N}\p{Extended_Pictographic}]/u;

/** So many of a prompt's words an item must have, if there are as many; of a description one is enough, and ranking does the rest. */
const WORDS_REQUIRED = 2;

const NO_FILTERS: Filters = { tags: [], creatorId: undefined, minRating: undefined };

/**
 * The query for a prompt and filters: pure, so that a test can read it as data. The set of matches depends on the prompt alone; what sorts
 * differently still finds the same.
 */
export function buildQuery(prompt: string, filters = NO_FILTERS): Query {
  const parsed = parsePrompt(prompt);
  const phrases = parsed.phrases.map(phrase);
  return {
    bool: {
      filter: [{ term: { deleted: false } }, ...filterClauses(filters)],
      must: asksForNothing(prompt, parsed) ? [{ match_none: {} }] : [...words(parsed), ...(parsed.describes ? [] : phrases)],
      should: parsed.describes ? phrases : [],
      must_not: [...parsed.excluded.map(excludedWord), ...parsed.excludedPhrases.map(phrase)],
    },
  };
}

function filterClauses({ tags, creatorId, minRating }: Filters): Query[] {
  return [
    ...tags.map((tag): Query => ({ term: { 'tags.exact': tag } })),
    ...(creatorId === undefined ? [] : [{ term: { creatorId } }]),
    ...(minRating === undefined ? [] : [{ range: { avgRating: { gte: minRating } } }]),
  ];
}

// Such as "***": it is not blank, so it does not mean everything, and no term can be made of it.
function asksForNothing(prompt: string, parsed: Prompt): boolean {
  return prompt.trim() !== '' && [parsed.words, parsed.phrases, parsed.excluded, parsed.excludedPhrases].every((part) => part.length === 0);
}

function words(prompt: Prompt): Query[] {
  if (prompt.stopWordsOnly) return prompt.words.map(({ text }) => phrase(text));
  if (prompt.words.length === 0) return [];
  const forgivable = forgivableWords(prompt.words);
  const variants = Math.min(MAX_VARIANTS_OF_TERM, Math.floor(MAX_VARIANTS / countTerms([...forgivable])));
  const should = prompt.words.map((word) =>
    anyForm(word, { variants: forgivable.has(word) ? variants : 0, unfinished: prompt.unfinished }),
  );
  return [{ bool: { should, minimum_should_match: prompt.describes ? 1 : Math.min(prompt.words.length, WORDS_REQUIRED) } }];
}

function forgivableWords(words: PromptWord[]): Set<PromptWord> {
  let terms = 0;
  const isForgivable = (word: PromptWord): boolean => {
    const { text } = word;
    terms += countTerms([word]);
    return terms <= MAX_FORGIVEN_TERMS && text.length <= LONGEST_FORGIVEN_WORD && !NEVER_MISTYPED.test(text);
  };
  return new Set(words.filter(isForgivable));
}

function countTerms(words: PromptWord[]): number {
  return words.reduce((sum, { text }) => sum + text.split(/[^\p{L}\p{M}]+/u).length, 0);
}

function anyForm({ text, count }: PromptWord, { variants, unfinished }: { variants: number; unfinished: string | undefined }): Query {
  const queries = [inAnyField(text)];
  if (variants > 0) queries.push(fuzzy(text, variants));
  if (text === unfinished && text.length >= SHORTEST_BEGINNING) queries.push(beginning(text));
  return { dis_max: { queries, boost: count } };
}

function inAnyField(text: string): Query {
  return { combined_fields: { query: text, fields: WEIGHTED_FIELDS, operator: 'and' } };
}

// The first letter is rarely wrong, and demanding it keeps the search quick in a large vocabulary.
function fuzzy(text: string, variants: number): Query {
  const fuzzy = { fuzziness: 'AUTO', prefix_length: 1, max_expansions: variants };
  return { match: { words: { query: text, operator: 'and', ...fuzzy, boost: FORGIVEN_BOOST } } };
}

function beginning(text: string): Query {
  return { match_phrase_prefix: { words: { query: text, boost: UNFINISHED_BOOST } } };
}

function phrase(text: string): Query {
  return { match_phrase: { words: { query: text } } };
}

// Stop words are in `words` only.
function excludedWord(word: string): Query {
  return { bool: { should: [inAnyField(word), phrase(word)] } };
}

const SORT_FIELDS: Record<Exclude<SortField, 'relevance'>, string> = {
  contentId: 'contentId',
  creatorId: 'creatorId',
  creatorName: 'creatorNameSort',
  name: 'nameSort',
  version: 'version',
  downloadsCount: 'downloadsCount',
  latestDownloadsCount: 'latestDownloadsCount',
  avgRating: 'avgRating',
  createdAt: 'createdAt',
  updatedAt: 'updatedAt',
};

/** The sort for a prompt, made total by `contentId`: pages never repeat or skip an item. */
export function buildSort(keys: SortKey[], prompt: string): estypes.SortCombinations[] {
  const effective = prompt.trim() === '' ? keys.map(newestForRelevance) : keys;
  const sort = effective.map(({ field, direction }): estypes.SortCombinations => {
    return field === 'relevance' ? { _score: { order: direction } } : { [SORT_FIELDS[field]]: direction };
  });
  return [...sort, { contentId: effective[0]?.direction ?? 'desc' }];
}

// Without a prompt nothing is more relevant than anything else.
function newestForRelevance(key: SortKey): SortKey {
  return key.field === 'relevance' ? { field: 'createdAt', direction: 'desc' } : key;
}
