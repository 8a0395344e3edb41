import { withTimeout, storeTimeout } from '@ugc/shared/timing/timeouts';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { Liveness } from '@ugc/shared/process/lifecycle';
import type { Database } from '@ugc/shared/postgres/postgres';
import { cached } from '@ugc/shared/timing/intervals';
import type { RedisCheck } from '@ugc/shared/redis/check';
import { onBulkResponse } from '../documents/bulk.ts';

/** The connection of `redisCheck` is not the worker's, which may be the broken one. */
type WatchDeps = { database: Database; elasticsearch: Elasticsearch; redisCheck: Pick<RedisCheck, 'run'>; queue: IndexQueue };
type WatchOptions = { checkEveryMs?: number; jobsStuckAfterMs?: number };

const STORE_TIMEOUT_MS = 1_000;
/** Jobs report progress when they end and after each bulk request, which times out after 30 s. */
const JOBS_STUCK_AFTER_MS = storeTimeout(60_000);
/** A pass of maintain-index.ts sends a dozen requests of up to 30 s. Every batch and every slice count as progress. */
const MAINTENANCE_STUCK_AFTER_MS = storeTimeout(400_000);

export type ProgressWatch = ReturnType<typeof watchProgress>;

/** Watches two activities while all stores respond: jobs that wait or run, and the maintenance of indices. */
export function watchProgress(deps: WatchDeps, { checkEveryMs = 5_000, jobsStuckAfterMs = JOBS_STUCK_AFTER_MS }: WatchOptions = {}) {
  let running = 0;
  const storesUp = cached(checkEveryMs / 2, () => storesRespond(deps));
  const canRunJobs = async (): Promise<boolean> => (await storesUp()) && (running > 0 || (await jobsWait(deps)));
  const jobs = new Liveness({ stuckAfterMs: jobsStuckAfterMs, checkEveryMs, canProgress: canRunJobs });
  const maintenance = new Liveness({ stuckAfterMs: MAINTENANCE_STUCK_AFTER_MS, checkEveryMs, canProgress: storesUp });
  const both = [jobs, maintenance];
  onBulkResponse(deps.elasticsearch, () => {
    if (running > 0) jobs.progressed();
  });
  return {
    jobStarted: () => void running++,
    jobEnded: () => {
      running--;
      jobs.progressed();
    },
    indexMaintained: () => maintenance.progressed(),
    isLive: () => both.every((liveness) => liveness.isLive()),
    start: () => both.forEach((liveness) => liveness.start()),
    stop: () => both.forEach((liveness) => liveness.stop()),
  };
}

async function storesRespond({ database, elasticsearch, redisCheck }: WatchDeps): Promise<boolean> {
  const [rows, health, problems] = await Promise.all([
    withTimeout(STORE_TIMEOUT_MS, database.query('select 1')),
    withTimeout(STORE_TIMEOUT_MS, elasticsearch.cluster.health()),
    // It also writes, because a full Redis and a replica still respond to reads.
    withTimeout(STORE_TIMEOUT_MS, redisCheck.run()),
  ]);
  return rows !== undefined && health !== undefined && problems?.length === 0;
}

async function jobsWait({ queue }: WatchDeps): Promise<boolean> {
  const [waiting, paused] = await Promise.all([
    withTimeout(STORE_TIMEOUT_MS, queue.getJobCountByTypes('wait', 'prioritized')),
    withTimeout(STORE_TIMEOUT_MS, queue.isPaused()),
  ]);
  return (waiting ?? 0) > 0 && paused === false;
}
