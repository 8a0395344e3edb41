import type { RouterContext } from '@koa/router';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/stores/postgres';
import { parseContentId } from '../content/get-content.ts';
import type { IndexWaiters } from '../content/wait-until-indexed.ts';
import type { ChangeRequest } from '../content/lock-content.ts';
import { preferredWait } from '../http/prefer.ts';
import type { SearchDeps } from '../search/search-content.ts';
import type { Limits } from '../env.ts';
import type { State } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';

export type ContentDeps = SearchDeps & {
  database: Database;
  limits: Limits;
  traffic: Traffic;
  indexWaiters: IndexWaiters;
  wakeRelay: () => void;
};

type ContentContext = RouterContext<State>;

/** @throws Problem 404 */
export function contentIdOf(ctx: ContentContext): number {
  return parseContentId(ctx.params['id'] ?? '');
}

export function changeRequest(ctx: ContentContext): ChangeRequest {
  return { contentId: contentIdOf(ctx), user: ctx.state.user, ifMatch: ctx.get('if-match') };
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
  const waited = await indexWaiters.wait(change, { timeoutMs: seconds * 1_000, userId: user.userId, signal: disconnected });
  if (waited) ctx.set('Preference-Applied', `wait=${seconds}`);
}
