import { DEFAULT_PAGE_SIZE, MAX_PAGE, MAX_SORT_KEYS, SORTABLE } from '../search/list-parameters.ts';
import { toPage } from '../search/page.ts';
import { STORABLE } from '../content/text.ts';
import type { Limits } from '../env.ts';
import { EXAMPLE_ITEM, EXAMPLE_UPLOAD } from './examples.ts';
import { header, headers, ID, IF_MATCH, IF_NONE_MATCH, INCLUDE, json, PREFER, query, ref, refusals } from './parts.ts';

const CHANGING = [503];
const TAKING_A_BODY = [400, 408, 413, 415, ...CHANGING];
const ETAG = { ETag: '`"E.N"`: E counts edits; N changes with everything else in the body, such as downloads and the creator’s name.' };

export function listOperation(limits: Limits) {
  return {
    operationId: 'listContent',
    summary: 'A page of content items, all of them or those a prompt finds',
    parameters: [...promptAndPaging(limits), sort(), ...filters(limits), INCLUDE],
    responses: {
      200: json('The page.', 'ContentPage', toPage([EXAMPLE_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 })),
      ...refusals([400]),
    },
  };
}

function promptAndPaging(limits: Limits) {
  return [
    query(
      'prompt',
      { type: 'string', maxLength: limits.PROMPT_MAX_CHARACTERS, pattern: STORABLE, default: '' },
      'Matched against name, tags, description and creator name, in that order of weight. Word forms, accents and small typing errors are forgiven, the last word may be unfinished, "quoted phrases" must occur as they are, -word excludes.',
      'lighthouse',
    ),
    query('page', { type: 'integer', minimum: 0, maximum: MAX_PAGE, default: 0 }, 'Zero-based.'),
    query('size', { type: 'integer', minimum: 1, maximum: limits.PAGE_MAX_SIZE, default: DEFAULT_PAGE_SIZE }, 'Items of a page.'),
  ];
}

function sort() {
  const pattern = `^(${SORTABLE.join('|')})(,([aA][sS][cC]|[dD][eE][sS][cC]))?$`;
  const schema = { type: 'array', maxItems: MAX_SORT_KEYS, default: ['createdAt,desc'], items: { type: 'string', pattern } };
  const description =
    '`field`, `field,asc` or `field,desc`; repeat it for further keys. Ascending unless said otherwise, `relevance` descending.';
  return { ...query('sort', schema, description), style: 'form', explode: true };
}

function filters(limits: Limits) {
  const tags = {
    type: 'array',
    maxItems: limits.TAGS_MAX,
    items: { type: 'string', maxLength: limits.TAG_MAX_CHARACTERS, pattern: STORABLE },
  };
  return [
    {
      ...query('tags', tags, 'Only items with this tag, exactly; repeat it for further tags, all of which must match.'),
      style: 'form',
      explode: true,
    },
    query('creatorId', { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'Only items of this user.'),
    query(
      'minRating',
      { type: 'number', minimum: 0, maximum: 5 },
      'Only items rated so well on average. In decimal notation, without an exponent.',
    ),
  ];
}

export function getOperation() {
  return {
    operationId: 'getContent',
    summary: 'One content item',
    parameters: [ID, INCLUDE, IF_NONE_MATCH],
    responses: {
      200: { ...json('The item.', 'ContentItem', EXAMPLE_ITEM), headers: headers(ETAG) },
      304: { description: 'The item is as it is known.' },
      ...refusals([400, 404]),
    },
  };
}

export function uploadOperation() {
  return {
    operationId: 'uploadContent',
    summary: 'Upload a content item; it becomes searchable within moments',
    parameters: [
      header('Idempotency-Key', 'The same key and upload again give the first answer; kept for 24 hours.', '6f1c2a30-upload', {
        maxLength: 255,
        pattern: '^[!-~]*$',
      }),
      PREFER,
    ],
    requestBody: { required: true, content: { 'application/json': { schema: ref('Upload'), example: EXAMPLE_UPLOAD } } },
    responses: {
      201: { ...json('Stored.', 'Uploaded'), headers: headers({ Location: 'Where the item can be read.' }) },
      ...refusals([...TAKING_A_BODY, 422], 'No valid token, the user does not exist, or creatorId is somebody else.'),
    },
  };
}

export function editOperation() {
  return {
    operationId: 'editContent',
    summary: 'Change parts of an item: a JSON merge patch (RFC 7396)',
    parameters: [ID, IF_MATCH, PREFER],
    requestBody: {
      required: true,
      content: { 'application/merge-patch+json': { schema: ref('Edit'), example: { name: 'Lighthouse at dawn', tags: null } } },
    },
    responses: {
      200: { ...json('The item as it is now.', 'ContentItem', EXAMPLE_ITEM), headers: headers(ETAG) },
      ...refusals([...TAKING_A_BODY, 404, 412], 'No valid token, or the item is somebody else’s.'),
    },
  };
}

export function deleteOperation() {
  return {
    operationId: 'deleteContent',
    summary: 'Delete an item, at once and for good',
    parameters: [ID, IF_MATCH, PREFER],
    responses: {
      204: { description: 'Deleted.' },
      ...refusals([...CHANGING, 404, 412], 'No valid token, or the item is somebody else’s.'),
    },
  };
}

export function rateOperation() {
  return {
    operationId: 'rateContent',
    summary: 'Rate an item; a user’s second rating replaces the first',
    parameters: [ID],
    requestBody: { required: true, content: { 'application/json': { schema: ref('Rating'), example: { score: 5 } } } },
    responses: { 204: { description: 'Rated.' }, ...refusals([...TAKING_A_BODY, 404], 'No valid token, or the user does not exist.') },
  };
}

export function unrateOperation() {
  return {
    operationId: 'unrateContent',
    summary: 'Take one’s rating back',
    parameters: [ID],
    responses: {
      204: { description: 'There is no rating of this user now.' },
      ...refusals([...CHANGING, 404], 'No valid token, or the user does not exist.'),
    },
  };
}

export function downloadOperation() {
  return {
    operationId: 'countDownload',
    summary: 'Count one download',
    parameters: [ID],
    responses: { 204: { description: 'Counted.' }, ...refusals([...CHANGING, 404]) },
  };
}

export function thumbnailOperation() {
  const image = { schema: { type: 'string', contentMediaType: 'image/*' } };
  const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
  return {
    operationId: 'getThumbnail',
    summary: 'The thumbnail as it was uploaded, with its verified type',
    parameters: [ID, IF_NONE_MATCH],
    responses: {
      200: {
        description: 'The image.',
        content: Object.fromEntries(types.map((type) => [type, image])),
        headers: headers({ ETag: '`"tE"`: E counts edits of the item.' }),
      },
      304: { description: 'The image is as it is known.' },
      ...refusals([404]),
    },
  };
}

export function indexStatusOperation() {
  return {
    operationId: 'getIndexStatus',
    summary: 'Whether the item can be searched as it is now',
    parameters: [ID],
    responses: {
      200: json('The status.', 'IndexStatus', { contentId: 42, revision: 1, status: 'indexed' }),
      ...refusals([404]),
    },
  };
}
