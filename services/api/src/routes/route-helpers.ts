import type { RouterContext } from '@koa/router';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/stores/postgres';
import { parseContentId } from '../content/get-content.ts';
import type { IndexWaiters } from '../indexing/wait-until-indexed.ts';
import type { ChangeRequest } from '../content/lock-content.ts';
import { preferredWait } from '../http/prefer.ts';
import type { SearchDeps } from '../search/search-content.ts';
import type { SearchClient } from '../searched-index/request-search.ts';
import type { Limits } from '../env.ts';
import type { State } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { TokenUsers } from '../users/token-users.ts';

export type ContentDeps = SearchDeps & {
  database: Database;
  limits: Limits;
  traffic: Traffic;
  indexWaiters: IndexWaiters;
  wakeRelay: () => void;
  tokenUsers: TokenUsers;
};

type ContentContext = RouterContext<State>;

/** @throws Problem 404 */
export function contentIdOf(ctx: ContentContext): number {
  return parseContentId(ctx.params['id'] ?? '');
}

export function changeRequest(ctx: ContentContext): ChangeRequest {
  return { contentId: contentIdOf(ctx), user: ctx.state.user, ifMatch: ctx.get('if-match') };
}

/** Runs a search of the user, and releases the bytes of its responses when it has ended. */
export async function searchFor<T>(
  { traffic }: ContentDeps,
  ctx: ContentContext,
  search: (client: SearchClient) => Promise<T>,
): Promise<T> {
  const { user, disconnected } = ctx.state;
  const reservation = traffic.lists.reserve(user.limitKey);
  const startDeepPage = () => traffic.deepPages.start(user.limitKey);
  return search({ reservation, startDeepPage, disconnected }).finally(reservation.release);
}

/** With `Prefer: wait` (RFC 7240), waits until the change is indexed, without holding body memory or a slot. */
export async function wakeRelayAndWait(deps: ContentDeps, ctx: ContentContext, change: ItemRevision): Promise<void> {
  const { wakeRelay, indexWaiters } = deps;
  wakeRelay();
  const seconds = preferredWait(ctx.get('prefer'));
  if (seconds === undefined) return;
  ctx.state.releaseBody();
  ctx.state.releaseSlot();
  const { user, disconnected } = ctx.state;
  const waited = await indexWaiters.wait(change, { timeoutMs: seconds * 1_000, userId: user.limitKey, signal: disconnected });
  if (waited) ctx.set('Preference-Applied', `wait=${seconds}`);
}
