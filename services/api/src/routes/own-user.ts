import type Router from '@koa/router';
import { Problem } from '../http/problem.ts';
import type { State } from '../state.ts';
import { getOwnUser } from '../users/own-user.ts';
import { unknownUser } from '../users/token-users.ts';
import type { ContentDeps } from './route-helpers.ts';

export const OWN_USER_PATH = '/api/users/me';

/** A client of an identity provider learns here which `creatorId` its uploads must have. */
export function ownUserRoutes(router: Router<State>, { database, tokenUsers }: ContentDeps): void {
  router.get(OWN_USER_PATH, async (ctx) => {
    ctx.body = await getOwnUser(database, await tokenUsers.find(ctx.state.user));
  });

  router.put(OWN_USER_PATH, async (ctx) => {
    ctx.body = await getOwnUser(database, await tokenUsers.require(ctx.state.user)).catch(forbidUnknown);
  });
}

// The id in a token may be that of no user, which is 403 for a write.
function forbidUnknown(error: unknown): never {
  throw error instanceof Problem && error.status === 404 ? unknownUser() : error;
}
