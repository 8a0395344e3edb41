import { countPendingSince, latestPendingSince } from '@ugc/shared/outbox/backlog';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './indices.ts';
import type { Progress } from './fill.ts';

const LOOK_EVERY_MS = 200;

/**
 * Waits for all changes that are pending now: until then the searched index may hold some, of the moment of the swap, that the
 * previous one has not taken yet. A change whose jobs all end without an answer may never be: the swap compares those itself.
 */
export async function waitUntilAcknowledged({ database, signal }: IndexDeps, progress: Progress): Promise<void> {
  const latest = await latestPendingSince(database);
  const total = await countPendingSince(database, latest);
  for (let waiting = total; waiting > 0; waiting = await countPendingSince(database, latest)) {
    progress('Waiting for changes under way', total - waiting, total);
    await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}
