import { asksVisibility } from '@ugc/items/changes/visibility';
import type { AuthenticatedUser } from '@ugc/items/account';
import type { Asked } from '@ugc/items/fields/visibility-fields';
import { tryAgain, type Problem } from '@ugc/items/problems/problem';
import type { EndpointDeps } from './endpoint.ts';

const RETRY_AFTER_SECONDS = 30;

export function upgradeUnfinished(): Problem {
  return tryAgain(
    503,
    'upgrade-unfinished',
    'A process of release 1.0.0 is still connected, so visibility and publishAt are not accepted yet. Without them, the request is.',
    RETRY_AFTER_SECONDS,
  );
}

/** Whether what the user publishes needs no review. */
export function mayPublish({ newItems }: Pick<EndpointDeps, 'newItems'>, user: AuthenticatedUser): boolean {
  return newItems === 'public' || user.mayPublish;
}

/** What the token, and the creator of the item, need to publish by an edit. */
export function publishingRights(deps: Pick<EndpointDeps, 'newItems' | 'blockedUsers'>, user: AuthenticatedUser) {
  const assertMayWrite = (creator: { userId: number }): Promise<void> => deps.blockedUsers.assertMayWrite(creator);
  return { mayPublish: mayPublish(deps, user), assertMayWrite };
}

/** A process of 1.0.0 would export a draft as a public item, and accept one as a public one. @throws Problem 503 */
export async function assertVisibilityIsKnown(
  { seesEarlierProcess }: Pick<EndpointDeps, 'seesEarlierProcess'>,
  asked: Asked,
): Promise<void> {
  if (asksVisibility(asked) && (await seesEarlierProcess())) throw upgradeUnfinished();
}
