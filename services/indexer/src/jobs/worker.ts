import { INDEX_QUEUE, IndexJob, type IndexJob as IndexJobData } from '@ugc/shared/contracts/index-queue';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import type { Ownership } from '@ugc/shared/ownership/ownership';
import type { Database } from '@ugc/shared/postgres/postgres';
import { DelayedError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { Backoff } from '../documents/backoff.ts';
import { ForeignJobs } from './foreign-jobs.ts';
import { indexContent, type JobReport } from './index-content.ts';
import type { IndexerMetrics } from '../metrics.ts';
import type { OnAhead } from '../conflicts/resolve-conflicts.ts';
import type { ProgressWatch } from './progress-watch.ts';

type WorkerDeps = {
  database: Database;
  elasticsearch: Elasticsearch;
  ownership: Ownership;
  redis: Redis;
  log: Log;
  metrics: IndexerMetrics;
  watch: Pick<ProgressWatch, 'jobStarted' | 'jobEnded'>;
  onAhead?: OnAhead;
};
const WORKER_OPTIONS = {
  // Short, because the job of a crashed worker is free only when its lock expires. To run a job twice is harmless.
  lockDuration: 6_000,
  stalledInterval: 3_000,
  // BullMQ reads the version with INFO once: if that fails, it repeats every later call without a pause.
  skipVersionCheck: true,
  maxStalledCount: 0,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

type WorkerOptions = { queuePrefix: string; concurrency: number };

/** BullMQ never retries a job: when it fails or is lost, its rows stay claimed until the relay adds a new job. */
export function startWorker(deps: WorkerDeps, { queuePrefix, concurrency }: WorkerOptions): { stop(): Promise<void> } {
  const { log } = deps;
  const backoff = new Backoff();
  const stopping = new AbortController();
  const foreign = new ForeignJobs({ ...deps, queuePrefix });

  const run = async (job: Job<IndexJobData>, token?: string): Promise<void> => {
    const data = IndexJob.parse(job.data);
    // An indexer that reaches Redis and not PostgreSQL must not take all jobs from the others.
    await backoff.wait(stopping.signal);
    try {
      if (await foreign.putBack(job, token, data)) return;
      const report = await measured(deps, () => indexContent(deps, { jobId: idOf(job), contentIds: data.contentIds }));
      if (report.allFailed) backoff.failed();
      else backoff.succeeded();
      countResults(deps, report);
      logFailures(log, report);
    } catch (error) {
      if (!(error instanceof DelayedError)) backoff.failed();
      throw error;
    }
  };

  const worker = new Worker<IndexJobData>(INDEX_QUEUE, run, {
    ...WORKER_OPTIONS,
    connection: deps.redis,
    prefix: queuePrefix,
    concurrency,
  });
  // While Redis responds but refuses commands, BullMQ repeats them.
  const warn = logRepeated((failure) =>
    log.warn(failure, (failure.err as Error).name === 'ReplyError' ? 'Redis refuses a command' : 'Redis does not respond'),
  );
  worker.on('error', warn);
  worker.on('failed', (job, err) => log.warn({ err, jobId: job?.id }, 'index job failed; its changes will be claimed again'));

  const stop = async (): Promise<void> => {
    stopping.abort();
    // Without a connection BullMQ would wait for Redis, so running jobs are abandoned.
    await worker.close(deps.redis.status !== 'ready');
  };
  return { stop };
}

function idOf(job: Job<IndexJobData>): string {
  if (job.id === undefined) throw new Error('the index job has no ID');
  return job.id;
}

async function measured({ metrics, watch }: WorkerDeps, work: () => Promise<JobReport>): Promise<JobReport> {
  const stopTimer = metrics.jobDuration.startTimer();
  watch.jobStarted();
  try {
    return await work();
  } finally {
    watch.jobEnded();
    stopTimer();
  }
}

function countResults({ metrics }: WorkerDeps, { results, pendingSeconds }: JobReport): void {
  for (const { result } of results) metrics.changes.inc({ result });
  for (const seconds of pendingSeconds) metrics.lag.observe(seconds);
}

function logFailures(log: Log, { results, retired }: JobReport): void {
  for (const change of results) {
    if (change.result === 'rejected') log.error({ contentId: change.contentId, reason: change.reason }, 'Elasticsearch rejected an item');
  }
  const retried = results.filter((change) => change.result === 'retried');
  if (retried[0]) log.warn({ itemCount: retried.length, reason: retried[0].reason }, 'changes were not indexed and will be retried');
  for (const { indexName, reason } of retired) log.error({ indexName, reason }, 'index retired because it rejected an item');
}
