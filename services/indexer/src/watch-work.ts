import { answerWithin } from '@ugc/shared/answer-within';
import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import type { IndexQueue } from '@ugc/shared/index-queue';
import { Liveness } from '@ugc/shared/liveness';
import type { Database } from '@ugc/shared/postgres';
import { sharedFor } from '@ugc/shared/shared-for';
import type { Redis } from 'ioredis';
import { onBulkAnswer } from './bulk-metrics.ts';

export type WatchDeps = {
  database: Database;
  elasticsearch: Elasticsearch;
  /** Not the worker's connection: that may be what is broken. */
  redis: Redis;
  queue: IndexQueue;
};
export type WatchOptions = { lookEveryMs?: number; workWedgedAfterMs?: number };

const ANSWER_WITHIN_MS = 1_000;
/** Jobs prove life when they end and with each bulk request, which is given up after 30 s. */
const WORK_WEDGED_AFTER_MS = 60_000;
/** A turn of keep-index is a dozen requests of up to 30 s each; a fill proves life with each batch and repetition, a purge with each slice. */
const KEEPING_WEDGED_AFTER_MS = 400_000;

export type WorkWatch = {
  jobBegan(): void;
  jobEnded(): void;
  indexKept(): void;
  isLive(): boolean;
  start(): void;
  stop(): void;
};

/** Whether the indexer does what it could: jobs while some wait, and turns of keep-index; both only while all stores answer. */
export function watchWork(
  deps: WatchDeps,
  { lookEveryMs = 5_000, workWedgedAfterMs = WORK_WEDGED_AFTER_MS }: WatchOptions = {},
): WorkWatch {
  let running = 0;
  const stores = sharedFor(lookEveryMs / 2, () => storesAnswer(deps));
  const canWork = async (): Promise<boolean> => (await stores()) && (running > 0 || (await jobsWait(deps)));
  const work = new Liveness({ wedgedAfterMs: workWedgedAfterMs, lookEveryMs, canProgress: canWork });
  const keeping = new Liveness({ wedgedAfterMs: KEEPING_WEDGED_AFTER_MS, lookEveryMs, canProgress: stores });
  const both = [work, keeping];
  onBulkAnswer(deps.elasticsearch, () => {
    if (running > 0) work.proven();
  });
  return {
    jobBegan: () => void running++,
    jobEnded: () => {
      running--;
      work.proven();
    },
    indexKept: () => keeping.proven(),
    isLive: () => both.every((liveness) => liveness.isLive()),
    start: () => both.forEach((liveness) => liveness.start()),
    stop: () => both.forEach((liveness) => liveness.stop()),
  };
}

async function storesAnswer({ database, elasticsearch, redis, queue }: WatchDeps): Promise<boolean> {
  const answers = await Promise.all([
    answerWithin(ANSWER_WITHIN_MS, database.query('select 1')),
    answerWithin(ANSWER_WITHIN_MS, elasticsearch.cluster.health()),
    // Written, since one that is full or a replica answers everything else.
    answerWithin(ANSWER_WITHIN_MS, redis.set(queue.toKey('watch'), '', 'PX', ANSWER_WITHIN_MS)),
  ]);
  return answers.every((answer) => answer !== undefined);
}

async function jobsWait({ queue }: WatchDeps): Promise<boolean> {
  const [waiting, paused] = await Promise.all([
    answerWithin(ANSWER_WITHIN_MS, queue.getWaitingCount()),
    answerWithin(ANSWER_WITHIN_MS, queue.isPaused()),
  ]);
  return (waiting ?? 0) > 0 && paused === false;
}
