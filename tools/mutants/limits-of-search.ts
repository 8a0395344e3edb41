import { changes, type Mutant } from './mutant.ts';

/** A limit, by file and name, and the test that reaches it. */
type Row = [file: string, name: string, test: string];

const TEXT = 'packages/text/src';
const SEARCH = 'services/api/src/search';

/** Limits of prompts and searches, in files whose mutants are not made by machine. Twice the limit must be noticed. */
const REACHED: Row[] = [
  [`${TEXT}/forms/form-keys.ts`, 'MAX_KEYS', 'unit/search-text'],
  [`${TEXT}/forms/form-keys.ts`, 'MAX_PART_KEYS', 'unit/search-text'],
  [`${TEXT}/prompt/parse-prompt.ts`, 'MAX_KEYWORDS', 'unit/stages'],
  [`${TEXT}/prompt/parse-prompt.ts`, 'MAX_QUOTED_WORDS', 'unit/parse-prompt'],
  [`${TEXT}/prompt/parse-prompt.ts`, 'MAX_TERM_CLAUSES', 'unit/parse-prompt'],
  [`${TEXT}/prompt/parse-prompt.ts`, 'MAX_UNFINISHED_LENGTH', 'unit/stages'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'SYNONYMS_MAX_BYTES', 'unit/prompt'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'MAX_RULES', 'unit/prompt'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'MAX_TEXTS', 'unit/prompt'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'MAX_WORDS', 'unit/prompt'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'MAX_CHARACTERS', 'unit/prompt'],
  [`${TEXT}/prompt/parse-synonyms.ts`, 'MAX_PROBLEMS', 'unit/prompt'],
  [`${TEXT}/prompt/split-words.ts`, 'MAX_WHOLE_TOKENS', 'unit/parse-prompt'],
  [`${TEXT}/prompt/synonyms.ts`, 'MAX_TERMS', 'unit/stages'],
  [`${TEXT}/rules/keys.ts`, 'NAME_KEY_MAX_LENGTH', 'unit/stages'],
  [`${TEXT}/ways/other-scripts.ts`, 'MAX_WAYS', 'unit/parse-prompt'],
  [`${TEXT}/words/literals.ts`, 'MAX_LENGTH', 'unit/parse-prompt'],
  [`${TEXT}/words/literals.ts`, 'MAX_LITERALS', 'unit/search-text'],
  [`${TEXT}/words/tokens.ts`, 'TOKEN_MAX_LENGTH', 'unit/parse-prompt'],
  [`${SEARCH}/facets/intervals.ts`, 'MAX_VALUES', 'unit/parameters'],
  [`${SEARCH}/filters.ts`, 'MAX_VALUES', 'unit/parameters'],
  [`${SEARCH}/filters.ts`, 'MAX_ITEMS', 'unit/parameters'],
  [`${SEARCH}/where.ts`, 'MAX_CONDITIONS', 'unit/parameters'],
  [`${SEARCH}/where.ts`, 'MAX_CHARACTERS', 'unit/parameters'],
  [`${SEARCH}/name-query.ts`, 'MAX_OTHERS', 'unit/name-query'],
  [`${SEARCH}/parameters.ts`, 'MAX_PAGE', 'unit/parameters'],
  [`${SEARCH}/parameters.ts`, 'MAX_SORT_KEYS', 'unit/parameters'],
  [`${SEARCH}/prompt/candidates.ts`, 'MAX_NEAR', 'unit/stages'],
  [`${SEARCH}/prompt/gaps.ts`, 'MAX_WORD_LENGTH', 'unit/stages'],
  [`${SEARCH}/prompt/gaps.ts`, 'MAX_RUNS', 'unit/stages'],
  [`${SEARCH}/prompt/gaps.ts`, 'MAX_PARTS', 'unit/stages'],
  [`${SEARCH}/prompt/known.ts`, 'MAX_LOOKED_UP', 'unit/stages'],
  [`${SEARCH}/prompt/known.ts`, 'MAX_POSSIBLE_TERMS', 'unit/stages'],
  [`${SEARCH}/prompt/prompt-memory.ts`, 'MAX_REMEMBERED_LENGTH', 'unit/stages'],
  [`${SEARCH}/prompt/stages.ts`, 'MAX_CHOSEN_TERMS', 'unit/stages'],
  [`${SEARCH}/prompt/stages.ts`, 'MAX_FAR', 'unit/stages'],
  [`${SEARCH}/prompt/stages.ts`, 'MAX_BEGINNINGS', 'unit/stages'],
  [`${SEARCH}/render-items.ts`, 'MARKED_UNITS_MAX', 'unit/highlight'],
  [`${SEARCH}/render-page.ts`, 'MARKED_UNITS_MAX', 'unit/highlight'],
  [`${SEARCH}/similar/find-similar.ts`, 'MAX_WORDS', 'unit/prompt'],
  [`${SEARCH}/similar/find-similar.ts`, 'MAX_ITEMS_OF_WORD', 'unit/prompt'],
  [`${SEARCH}/similar/find-similar.ts`, 'MAX_TAGS', 'unit/prompt'],
  [`${SEARCH}/similar/find-similar.ts`, 'MAX_TEXT_LENGTH', 'unit/prompt'],
];

/** Limits of which no unit test is known to notice that they are twice as much. Whoever adds such a test moves the row above. */
export const UNREACHED: Record<string, string[]> = {
  [`${TEXT}/forms/compounds.ts`]: ['MAX_LENGTH', 'MAX_ENDS'],
  [`${TEXT}/forms/form-keys.ts`]: ['MAX_CHARACTERS', 'MAX_LANGUAGES'],
  [`${TEXT}/forms/part-keys.ts`]: ['MAX_LENGTH'],
  [`${TEXT}/forms/word-forms.ts`]: ['MAX_KNOWN_LENGTH'],
  [`${TEXT}/ways/other-scripts.ts`]: ['MAX_LETTERS_AT_ONCE'],
  [`${TEXT}/words/normalized.ts`]: ['MAX_MARKS'],
  [`${TEXT}/words/separate.ts`]: ['MAX_KNOWN_WORDS', 'MAX_KNOWN_LENGTH'],
  [`${SEARCH}/facets/facet-searches.ts`]: ['VALUES_MAX'],
  [`${SEARCH}/index-lookup.ts`]: ['MAX_AGE_MS'],
  [`${SEARCH}/insights/prompt-counts.ts`]: ['PROMPT_MAX_CHARACTERS', 'REMEMBERED_USERS_MAX'],
  [`${SEARCH}/meaning/meaning.ts`]: ['MAX_CONNECTIONS', 'MAX_LENGTH'],
  [`${SEARCH}/name-query.ts`]: ['MAX_SMALL_WORDS'],
  [`${SEARCH}/pages/read-page.ts`]: ['MAX_REMEMBERED', 'EMPTY_MAX_BYTES'],
  [`${SEARCH}/pages/sample.ts`]: ['MAX_PROBABILITY', 'MAX_SAMPLE', 'MAX_VALUES', 'MAX_HITS'],
  [`${SEARCH}/pages/seek.ts`]: ['MAX_ROUNDS'],
  [`${SEARCH}/prompt/gaps.ts`]: ['MAX_WORDS', 'MAX_CHUNKS'],
  [`${SEARCH}/prompt/last-resort.ts`]: ['MAX_PARTS_PROPOSED'],
  [`${SEARCH}/prompt/others.ts`]: ['MAX_ACCOUNTS', 'MAX_DOUBTFUL', 'MAX_WORDS'],
  [`${SEARCH}/prompt/questions.ts`]: ['MAX_PROPOSALS'],
  [`${SEARCH}/prompt/rare-words.ts`]: ['MAX_RARE'],
  [`${SEARCH}/ranking-query.ts`]: ['MAX_FEW_WORDS'],
  [`${SEARCH}/render-items.ts`]: ['ID_MAX_DIGITS'],
  [`${SEARCH}/response.ts`]: ['LONG_HEADER_MAX_BYTES'],
  [`${SEARCH}/session.ts`]: ['SEARCHES_MAX_BYTES'],
  [`${SEARCH}/similar/find-similar.ts`]: ['MAX_SIMILAR', 'MAX_OF_CREATOR', 'MAX_ROUNDS'],
  [`${SEARCH}/suggestions/suggest.ts`]: ['MAX_LENGTH'],
  [`${SEARCH}/suggestions/suggestions.ts`]: ['MAX_COMPLETIONS'],
  [`${SEARCH}/text-fields.ts`]: ['MAX_PREFIX_LENGTH', 'MAX_NAME_PREFIX_LENGTH'],
};

export const LIMITS_OF_SEARCH_MUTANTS: Mutant[] = REACHED.flatMap(([file, name, test]) =>
  changes(file, name, test, [[' = ', ' = 2 * ', `${name} is twice as much`]]),
);
