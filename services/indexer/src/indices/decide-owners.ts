import { inspectIndices } from '@ugc/shared/ownership/inspect-indices';
import { GONE_AFTER_MS } from '@ugc/shared/ownership/owner-watch';
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from './fill.ts';
import type { IndexDeps } from './target-indices.ts';

const LOOK_EVERY_MS = 1_000;

/** A command has not watched the owners of the indices before. Usually the owner is this database: no wait. */
export async function decideOwners(deps: IndexDeps, progress: Progress): Promise<void> {
  const startedAtMs = performance.now();
  for (;;) {
    const { targets } = await inspectIndices(deps);
    if (!targets.some(({ ofAlias, verdict }) => ofAlias && verdict === 'undecided')) return;
    const seconds = Math.floor((performance.now() - startedAtMs) / 1_000);
    progress('Watching whether the owner of the indices runs (s)', seconds, Math.max(seconds, GONE_AFTER_MS / 1_000));
    await delay(LOOK_EVERY_MS, undefined, { signal: deps.signal });
  }
}
