import { IdempotencyKeyHeader } from '../content/idempotency.ts';
import type { Limits } from '../env.ts';
import { facetParameters } from '../facets/facet-parameters.ts';
import { DEFAULT_PAGE_SIZE, ItemParameters, listParameters } from '../search/list-parameters.ts';
import { toPage } from '../search/page.ts';
import { suggestParameters } from '../suggestions/suggestions.ts';
import { EXAMPLE_FACETS, EXAMPLE_ITEM, EXAMPLE_SUGGESTIONS, EXAMPLE_UPLOAD } from './examples.ts';
import { errorResponses, headers, ID, IF_MATCH, IF_NONE_MATCH, json, parameters, PREFER, ref } from './parts.ts';

const WRITE_ERRORS = [503];
const BODY_ERRORS = [400, 408, 413, 415, ...WRITE_ERRORS];
const NOT_THE_CREATOR = 'There is no valid token, or the item belongs to another user.';
const NO_SUCH_USER = 'There is no valid token, or the user does not exist.';
const ETAG = { ETag: '`"E.N"`: E is the number of edits; N changes with the rest of the body, such as downloads.' };
const CORRECTION = `The words of the prompt that were corrected, split or joined, encoded like a query string, for example
\`lighthuose=lighthouse\`. Absent when nothing was changed.`;

export function contentPaths(limits: Limits) {
  return {
    '/api/content': { get: listOperation(limits) },
    '/api/content/facets': { get: facetsOperation(limits) },
    '/api/content/suggest': { get: suggestOperation(limits) },
    '/content': { post: uploadOperation },
    '/api/content/{id}': { get: getOperation, patch: editOperation, delete: deleteOperation },
    '/api/content/{id}/rating': { put: rateOperation, delete: unrateOperation },
    '/api/content/{id}/downloads': { post: downloadOperation },
    '/api/content/{id}/thumbnail': { get: thumbnailOperation },
    '/api/content/{id}/index-status': { get: indexStatusOperation },
  };
}

function listOperation(limits: Limits) {
  return {
    operationId: 'listContent',
    summary: 'List all content items, or search them with a prompt',
    parameters: parameters('query', listParameters(limits).shape),
    responses: {
      200: {
        ...json('The page.', 'ContentPage', toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 })),
        headers: headers({ 'Search-Correction': CORRECTION }),
      },
      ...errorResponses([400, 503]),
    },
  };
}

function facetsOperation(limits: Limits) {
  return {
    operationId: 'countFacets',
    summary: 'Count the matches of a list by tag, creator, rating, downloads and time',
    parameters: parameters('query', facetParameters(limits).shape),
    responses: {
      200: { ...json('The counts.', 'Facets', EXAMPLE_FACETS), headers: headers({ 'Search-Correction': CORRECTION }) },
      ...errorResponses([400, 503]),
    },
  };
}

function suggestOperation(limits: Limits) {
  return {
    operationId: 'suggestContent',
    summary: 'Get completions of an unfinished prompt',
    parameters: parameters('query', suggestParameters(limits).shape),
    responses: { 200: json('The suggestions.', 'Suggestions', EXAMPLE_SUGGESTIONS), ...errorResponses([400, 503]) },
  };
}

const getOperation = {
  operationId: 'getContent',
  summary: 'Get a content item',
  parameters: [ID, ...parameters('query', ItemParameters.shape), ...IF_NONE_MATCH],
  responses: {
    200: { ...json('The item.', 'ContentItem', EXAMPLE_ITEM), headers: headers(ETAG) },
    304: { description: 'The cached copy is current.' },
    ...errorResponses([400, 404]),
  },
};

const uploadOperation = {
  operationId: 'uploadContent',
  summary: 'Upload a content item, which becomes searchable shortly afterwards',
  parameters: [...parameters('header', { 'Idempotency-Key': IdempotencyKeyHeader }), ...PREFER],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Upload'), example: EXAMPLE_UPLOAD } } },
  responses: {
    201: { ...json('The item is stored.', 'Uploaded'), headers: headers({ Location: 'The path of the item.' }) },
    ...errorResponses([...BODY_ERRORS, 422], 'There is no valid token, the user does not exist, or creatorId is another user.'),
  },
};

const editOperation = {
  operationId: 'editContent',
  summary: 'Edit an item with a JSON merge patch (RFC 7396)',
  parameters: [ID, ...IF_MATCH, ...PREFER],
  requestBody: {
    required: true,
    content: { 'application/merge-patch+json': { schema: ref('Edit'), example: { name: 'Lighthouse at dawn', tags: null } } },
  },
  responses: {
    200: { ...json('The edited item.', 'ContentItem', EXAMPLE_ITEM), headers: headers(ETAG) },
    ...errorResponses([...BODY_ERRORS, 404, 412], NOT_THE_CREATOR),
  },
};

const deleteOperation = {
  operationId: 'deleteContent',
  summary: 'Delete an item immediately and permanently',
  parameters: [ID, ...IF_MATCH, ...PREFER],
  responses: {
    204: { description: 'The item is deleted.' },
    ...errorResponses([...WRITE_ERRORS, 404, 412], NOT_THE_CREATOR),
  },
};

const rateOperation = {
  operationId: 'rateContent',
  summary: 'Rate an item, replacing an earlier rating by the same user',
  parameters: [ID],
  requestBody: { required: true, content: { 'application/json': { schema: ref('Rating'), example: { score: 5 } } } },
  responses: { 204: { description: 'The rating is stored.' }, ...errorResponses([...BODY_ERRORS, 404], NO_SUCH_USER) },
};

const unrateOperation = {
  operationId: 'unrateContent',
  summary: 'Remove the rating of the user',
  parameters: [ID],
  responses: {
    204: { description: 'The item has no rating by this user.' },
    ...errorResponses([...WRITE_ERRORS, 404], NO_SUCH_USER),
  },
};

const downloadOperation = {
  operationId: 'countDownload',
  summary: 'Count a download',
  parameters: [ID],
  responses: { 204: { description: 'The download is counted.' }, ...errorResponses([...WRITE_ERRORS, 404]) },
};

const IMAGE = { schema: { type: 'string', contentMediaType: 'image/*' } };
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const thumbnailOperation = {
  operationId: 'getThumbnail',
  summary: 'Get the thumbnail as uploaded, with its verified media type',
  parameters: [ID, ...IF_NONE_MATCH],
  responses: {
    200: {
      description: 'The image.',
      content: Object.fromEntries(IMAGE_TYPES.map((type) => [type, IMAGE])),
      headers: headers({ ETag: '`"tE"`: E is the number of edits of the item.' }),
    },
    304: { description: 'The cached copy is current.' },
    ...errorResponses([404]),
  },
};

const indexStatusOperation = {
  operationId: 'getIndexStatus',
  summary: 'Get whether the current revision of an item is searchable',
  parameters: [ID],
  responses: {
    200: json('The status.', 'IndexStatus', { contentId: 42, revision: 1, status: 'indexed' }),
    ...errorResponses([404]),
  },
};
