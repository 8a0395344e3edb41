import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { Liveness } from '@ugc/shared/process/liveness';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import type { Redis } from 'ioredis';
import { onBulkAnswer } from '../documents/bulk-metrics.ts';

export type WatchDeps = {
  database: Database;
  elasticsearch: Elasticsearch;
  /** Not the worker's connection: that may be what is broken. */
  redis: Redis;
  queue: IndexQueue;
};
export type WatchOptions = { checkEveryMs?: number; workStuckAfterMs?: number };

const ANSWER_WITHIN_MS = 1_000;
/** Jobs prove life when they end and with each bulk request, which is given up after 30 s. */
const WORK_WEDGED_AFTER_MS = 60_000;
/** A turn of keep-index is a dozen requests of up to 30 s each; a fill proves life with each batch and repetition, a purge with each slice. */
const KEEPING_WEDGED_AFTER_MS = 400_000;

export type ProgressWatch = {
  jobStarted(): void;
  jobEnded(): void;
  indexMaintained(): void;
  isLive(): boolean;
  start(): void;
  stop(): void;
};

/** Whether the indexer does what it could: jobs while some wait, and turns of keep-index; both only while all stores answer. */
export function watchProgress(
  deps: WatchDeps,
  { checkEveryMs = 5_000, workStuckAfterMs = WORK_WEDGED_AFTER_MS }: WatchOptions = {},
): ProgressWatch {
  let running = 0;
  const stores = cached(checkEveryMs / 2, () => storesRespond(deps));
  const canWork = async (): Promise<boolean> => (await stores()) && (running > 0 || (await jobsWait(deps)));
  const work = new Liveness({ stuckAfterMs: workStuckAfterMs, checkEveryMs: checkEveryMs, canProgress: canWork });
  const keeping = new Liveness({ stuckAfterMs: KEEPING_WEDGED_AFTER_MS, checkEveryMs: checkEveryMs, canProgress: stores });
  const both = [work, keeping];
  onBulkAnswer(deps.elasticsearch, () => {
    if (running > 0) work.progressed();
  });
  return {
    jobStarted: () => void running++,
    jobEnded: () => {
      running--;
      work.progressed();
    },
    indexMaintained: () => keeping.progressed(),
    isLive: () => both.every((liveness) => liveness.isLive()),
    start: () => both.forEach((liveness) => liveness.start()),
    stop: () => both.forEach((liveness) => liveness.stop()),
  };
}

async function storesRespond({ database, elasticsearch, redis, queue }: WatchDeps): Promise<boolean> {
  const answers = await Promise.all([
    withTimeout(ANSWER_WITHIN_MS, database.query('select 1')),
    withTimeout(ANSWER_WITHIN_MS, elasticsearch.cluster.health()),
    // Written, since one that is full or a replica answers everything else.
    withTimeout(ANSWER_WITHIN_MS, redis.set(queue.toKey('watch'), '', 'PX', ANSWER_WITHIN_MS)),
  ]);
  return answers.every((answer) => answer !== undefined);
}

async function jobsWait({ queue }: WatchDeps): Promise<boolean> {
  const [waiting, paused] = await Promise.all([
    withTimeout(ANSWER_WITHIN_MS, queue.getWaitingCount()),
    withTimeout(ANSWER_WITHIN_MS, queue.isPaused()),
  ]);
  return (waiting ?? 0) > 0 && paused === false;
}
