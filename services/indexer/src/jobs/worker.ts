import { throttle } from '@ugc/shared/timing/throttle';
import { INDEX_QUEUE, IndexJob, type IndexJob as IndexJobData } from '@ugc/shared/contracts/index-queue';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/stores/postgres';
import { Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { Backoff } from '../documents/backoff.ts';
import { indexContent, type IndexContentJob, type IndexReport } from './index-content.ts';
import type { IndexerMetrics } from '../metrics.ts';
import type { ProgressWatch } from './progress-watch.ts';

export type WorkerDeps = {
  database: Database;
  elasticsearch: Elasticsearch;
  redis: Redis;
  log: Log;
  metrics: IndexerMetrics;
  watch: Pick<ProgressWatch, 'jobStarted' | 'jobEnded'>;
};
export type WorkerOptions = { queuePrefix: string; concurrency: number };

/**
 * Runs index jobs. BullMQ never retries: a job that fails, stalls or is lost leaves its rows claimed in the outbox, and the
 * relay hands them out again.
 */
export function startWorker(deps: WorkerDeps, { queuePrefix, concurrency }: WorkerOptions): { stop(): Promise<void> } {
  const { log } = deps;
  const backoff = new Backoff();
  const stopping = new AbortController();

  const run = async (job: Job<IndexJobData>): Promise<void> => {
    await backoff.wait(stopping.signal);
    const report = await accompanied(deps, () => indexContent(deps, toIndexContentJob(job)));
    if (refusesAll(report)) backoff.failed();
    else backoff.succeeded();
    account(deps, report);
  };

  const worker = new Worker<IndexJobData>(INDEX_QUEUE, run, {
    connection: deps.redis,
    prefix: queuePrefix,
    concurrency,
    // Short, since a killed worker's job is free only once its lock has run out; running one twice is harmless.
    lockDuration: 6_000,
    stalledInterval: 3_000,
    maxStalledCount: 0,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on(
    'error',
    // A Redis that answers but takes no writes is asked without a pause.
    throttle(1_000, (err: Error) => log.warn({ err }, 'the queue does not answer')),
  );
  worker.on('failed', (job, err) => log.warn({ err, jobId: job?.id }, 'a job failed; its items will be handed out again'));

  const stop = async (): Promise<void> => {
    stopping.abort();
    // Without Redis BullMQ would wait for commands that wait for the connection. What is running is then left to the outbox.
    await worker.close(deps.redis.status !== 'ready');
  };
  return { stop };
}

function toIndexContentJob(job: Job<IndexJobData>): IndexContentJob {
  if (job.id === undefined) throw new Error('an index job has no id');
  return { jobId: job.id, contentIds: IndexJob.parse(job.data).contentIds };
}

function refusesAll({ answers }: IndexReport): boolean {
  return answers.length > 0 && answers.every((answer) => answer.kind === 'retry');
}

async function accompanied({ metrics, watch }: WorkerDeps, work: () => Promise<IndexReport>): Promise<IndexReport> {
  const stopTimer = metrics.jobDuration.startTimer();
  watch.jobStarted();
  try {
    return await work();
  } finally {
    watch.jobEnded();
    stopTimer();
  }
}

function account({ log, metrics }: WorkerDeps, { answers, givenUp, pendingSeconds }: IndexReport): void {
  for (const seconds of pendingSeconds) metrics.lag.observe(seconds);
  for (const answer of answers) {
    metrics.documents.inc({ outcome: answer.kind });
    if (answer.kind === 'rejected') log.error({ contentId: answer.contentId, reason: answer.reason }, 'Elasticsearch rejects this item');
  }
  const retry = answers.find((answer) => answer.kind === 'retry');
  if (retry)
    log.warn(
      { reason: retry.reason, items: answers.filter((answer) => answer.kind === 'retry').length },
      'not indexed yet, will be tried again',
    );
  for (const { indexName, reason } of givenUp) log.error({ indexName, reason }, 'this index refused a document and is written no more');
}
