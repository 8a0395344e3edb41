import { countPendingSince, latestPendingSince } from '@ugc/shared/outbox/backlog';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './target-indices.ts';
import type { Progress } from './fill.ts';

const POLL_EVERY_MS = 200;

/**
 * Waits until all changes that are pending now are acknowledged: the searched index may hold changes, from the time of
 * the swap, that the previous index lacks. Isolated items are left out because they may never be acknowledged; the swap
 * compares them itself.
 */
export async function waitUntilAcknowledged({ database, signal }: IndexDeps, progress: Progress): Promise<void> {
  const latest = await latestPendingSince(database);
  const total = await countPendingSince(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingSince(database, latest)) {
    progress('Waiting for pending changes', total - waiting, total);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}
