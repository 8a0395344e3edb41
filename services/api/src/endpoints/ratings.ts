import {
  countDownload as count,
  mayBeLiked,
  OwnRating,
  rateContent as rate,
  Rating,
  ratingOfOwnItem,
  readRating,
} from '@ugc/items/changes/ratings';
import { SMALL_BODY_MAX_BYTES } from '../http/body.ts';
import { noSuchUser, Problem } from '@ugc/items/problems/problem';
import { KeyParameters } from '../search/parameters.ts';
import { endpoint, type Call, type EndpointDeps } from './endpoint.ts';

const PATH = '/api/content/{id}/rating';
const RATED = { path: PATH, cost: 'write', query: KeyParameters } as const;

function getRating() {
  return endpoint({
    path: PATH,
    method: 'get',
    cost: 'read',
    summary: "Get the user's own rating of an item",
    query: KeyParameters,
    responses: { 200: { description: 'The rating; `score` is null without one.', schema: OwnRating, example: { score: 5 } } },
    async handle({ database, tokenUsers }, { ctx, user, contentId, query: { key } }) {
      ctx.body = await readRating(database, { contentId, key }, await tokenUsers.find(user));
    },
  });
}

function rateContent() {
  return endpoint({
    ...RATED,
    method: 'put',
    summary: 'Rate an item, replacing an earlier rating by the same user',
    body: { schema: Rating, maxBytes: SMALL_BODY_MAX_BYTES, example: { score: 5 }, invalid: { score: 6 } },
    responses: { 204: { description: 'The rating is stored.' } },
    errors: [noSuchUser(1), ratingOfOwnItem()],
    handle: async (deps, call) => store(deps, call, (await call.body()).score),
  });
}

function unrateContent() {
  return endpoint({
    ...RATED,
    method: 'delete',
    summary: 'Remove the rating of the user',
    responses: { 204: { description: 'The item has no rating by this user.' } },
    errors: [noSuchUser(1)],
    handle: (deps, call) => store(deps, call),
  });
}

type RatingCall = Pick<Call<{ key?: string | undefined }, unknown>, 'ctx' | 'user' | 'contentId' | 'query'>;

async function store(deps: EndpointDeps, { ctx, user, contentId, query: { key } }: RatingCall, score?: number) {
  const { database, tokenUsers, perItemQueue, eventsOfDay } = deps;
  const request = { contentId, key, userId: await tokenUsers.require(user), score };
  // Redis is asked before, so that no rating of another user waits for it.
  const isLiked = await mayBeLiked(database, request);
  const { weight } = isLiked ? await eventsOfDay.count(user.limitKey, contentId, 'liked') : NOTHING;
  await perItemQueue.run(contentId, () => rate(database, { ...request, weight }));
  ctx.status = 204;
}

const NOTHING = { weight: 0 };

function countDownload() {
  return endpoint({
    method: 'post',
    path: '/api/content/{id}/downloads',
    cost: 'write',
    summary: 'Count a download',
    query: KeyParameters,
    responses: { 204: { description: 'The download is counted.' } },
    async handle({ database, tokenUsers, perItemQueue, eventsOfDay }, { ctx, user, contentId, query: { key } }) {
      const userId = await tokenUsers.find(user);
      const counted = await eventsOfDay.count(user.limitKey, contentId, 'download');
      await perItemQueue
        .run(contentId, () => count(database, { contentId, key }, { userId, ...counted }))
        .catch(async (error: unknown) => {
          // What an outage has interrupted may be stored.
          if (counted.isFirst && error instanceof Problem) await eventsOfDay.forget(user.limitKey, contentId, 'download');
          throw error;
        });
      ctx.status = 204;
    },
  });
}

export const ratings = { getRating, rateContent, unrateContent, countDownload };
