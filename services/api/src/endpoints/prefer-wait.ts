import type { ItemRevision } from '@ugc/shared/outbox/states';
import { z } from 'zod';
import { bodyBytes } from '../limits/unread-responses.ts';
import type { Call, EndpointDeps } from './endpoint.ts';

const MAX_WAIT_SECONDS = 10;

export const PREFER = {
  Prefer: z.string().meta({
    description: `\`wait=N\`: waits until lists show the change, for at most N seconds. N is at most ${MAX_WAIT_SECONDS}.`,
    example: 'wait=5',
  }),
};

export const PREFERENCE_APPLIED = {
  'Preference-Applied': { description: 'Present if lists show the change before the end of `Prefer: wait`.', example: 'wait=5' },
};

/** @returns the seconds of `wait` (RFC 7240, section 4.3); preferences that are not valid are ignored (section 2) */
export function preferredWait(prefer: string): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?=$|[,;])/i.exec(prefer);
  return match?.[1] === undefined ? undefined : Math.min(Number(match[1]), MAX_WAIT_SECONDS);
}

/**
 * With `Prefer: wait` (RFC 7240), waits until lists show the change, without holding body memory or a slot. The response is
 * made before, and is all that the request keeps in memory: it counts as unread. Without room for it, it is sent at once.
 * @param change `isPending`: whether lists are to change at all
 */
export async function wakeRelayAndWait(
  deps: EndpointDeps,
  call: Pick<Call<unknown, unknown>, 'ctx' | 'user' | 'granted'>,
  { isPending = true, ...change }: ItemRevision & { isPending?: boolean },
): Promise<void> {
  const { wakeRelay, indexWaiters, traffic } = deps;
  const { ctx, granted, user } = call;
  if (!isPending) return;
  wakeRelay();
  const seconds = preferredWait(ctx.get('prefer'));
  if (seconds === undefined) return;
  granted.release();
  const { bytes } = traffic.unread;
  const length = bodyBytes(ctx)?.length ?? 0;
  if (bytes.exceeded(user.limitKey, length)) return;
  const memory = bytes.take(user.limitKey, length);
  const wait = { timeoutMs: seconds * 1_000, userId: user.limitKey, signal: granted.disconnected };
  const isShown = await indexWaiters.wait(change, wait).finally(() => memory.release());
  if (isShown) ctx.set('Preference-Applied', `wait=${seconds}`);
}
