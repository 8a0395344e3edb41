import { IdempotencyKeyHeader } from '../content/idempotency.ts';
import { ItemParameters } from '../search/parameters.ts';
import { errorResponses, INVALID_FIELD } from './errors.ts';
import { EXAMPLE_ITEM, EXAMPLE_STATUS, EXAMPLE_UPLOAD, EXAMPLE_UPLOADED } from './examples.ts';
import {
  ETAG,
  headers,
  ID,
  IF_MATCH,
  IF_NONE_MATCH,
  json,
  jsonBody,
  NOT_MODIFIED,
  parameters,
  PREFER,
  PREFERENCE_APPLIED,
} from './parts.ts';

export const ITEMS = { name: 'Items', description: 'Upload, read, edit and delete content items.' };

const tags = [ITEMS.name];
const ITEM = '/api/content/{id}';
const THUMBNAIL = '/api/content/{id}/thumbnail';
const INDEX_STATUS = '/api/content/{id}/index-status';

export const WRITE_ERRORS = [503];
export const BODY_ERRORS = [400, 408, 413, 415, ...WRITE_ERRORS];
/** What differs in the errors of an operation with a body. */
export const OF_BODY = { invalid: INVALID_FIELD, replaced: { 400: { detail: 'The body is not valid.' } } };

const OF_CREATOR = { 403: { description: 'There is no valid token, or the item belongs to another user.' } };

const uploadOperation = {
  tags,
  operationId: 'uploadContent',
  summary: 'Upload a content item, which becomes searchable shortly afterwards',
  parameters: [...parameters('header', { 'Idempotency-Key': IdempotencyKeyHeader }), ...PREFER],
  requestBody: jsonBody('Upload', EXAMPLE_UPLOAD),
  responses: {
    201: {
      ...json('The item is stored.', 'Uploaded', EXAMPLE_UPLOADED),
      headers: headers({ Location: { description: 'The path of the item.', example: '/api/content/42' }, ...PREFERENCE_APPLIED }),
    },
    ...errorResponses('/content', [...BODY_ERRORS, 422], {
      ...OF_BODY,
      replaced: {
        ...OF_BODY.replaced,
        403: { description: 'There is no valid token, the user does not exist, or creatorId is another user.' },
      },
    }),
  },
};

const getOperation = {
  tags,
  operationId: 'getContent',
  summary: 'Get a content item',
  parameters: [ID, ...parameters('query', ItemParameters.shape), ...IF_NONE_MATCH],
  responses: {
    200: { ...json('The item.', 'ContentItem', EXAMPLE_ITEM), headers: headers(ETAG) },
    304: NOT_MODIFIED,
    ...errorResponses(ITEM, [400, 404], { invalid: { parameter: 'include', detail: 'must be tags' } }),
  },
};

const editOperation = {
  tags,
  operationId: 'editContent',
  summary: 'Edit an item with a JSON merge patch (RFC 7396)',
  parameters: [ID, ...IF_MATCH, ...PREFER],
  requestBody: jsonBody('Edit', { name: 'Lighthouse at dawn', tags: null }, 'application/merge-patch+json'),
  responses: {
    200: { ...json('The edited item.', 'ContentItem', EXAMPLE_ITEM), headers: headers({ ...ETAG, ...PREFERENCE_APPLIED }) },
    ...errorResponses(ITEM, [...BODY_ERRORS, 404, 412], {
      invalid: { pointer: '#/name', detail: 'must not be blank' },
      replaced: {
        ...OF_BODY.replaced,
        ...OF_CREATOR,
        415: { detail: 'The body must be application/merge-patch+json or application/json, encoded in UTF-8.' },
      },
    }),
  },
};

const deleteOperation = {
  tags,
  operationId: 'deleteContent',
  summary: 'Delete an item immediately and permanently',
  parameters: [ID, ...IF_MATCH, ...PREFER],
  responses: {
    204: { description: 'The item is deleted.', headers: headers(PREFERENCE_APPLIED) },
    ...errorResponses(ITEM, [...WRITE_ERRORS, 404, 412], { replaced: OF_CREATOR }),
  },
};

const IMAGE = { schema: { type: 'string', format: 'binary', contentMediaType: 'image/*' } };
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const NO_THUMBNAIL = 'The item does not exist or has no thumbnail.';
const thumbnailOperation = {
  tags,
  operationId: 'getThumbnail',
  summary: 'Get the thumbnail as uploaded, with its verified media type',
  parameters: [ID, ...IF_NONE_MATCH],
  responses: {
    200: {
      description: 'The image.',
      content: Object.fromEntries(IMAGE_TYPES.map((type) => [type, IMAGE])),
      headers: headers({ ETag: { description: '`"tE"`: E is the number of edits of the item.', example: '"t0"' } }),
    },
    304: NOT_MODIFIED,
    ...errorResponses(THUMBNAIL, [404], { replaced: { 404: { description: NO_THUMBNAIL, detail: NO_THUMBNAIL } } }),
  },
};

const indexStatusOperation = {
  tags,
  operationId: 'getIndexStatus',
  summary: 'Get whether the current revision of an item is searchable',
  parameters: [ID],
  responses: { 200: json('The status.', 'IndexStatus', EXAMPLE_STATUS), ...errorResponses(INDEX_STATUS, [404]) },
};

export const ITEM_PATHS = {
  '/content': { post: uploadOperation },
  [ITEM]: { get: getOperation, patch: editOperation, delete: deleteOperation },
  [THUMBNAIL]: { get: thumbnailOperation },
  [INDEX_STATUS]: { get: indexStatusOperation },
};
