import type { Mutant } from './mutant.ts';

const file = 'packages/client/src/instantsearch-filters.ts';

/** What programs of others rely on. */
export const CLIENTS_MUTANTS: Mutant[] = [
  ...[
    ['isAbsent', "value === ''", 'false', 'a site that sets no filters is refused'],
    ['unknownIn', 'Object.hasOwn(known, name)', 'Object.hasOwn({ ...known, filters: true }, name)', 'a filter is ignored'],
    ['assertKnown', 'FACETS.has(name)', "FACETS.has(name) || name === 'version'", 'a facet that the service does not have is empty'],
    ['RANGES', "['createdTo', toTime(ms + 1)]", "['createdTo', toTime(ms)]", 'createdAt<= leaves out the items of its moment'],
    ['OPERATORS', 'Math.floor(value) + 1', 'Math.floor(value)', 'createdAt> has the items of its moment'],
    ['OPERATORS', "'<=': [['most', Math.floor]]", "'<=': [['most', Math.ceil]]", 'createdAt<= has items of the next millisecond'],
    ['OPERATORS', 'Math.ceil(value) - 1', 'Math.ceil(value)', 'downloadsCount< has the items of its number'],
  ].map(([within = '', from = '', to = '', why = '']) => ({ file, within, from, to, why, test: 'api/client-package' })),
];
