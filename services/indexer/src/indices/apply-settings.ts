import { settingsForSearch } from '@ugc/shared/contracts/index-settings';
import type { IndexTarget } from '@ugc/shared/indices/targets';
import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from './fill.ts';
import type { LockedDeps } from './target-indices.ts';

const POLL_EVERY_MS = 200;

/**
 * Applies what the fill did without. Waits until the replicas are copied for which there is a node. Others stay
 * unassigned, and do not hold up the swap.
 */
export async function applySettings(deps: LockedDeps, { indexName }: IndexTarget, progress: Progress): Promise<void> {
  const { elasticsearch, settings, lock, signal } = deps;
  await lock.assertHeld();
  await elasticsearch.indices.putSettings({ index: indexName, settings: settingsForSearch(settings) });
  for (;;) {
    const { active_shards: active, initializing_shards: initializing } = await elasticsearch.cluster.health({ index: indexName });
    if (initializing === 0) return;
    progress('Adding replicas', active, active + initializing);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}
