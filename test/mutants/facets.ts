import type { Mutant } from './mutant.ts';

const API = 'services/api/src';

/** Facets. */
export const FACET_MUTANTS: Mutant[] = [
  {
    file: `${API}/facets/facet-search.ts`,
    from: 'filterClauses(parameters, ignored)',
    to: 'filterClauses(parameters)',
    why: 'a facet counts only the values that are chosen already',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/facet-search.ts`,
    from: 'include !== undefined && { include }',
    to: 'include === undefined && { include }',
    why: 'tagPrefix does not narrow the tags',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/facet-search.ts`,
    from: 'shards > 1 && { shard_size: SHARD_VALUES }',
    to: 'false',
    why: 'over several shards, few facets are exact',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/facet-search.ts`,
    from: "buildQuery(prompt, filterClauses(parameters, 'created'))",
    to: 'buildQuery(prompt, filterClauses(parameters))',
    why: 'hours that createdFrom excludes are missing',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/read-facets.ts`,
    from: 'exact: error === 0',
    to: 'exact: true',
    why: 'facets over several shards claim to be exact',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/read-facets.ts`,
    from: 'const [matches] = responses;',
    to: 'const matches = responses.at(-1);',
    why: 'the total of facets is not that of the list',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/tag-prefix.ts`,
    from: ".replace(OPERATORS, '\\\\$&')",
    to: '',
    why: 'the prefix of a tag is a regular expression, which may be expensive',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/tag-prefix.ts`,
    from: "foldText(prefix).trimStart().replace(/\\s+/g, ' ')",
    to: "foldText(prefix).trim().replace(/\\s+/g, ' ')",
    why: 'the prefix "pixel " finds "pixels"',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/tag-prefix.ts`,
    from: '.slice(0, NAME_KEY_MAX_LENGTH + 1)',
    to: '',
    why: 'a prefix of ligatures is a regular expression of thousands of characters',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/tag-prefix.ts`,
    from: ".replace(BETWEEN_LETTERS, ' ?')",
    to: '',
    why: 'incomplete Thai words find no tags',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/intervals.ts`,
    from: 'numberOf(last + DAY_MS - 1) - numberOf(first) + 1;',
    to: 'numberOf(last) - numberOf(first) + 1;',
    why: 'three days are shown as up to 72 hours',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/intervals.ts`,
    from: 'fixed(7 * DAY_MS, MONDAY_MS)',
    to: 'fixed(7 * DAY_MS)',
    why: 'weeks begin on Thursday',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/count-facets.ts`,
    from: "    requireMapping(index, MAPPING_VERSION, 'Facets');\n",
    to: '',
    why: 'facets over an index of an older release are empty',
    test: 'api/facets',
  },
  {
    file: `${API}/facets/count-facets.ts`,
    from: 'const MAPPING_VERSION = 4;',
    to: 'const MAPPING_VERSION = 5;',
    why: 'after an update, facets are a 503 until the index is rebuilt, though it has their fields',
    test: 'api/facets',
  },
  {
    file: `${API}/middleware/limit-rate.ts`,
    from: "new Set(['/api/content', '/api/content/facets'])",
    to: "new Set(['/api/content'])",
    why: 'facets do not count against the limits of lists',
    test: 'api/facets',
  },
  {
    file: `${API}/app.ts`,
    from: 'onlyReads([FACETS_PATH, SUGGEST_PATH])',
    to: 'onlyReads([SUGGEST_PATH])',
    why: 'facets are taken for an item that can be edited',
    test: 'api/facets',
  },
];
