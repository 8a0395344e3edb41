import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { pausedSince } from './pause.ts';
import { findTarget } from '../targets.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { IndexDeps } from './indices.ts';
import type { Progress } from './fill.ts';
import { purgeSlices } from '../purge/purge.ts';
import { ensureIndex } from './rebuild.ts';

const CHECK_EVERY_MS = 2_000;
const PURGE_EVERY_MS = 3_600_000;
const PURGE_AT_A_TIME_MS = 10_000;
const LOG_PROGRESS_EVERY = 10_000;

/**
 * Sees to it, at start and from then on, that the index that is searched exists: a lost Elasticsearch volume heals itself. Once an
 * hour it removes what nobody needs any more. While indexing is paused it does nothing.
 * @param onTurn called after each look, and after each step of filling an index or of a purge
 */
export function maintainIndex(deps: Omit<IndexDeps, 'signal'>, onTurn = (): void => undefined): { stop(): Promise<void> } {
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
  const purge = purgeInTurns(deps, onProgress);
  return async () => {
    if (await pausedSince(deps.database)) return;
    const log = logProgress(deps);
    await ensureIndex(deps, (...progress) => {
      onProgress();
      log(...progress);
    });
    toldOf = await tellOfOtherMapping(deps, toldOf);
    await purge();
  };
}

/** A purge that takes long goes on with the next turn, so that an index that is lost meanwhile does not wait for its end. */
function purgeInTurns(deps: IndexDeps, onSlice: () => void): () => Promise<void> {
  let slices: ReturnType<typeof purgeSlices> | undefined;
  let nextAt = -Infinity;
  return async () => {
    if (!slices && performance.now() < nextAt) return;
    slices ??= purgeSlices(deps);
    if (!(await purgeForAWhile(deps, slices, onSlice))) return;
    slices = undefined;
    nextAt = performance.now() + PURGE_EVERY_MS;
  };
}

/** @returns whether the purge has ended */
async function purgeForAWhile({ log, signal }: IndexDeps, slices: ReturnType<typeof purgeSlices>, onSlice: () => void): Promise<boolean> {
  const untilMs = performance.now() + PURGE_AT_A_TIME_MS;
  try {
    while (performance.now() < untilMs) {
      if ((await slices.next()).done) return true;
      onSlice();
    }
    return false;
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'the purge stopped early; it is tried again in an hour');
    return true;
  }
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
