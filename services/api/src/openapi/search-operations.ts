import type { Limits } from '../env.ts';
import { facetParameters } from '../search/facets/facets.ts';
import { DEFAULT_PAGE_SIZE, listParameters } from '../search/parameters.ts';
import { toPage } from '../search/page.ts';
import { suggestParameters } from '../search/suggestions/suggestions.ts';
import { errorResponses } from './errors.ts';
import { EXAMPLE_FACETS, EXAMPLE_ITEM, EXAMPLE_SUGGESTIONS } from './examples.ts';
import { headers, json, parameters } from './parts.ts';

export const SEARCH = { name: 'Search', description: 'Lists, the counts of their matches, and suggestions while a user types.' };

const READ_ERRORS = [400, 503];

const CORRECTION = {
  'Search-Correction': {
    description: `The words of the prompt that were corrected, split or joined, encoded like a query string. Absent when nothing was
changed.`,
    example: 'lighthuose=lighthouse',
  },
};

export function searchPaths(limits: Limits) {
  const page = toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 });
  return {
    '/api/content': {
      get: searchOperation('/api/content', {
        operationId: 'listContent',
        summary: 'List all content items, or search them with a prompt',
        parameters: parameters('query', listParameters(limits).shape),
        needsNewIndex: 'Highlights',
        success: { ...json('The page.', 'ContentPage', page), headers: headers(CORRECTION) },
      }),
    },
    '/api/content/facets': {
      get: searchOperation('/api/content/facets', {
        operationId: 'countFacets',
        summary: 'Count the matches of a list by tag, creator, rating, downloads and time',
        parameters: parameters('query', facetParameters(limits).shape),
        needsNewIndex: 'Facets',
        success: { ...json('The counts.', 'Facets', EXAMPLE_FACETS), headers: headers(CORRECTION) },
      }),
    },
    '/api/content/suggest': {
      get: searchOperation('/api/content/suggest', {
        operationId: 'suggestContent',
        summary: 'Get completions of an unfinished prompt',
        parameters: parameters('query', suggestParameters(limits).shape),
        needsNewIndex: 'Suggestions',
        success: json('The suggestions.', 'Suggestions', EXAMPLE_SUGGESTIONS),
      }),
    },
  };
}

type SearchOperation = { operationId: string; summary: string; parameters: object[]; needsNewIndex: string; success: object };

function searchOperation(path: string, { needsNewIndex, success, ...operation }: SearchOperation) {
  const outdated = { detail: `${needsNewIndex} need a search index of the current release: index:rebuild is due.` };
  return {
    tags: [SEARCH.name],
    ...operation,
    responses: { 200: success, ...errorResponses(path, READ_ERRORS, { replaced: { 503: outdated } }) },
  };
}
