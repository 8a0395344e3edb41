import { countDownload as count, rateContent as rate, Rating } from '../content/ratings.ts';
import { noSuchUser } from '../http/problem.ts';
import { endpoint, type Call, type EndpointDeps } from './endpoint.ts';

const RATED = { path: '/api/content/{id}/rating', cost: 'write' } as const;
const ERRORS = [noSuchUser(1)];

function rateContent() {
  return endpoint({
    ...RATED,
    method: 'put',
    summary: 'Rate an item, replacing an earlier rating by the same user',
    body: { schema: Rating, example: { score: 5 }, invalid: { score: 6 } },
    responses: { 204: { description: 'The rating is stored.' } },
    errors: ERRORS,
    handle: async (deps, call) => store(deps, call, (await call.body()).score),
  });
}

function unrateContent() {
  return endpoint({
    ...RATED,
    method: 'delete',
    summary: 'Remove the rating of the user',
    responses: { 204: { description: 'The item has no rating by this user.' } },
    errors: ERRORS,
    handle: (deps, call) => store(deps, call),
  });
}

type RatingCall = Pick<Call<unknown, unknown>, 'ctx' | 'user' | 'contentId'>;

async function store({ database, tokenUsers, perItemQueue }: EndpointDeps, { ctx, user, contentId }: RatingCall, score?: number) {
  const userId = await tokenUsers.require(user);
  await perItemQueue.run(contentId, () => rate(database, contentId, userId, score));
  ctx.status = 204;
}

function countDownload() {
  return endpoint({
    method: 'post',
    path: '/api/content/{id}/downloads',
    cost: 'write',
    summary: 'Count a download',
    responses: { 204: { description: 'The download is counted.' } },
    async handle({ database, perItemQueue }, { ctx, contentId }) {
      await perItemQueue.run(contentId, () => count(database, contentId));
      ctx.status = 204;
    },
  });
}

export const ratings = { rateContent, unrateContent, countDownload };
