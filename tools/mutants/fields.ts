import type { Mutant } from './mutant.ts';

const ENTRY_COUNTS = 'services/api/src/search/facets/entry-counts.ts';

/** What is counted of declared fields. */
export const FIELDS_MUTANTS: Mutant[] = [
  {
    file: ENTRY_COUNTS,
    within: 'isUncertain',
    from: 'rounds < MAX_ROUNDS',
    to: 'rounds < 1',
    why: 'a facet lacks the most frequent values if others are more frequent in entries that nobody asks for',
    test: 'api/fields-counts',
  },
  {
    file: ENTRY_COUNTS,
    within: 'shownOf',
    from: 'exact && uncounted === 0',
    to: 'exact',
    why: 'counts that may be incomplete are called exact',
    test: 'api/fields-counts',
  },
  {
    file: ENTRY_COUNTS,
    within: 'shownOf',
    from: 'sumOf(counted.slice(VALUES_MAX)) + uncounted',
    to: 'uncounted',
    why: 'the sum of the values that are not shown lacks those that were counted',
    test: 'api/fields-counts',
  },
];
