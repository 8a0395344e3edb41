import { IDS_PER_JOB, INDEX_QUEUE, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Liveness } from '@ugc/shared/process/liveness';
import type { Log } from '@ugc/shared/process/log';
import { claimDue, listUnacknowledgedJobs, pullForward, releaseLostJobs, undoClaims, type Claim } from '@ugc/shared/outbox/claim';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiMetrics } from '../observability/metrics.ts';
import { WakeSignal } from './wake-signal.ts';

type RelayDeps = {
  database: Database;
  redis: Redis;
  queue: IndexQueue;
  log: Log;
  metrics: Pick<ApiMetrics, 'relay'>;
  liveness: Liveness;
};

const POLL_EVERY_MS = 500;
const CHECK_LOST_JOBS_EVERY_MS = 2_000;
/** Adding a job to the queue takes milliseconds. The changes of a job that is released too early are indexed twice. */
const CHECK_JOB_AFTER_MS = 5_000;
/** Limits the memory that jobs take in Redis while no indexer is running. Further changes wait in the outbox. */
export const MAX_WAITING_JOBS = 50;
/** How long changes collect while a job waits for an indexer, unless there are enough for a full job. */
const COLLECT_MAX_MS = 250;
const COLLECT_STEP_MS = 20;

/** A queue with other options may keep jobs that have ended. */
const UNFINISHED_STATES = new Set(['waiting', 'active', 'delayed', 'prioritized']);

/**
 * Adds a job to the queue for due rows of the outbox. Any number of replicas may run at the same time. A pass begins at
 * a wake-up, for low latency, and at intervals, so that no change depends on a wake-up.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #wakeSignal = new WakeSignal();
  #stopping = false;
  #woken = false;
  #collectingSince: number | undefined;
  #checkedLostJobsAt = -Infinity;
  #done = Promise.resolve();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#done = this.#run();
  }

  wake(): void {
    this.#wakeSignal.wake();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wakeSignal.wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const more = await this.#pass().catch((err: unknown) => this.#report(err));
      this.#deps.liveness.progressed();
      if (this.#collectingSince !== undefined) await delay(COLLECT_STEP_MS);
      else if (!more) this.#woken = await this.#wakeSignal.wait(POLL_EVERY_MS);
    }
  }

  #report(err: unknown): boolean {
    this.#collectingSince = undefined;
    this.#deps.metrics.relay.failedPasses.inc();
    this.#deps.log.warn({ err }, 'relay pass failed; changes remain in the outbox');
    return false;
  }

  /** @returns whether more rows are probably due */
  async #pass(): Promise<boolean> {
    // Without Redis every claim would have to be undone.
    if (this.#deps.redis.status !== 'ready') return false;
    await this.#releaseLostJobs();
    const more = await this.#claimAndEnqueue();
    this.#deps.metrics.relay.lastPass.setToCurrentTime();
    return more;
  }

  async #claimAndEnqueue(): Promise<boolean> {
    const { queue, database, metrics } = this.#deps;
    const waitingJobs = await queue.getWaitingCount();
    if (waitingJobs >= MAX_WAITING_JOBS) return false;
    // Without a wake-up there is nothing to collect, and the pass would be repeated every 20 ms.
    const atLeast = this.#collects(this.#woken && waitingJobs > 0) ? IDS_PER_JOB : 1;
    const claims = await claimDue(database, randomUUID(), { atLeast, atMost: IDS_PER_JOB });
    if (claims.length === 0) return false;
    this.#collectingSince = undefined;
    await this.#enqueue(claims);
    const claimed = claims.reduce((sum, claim) => sum + claim.contentIds.length, 0);
    metrics.relay.claims.inc(claimed);
    return claimed === IDS_PER_JOB;
  }

  /**
   * A job takes an indexer about as long for one item as for twenty. A job that is added while others wait would only
   * lengthen the queue: 50 uploads per second became jobs of one item, and waited for a second.
   */
  #collects(isUseful: boolean): boolean {
    this.#collectingSince = isUseful ? (this.#collectingSince ?? performance.now()) : undefined;
    if (performance.now() - (this.#collectingSince ?? -Infinity) >= COLLECT_MAX_MS) this.#collectingSince = undefined;
    return this.#collectingSince !== undefined;
  }

  async #enqueue(claims: Claim[]): Promise<void> {
    try {
      await this.#deps.queue.addBulk(claims.map(({ jobId, ...data }) => ({ name: INDEX_QUEUE, data, opts: { jobId } })));
    } catch (error) {
      // Redis may have taken some of the jobs. Indexing a change twice is harmless.
      const jobIds = claims.map((claim) => claim.jobId);
      await undoClaims(this.#deps.database, jobIds);
      throw error;
    }
  }

  async #releaseLostJobs(): Promise<void> {
    if (performance.now() - this.#checkedLostJobsAt < CHECK_LOST_JOBS_EVERY_MS) return;
    this.#checkedLostJobsAt = performance.now();
    await pullForward(this.#deps.database);
    const unacknowledged = await listUnacknowledgedJobs(this.#deps.database, CHECK_JOB_AFTER_MS);
    const states = await Promise.all(unacknowledged.map((jobId) => this.#deps.queue.getJobState(jobId)));
    const lost = unacknowledged.filter((_, position) => !UNFINISHED_STATES.has(states[position] ?? 'unknown'));
    if (lost.length === 0) return;
    this.#deps.metrics.relay.lostJobs.inc(lost.length);
    this.#deps.log.warn({ jobCount: lost.length }, 'jobs were lost; their changes are claimed again');
    await releaseLostJobs(this.#deps.database, lost);
  }
}
