import { setTimeout as delay } from 'node:timers/promises';
import type { Progress, RebuildDeps } from './fill-index.ts';
import { purge } from './purge.ts';
import { ensureIndex } from './rebuild.ts';

const CHECK_EVERY_MS = 2_000;
const PURGE_EVERY_MS = 3_600_000;
const LOG_PROGRESS_EVERY = 10_000;

/**
 * Sees to it, at start and from then on, that the index that is searched exists: a lost Elasticsearch volume heals itself. Once an
 * hour it removes what nobody needs any more.
 */
export function keepIndex(deps: Omit<RebuildDeps, 'signal'>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const done = run({ ...deps, signal: stopping.signal });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await done;
  };
  return { stop };
}

async function run(deps: RebuildDeps): Promise<void> {
  const { signal, log } = deps;
  let purgeAt = 0;
  while (!signal.aborted) {
    await ensureIndex(deps, logProgress(deps)).catch((err: unknown) => {
      if (!signal.aborted) log.error({ err }, 'there is no complete index to search yet');
    });
    if (Date.now() > purgeAt) {
      await purge(deps).catch((err: unknown) => log.warn({ err }, 'nothing could be purged this time'));
      purgeAt = Date.now() + PURGE_EVERY_MS;
    }
    await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function logProgress({ log }: RebuildDeps): Progress {
  let next = LOG_PROGRESS_EVERY;
  return (done, total) => {
    if (done < next) return;
    next = done + LOG_PROGRESS_EVERY;
    log.info({ done, total }, 'filling the index');
  };
}
