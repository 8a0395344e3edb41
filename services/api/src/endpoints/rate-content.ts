import { rateContent as rate, Rating } from '../content/rate-content.ts';
import { invalidToken } from '../http/problem.ts';
import { endpoint, type Call, type Endpoint, type EndpointDeps } from './endpoint.ts';
import { RATINGS_TAG } from './examples.ts';

const SHARED = { path: '/api/content/{id}/rating', cost: 'write', tag: RATINGS_TAG } as const;
const ERRORS = [{ problem: invalidToken(), description: 'There is no valid token, or the user does not exist.' }];

export function rateContent(): Endpoint {
  return endpoint({
    ...SHARED,
    method: 'put',
    operationId: 'rateContent',
    summary: 'Rate an item, replacing an earlier rating by the same user',
    body: { schema: Rating, example: { score: 5 }, invalid: { score: 6 } },
    responses: { 204: { description: 'The rating is stored.' } },
    errors: ERRORS,
    async handle(deps, call) {
      const { contentId } = call;
      const { score } = await call.body();
      await store(deps, call, contentId, score);
    },
  });
}

export function unrateContent(): Endpoint {
  return endpoint({
    ...SHARED,
    method: 'delete',
    operationId: 'unrateContent',
    summary: 'Remove the rating of the user',
    responses: { 204: { description: 'The item has no rating by this user.' } },
    errors: ERRORS,
    handle: (deps, call) => store(deps, call, call.contentId, undefined),
  });
}

async function store(
  { database, tokenUsers, perItemQueue }: EndpointDeps,
  { ctx, user }: Call<unknown, unknown>,
  contentId: number,
  score: number | undefined,
): Promise<void> {
  const userId = await tokenUsers.require(user);
  await perItemQueue.run(contentId, () => rate(database, contentId, userId, score));
  ctx.status = 204;
}
