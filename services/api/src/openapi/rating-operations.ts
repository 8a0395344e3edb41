import { errorResponses } from './errors.ts';
import { BODY_ERRORS, OF_BODY, WRITE_ERRORS } from './item-operations.ts';
import { ID, jsonBody } from './parts.ts';

export const RATINGS = {
  name: 'Ratings and downloads',
  description: 'Lists show changed ratings and download counts after about seven seconds.',
};

const tags = [RATINGS.name];
const RATING = '/api/content/{id}/rating';
const DOWNLOADS = '/api/content/{id}/downloads';
const NO_SUCH_USER = { 403: { description: 'There is no valid token, or the user does not exist.' } };

const rateOperation = {
  tags,
  operationId: 'rateContent',
  summary: 'Rate an item, replacing an earlier rating by the same user',
  parameters: [ID],
  requestBody: jsonBody('Rating', { score: 5 }),
  responses: {
    204: { description: 'The rating is stored.' },
    ...errorResponses(RATING, [...BODY_ERRORS, 404], {
      invalid: { pointer: '#/score', detail: 'must be at most 5' },
      replaced: { ...OF_BODY.replaced, ...NO_SUCH_USER },
    }),
  },
};

const unrateOperation = {
  tags,
  operationId: 'unrateContent',
  summary: 'Remove the rating of the user',
  parameters: [ID],
  responses: {
    204: { description: 'The item has no rating by this user.' },
    ...errorResponses(RATING, [...WRITE_ERRORS, 404], { replaced: NO_SUCH_USER }),
  },
};

const downloadOperation = {
  tags,
  operationId: 'countDownload',
  summary: 'Count a download',
  parameters: [ID],
  responses: { 204: { description: 'The download is counted.' }, ...errorResponses(DOWNLOADS, [...WRITE_ERRORS, 404]) },
};

export const RATING_PATHS = {
  [RATING]: { put: rateOperation, delete: unrateOperation },
  [DOWNLOADS]: { post: downloadOperation },
};
