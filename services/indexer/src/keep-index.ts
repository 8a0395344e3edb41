import { MAPPING_VERSION } from '@ugc/shared/content-index';
import { pausedSince } from '@ugc/shared/index-pause';
import { findTarget } from '@ugc/shared/index-target';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './concrete-index.ts';
import type { Progress } from './fill-index.ts';
import { purge } from './purge.ts';
import { ensureIndex } from './rebuild.ts';

const CHECK_EVERY_MS = 2_000;
const PURGE_EVERY_MS = 3_600_000;
const LOG_PROGRESS_EVERY = 10_000;

/**
 * Sees to it, at start and from then on, that the index that is searched exists: a lost Elasticsearch volume heals itself. Once an
 * hour it removes what nobody needs any more. While indexing is paused it does nothing.
 */
export function keepIndex(deps: Omit<IndexDeps, 'signal'>, onTurn = (): void => undefined): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const done = run({ ...deps, signal: stopping.signal }, onTurn);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await done;
  };
  return { stop };
}

async function run(deps: IndexDeps, onTurn: () => void): Promise<void> {
  const { signal, log } = deps;
  const look = lookAfter(deps, onTurn);
  while (!signal.aborted) {
    await look().catch((err: unknown) => {
      if (!signal.aborted) log.error({ err }, 'there is no complete index to search yet');
    });
    onTurn();
    await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function lookAfter(deps: IndexDeps, onProgress: () => void): () => Promise<void> {
  let toldOf = '';
  let purgeAt = 0;
  return async () => {
    if (await pausedSince(deps.database)) return;
    const log = logProgress(deps);
    await ensureIndex(deps, (...progress) => {
      onProgress();
      log(...progress);
    });
    toldOf = await tellOfOtherMapping(deps, toldOf);
    if (Date.now() < purgeAt) return;
    purgeAt = Date.now() + PURGE_EVERY_MS;
    await purge(deps).catch((err: unknown) => deps.log.warn({ err }, 'nothing could be purged this time'));
  };
}

/** A mapping changes by a rebuild that a person starts. Said once for each index. */
async function tellOfOtherMapping({ database, log }: IndexDeps, toldOf: string): Promise<string> {
  const search = await findTarget(database, 'search');
  if (!search || search.mappingVersion === MAPPING_VERSION || search.indexName === toldOf) return toldOf;
  const { indexName: index, mappingVersion: indexHas } = search;
  log.warn({ index, indexHas, codeHas: MAPPING_VERSION }, "the searched index has not this code's mapping: run npx pnpm index:rebuild");
  return index;
}

function logProgress({ log }: IndexDeps): Progress {
  let next = LOG_PROGRESS_EVERY;
  return (phase, done, total) => {
    if (done < next) return;
    next = done + LOG_PROGRESS_EVERY;
    log.info({ phase, done, total }, 'making an index');
  };
}
