import type { Mutant } from './mutant.ts';

/** What is kept of searches. */
export const INSIGHTS_MUTANTS: Mutant[] = [
  {
    file: 'services/api/src/search/insights/store-searches.ts',
    within: 'withHashes',
    from: 'hash(key, [prompt, user])',
    to: 'hash(key, [user])',
    why: 'a dump shows which prompts are of the same user',
    test: 'api/search-insights',
  },
  {
    file: 'services/api/src/search/insights/store-searches.ts',
    within: 'count',
    from: 'users = i.users + excluded.users',
    to: 'users = greatest(i.users, excluded.users)',
    why: 'prompts whose users come one after the other are never shown',
    test: 'api/search-insights',
  },
  {
    file: 'services/api/src/search/insights/search-insights.ts',
    within: 'isCounted',
    from: ' && !hasFilters(parameters)',
    to: '',
    why: 'prompts are shown for which only a filter has found nothing',
    test: 'api/search-insights',
  },
  {
    file: 'services/api/src/search/insights/prompt-counts.ts',
    within: 'PromptCounts',
    from: ' || ofDay >= PROMPTS_MAX.userPerDay',
    to: '',
    why: 'six accounts fill the list of the operators',
    test: 'unit/prompt',
  },
  {
    file: 'services/api/src/search/insights/prompt-counts.ts',
    within: 'PromptCounts',
    from: 'this.#settledCount >= PROMPTS_MAX.process || ',
    to: '',
    why: 'a thousand accounts fill the memory of the process',
    test: 'unit/prompt',
  },
  {
    file: 'services/indexer/src/purge/purge.ts',
    within: 'OLD',
    from: 'and prompt is null',
    to: 'and prompt is null and users = 0',
    why: 'the hashes of prompts are kept after their day',
    test: 'api/search-insights',
  },
];
