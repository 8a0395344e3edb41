import type { RouterContext } from '@koa/router';
import type { Changed } from '@ugc/shared/outbox';
import type { Database } from '@ugc/shared/postgres';
import { parseContentId } from '../content/get-content.ts';
import type { IndexWatch } from '../content/index-watch.ts';
import type { ChangeRequest } from '../content/lock-content.ts';
import { preferredWait } from '../content/prefer.ts';
import type { SearchDeps } from '../content/search-content.ts';
import type { Limits } from '../env.ts';
import type { State } from '../state.ts';
import type { Traffic } from '../traffic/traffic.ts';

export type ContentDeps = SearchDeps & {
  database: Database;
  limits: Limits;
  traffic: Traffic;
  indexWatch: IndexWatch;
  /** A hint to the relay that there is something to do; never waited for. */
  wakeRelay: () => void;
};

export type ContentContext = RouterContext<State>;

/** @throws Problem 404 */
export function contentIdOf(ctx: ContentContext): number {
  return parseContentId(ctx.params['id'] ?? '');
}

export function changeRequest(ctx: ContentContext): ChangeRequest {
  return { contentId: contentIdOf(ctx), caller: ctx.state.caller, ifMatch: ctx.get('if-match') };
}

/** Rings for the relay, and waits for the index if the caller would like that. */
export async function afterChange({ wakeRelay, indexWatch }: ContentDeps, ctx: ContentContext, change: Changed): Promise<void> {
  wakeRelay();
  const seconds = preferredWait(ctx.get('prefer'));
  if (seconds === undefined) return;
  ctx.state.bodyDone();
  ctx.state.releaseSlot();
  const { caller, callerGone } = ctx.state;
  const waited = await indexWatch.wait(change, { timeoutMs: seconds * 1_000, userId: caller.userId, signal: callerGone });
  if (waited) ctx.set('Preference-Applied', `wait=${seconds}`);
}
