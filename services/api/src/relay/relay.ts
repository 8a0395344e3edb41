import { IDS_PER_JOB, INDEX_QUEUE, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Liveness } from '@ugc/shared/process/liveness';
import type { Log } from '@ugc/shared/process/log';
import { claimDue, listUnansweredJobs, releaseLostJobs, undoClaims, type Claim } from '@ugc/shared/outbox/outbox';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { ApiMetrics } from '../observability/metrics.ts';
import { WakeSignal } from './wake-signal.ts';

export type RelayDeps = {
  database: Database;
  redis: Redis;
  queue: IndexQueue;
  log: Log;
  metrics: Pick<ApiMetrics, 'relay'>;
  liveness: Liveness;
};

const POLL_EVERY_MS = 500;
const LOOK_FOR_LOST_EVERY_MS = 2_000;
/** Adding a job takes milliseconds. Should one be given up too early, it is indexed twice, which is harmless. */
const SILENT_AFTER_MS = 5_000;
/** Waiting jobs are bounded, so that hours without indexers do not fill Redis; the rest waits in the outbox. */
const MAX_WAITING_JOBS = 50;

/** A job that is gone will not answer, nor will one that has ended and is kept: a queue with other options may keep it. */
const TO_BE_ANSWERED = new Set(['waiting', 'active', 'delayed', 'prioritized']);

/**
 * Hands due rows of the outbox to the queue. Any number of replicas may run. A wake-up makes it quick, the poll makes it sure:
 * whatever is lost between here and the index is found in the outbox again.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #wakeSignal = new WakeSignal();
  #stopping = false;
  #lookedForLostAt = -Infinity;
  #done = Promise.resolve();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#done = this.#run();
  }

  /** Something may be due now. Returns at once. */
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
      if (!more) await this.#wakeSignal.wait(POLL_EVERY_MS);
    }
  }

  #report(err: unknown): boolean {
    this.#deps.metrics.relay.failedPasses.inc();
    this.#deps.log.warn({ err }, 'the relay could not hand out changes; they stay in the outbox');
    return false;
  }

  /** @returns whether there is probably more to hand out at once */
  async #pass(): Promise<boolean> {
    // With Redis away nothing is claimed: nothing would come of it but writes to the outbox.
    if (this.#deps.redis.status !== 'ready') return false;
    await this.#releaseLostJobs();
    const more = await this.#handOut();
    this.#deps.metrics.relay.lastPass.setToCurrentTime();
    return more;
  }

  async #handOut(): Promise<boolean> {
    const { queue, database, metrics } = this.#deps;
    if ((await queue.getWaitingCount()) >= MAX_WAITING_JOBS) return false;
    const claims = await claimDue(database, randomUUID(), IDS_PER_JOB);
    if (claims.length === 0) return false;
    await this.#enqueue(claims);
    const claimed = claims.reduce((sum, claim) => sum + claim.contentIds.length, 0);
    metrics.relay.claims.inc(claimed);
    return claimed === IDS_PER_JOB;
  }

  async #enqueue(claims: Claim[]): Promise<void> {
    try {
      await this.#deps.queue.addBulk(claims.map(({ jobId, contentIds }) => ({ name: INDEX_QUEUE, data: { contentIds }, opts: { jobId } })));
    } catch (error) {
      // Some of them may be in Redis all the same. Indexing twice is harmless.
      await undoClaims(
        this.#deps.database,
        claims.map((claim) => claim.jobId),
      );
      throw error;
    }
  }

  async #releaseLostJobs(): Promise<void> {
    // Not by the clock: it may be set back.
    if (performance.now() - this.#lookedForLostAt < LOOK_FOR_LOST_EVERY_MS) return;
    this.#lookedForLostAt = performance.now();
    const silent = await listUnansweredJobs(this.#deps.database, SILENT_AFTER_MS);
    const states = await Promise.all(silent.map((jobId) => this.#deps.queue.getJobState(jobId)));
    const lost = silent.filter((_, position) => !TO_BE_ANSWERED.has(states[position] ?? 'unknown'));
    if (lost.length === 0) return;
    this.#deps.metrics.relay.lostJobs.inc(lost.length);
    this.#deps.log.warn({ jobs: lost.length }, 'jobs were lost; their changes are handed out again');
    await releaseLostJobs(this.#deps.database, lost);
  }
}
