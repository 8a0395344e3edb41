import { countWaiting, IDS_PER_JOB, INDEX_QUEUE, type IndexQueue } from '@ugc/shared/contracts/index-queue';
import type { Liveness } from '@ugc/shared/process/lifecycle';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { claimDue, listUnacknowledgedJobs, pullForward, releaseLostJobs, undoClaims, type Claim } from '@ugc/shared/outbox/claim';
import { ClaimBound } from '@ugc/shared/outbox/claim-bound';
import { UNCLAIMED } from '@ugc/shared/outbox/states';
import type { Database } from '@ugc/shared/postgres/postgres';
import { inSpan } from '@ugc/shared/tracing/spans';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

type RelayDeps = {
  database: Database;
  redis: Redis;
  queue: IndexQueue;
  log: Log;
  metrics: { relay: RelayMetrics };
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
  readonly #bound = new ClaimBound({ table: 'index_outbox', claimable: UNCLAIMED });
  #repetition: Repetition | undefined;
  #collectingSince: number | undefined;
  #checkedLostJobsAt = -Infinity;
  readonly #logFailure: (err: unknown) => void;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#logFailure = logRepeated((failure) => deps.log.warn(failure, 'relay pass failed; changes remain in the outbox'));
  }

  start(): void {
    this.#repetition = repeat((woken) => this.#pass(woken), { everyMs: POLL_EVERY_MS, onError: (err) => this.#report(err) });
  }

  wake(): void {
    this.#repetition?.wake();
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
  }

  /** @returns 0 if the next pass has to begin at once */
  async #pass(woken: boolean): Promise<number | void> {
    const more = await this.#claimDue(woken).finally(() => this.#deps.liveness.progressed());
    if (this.#isCollecting) await delay(COLLECT_STEP_MS);
    if (more || this.#isCollecting) return 0;
  }

  /** PostgreSQL may have been restored, or have lost what the bound relies on. */
  #report(err: unknown): void {
    this.#bound.reset();
    this.#collectingSince = undefined;
    this.#logFailure(err);
  }

  /** @returns whether more rows are probably due */
  async #claimDue(woken: boolean): Promise<boolean> {
    // Without Redis every claim would have to be undone.
    if (this.#deps.redis.status !== 'ready') return false;
    await this.#releaseLostJobs();
    const more = await this.#claimAndEnqueue(woken);
    this.#deps.metrics.relay.passed();
    return more;
  }

  async #claimAndEnqueue(woken: boolean): Promise<boolean> {
    const { queue, database } = this.#deps;
    const [waitingJobs, overtakenJobs] = await countWaiting(queue);
    const waiting = waitingJobs + overtakenJobs;
    await this.#bound.advance(database);
    if (waiting < 2 * MAX_WAITING_JOBS) await this.#claimHidden();
    if (waiting >= MAX_WAITING_JOBS) return false;
    // Without a wake-up there is nothing to collect, and the pass would be repeated every 20 ms.
    if (woken && waitingJobs > 0) this.#collect();
    else this.#collectingSince = undefined;
    const atLeast = this.#isCollecting ? IDS_PER_JOB : 1;
    const startTime = Date.now();
    const claims = await claimDue(database, randomUUID(), { atLeast, atMost: IDS_PER_JOB, after: this.#bound.after });
    if (claims.length === 0) return false;
    this.#collectingSince = undefined;
    const claimed = claims.reduce((sum, claim) => sum + claim.contentIds.length, 0);
    const attributes = { 'ugc.jobs': claims.length, 'ugc.changes': claimed };
    // A pass without changes has no span: there are two per second.
    await inSpan('relay pass', { isRoot: true, startTime, attributes }, () => this.#enqueue(claims));
    return claimed === IDS_PER_JOB;
  }

  /** Hidden items pass the changes that are due and the jobs that wait: an indexer takes their job next. */
  async #claimHidden(): Promise<void> {
    const claims = await claimDue(this.#deps.database, randomUUID(), { atMost: IDS_PER_JOB, hidden: true });
    if (claims.length > 0) await this.#enqueue(claims, true);
  }

  get #isCollecting(): boolean {
    return this.#collectingSince !== undefined;
  }

  /**
   * Begins to collect, or ends it after COLLECT_MAX_MS. A job takes an indexer about as long for one item as for twenty.
   * A job that is added while others wait would only lengthen the queue: 50 uploads per second became jobs of one item,
   * and waited for a second.
   */
  #collect(): void {
    this.#collectingSince ??= performance.now();
    if (performance.now() - this.#collectingSince >= COLLECT_MAX_MS) this.#collectingSince = undefined;
  }

  async #enqueue(claims: Claim[], isFirst = false): Promise<void> {
    try {
      await this.#deps.queue.addBulk(claims.map((claim) => toJob(claim, isFirst)));
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

/** Jobs without a priority come first, of them the newest with `lifo`. */
function toJob({ jobId, isOvertaken, ...data }: Claim, isFirst: boolean) {
  return { name: INDEX_QUEUE, data, opts: { jobId, ...(isOvertaken && { priority: 1 }), ...(isFirst && { lifo: true }) } } as const;
}

export type RelayMetrics = ReturnType<typeof createRelayMetrics>;

export function createRelayMetrics(registry: Registry) {
  const registers = [registry];
  let passedAtMs = performance.now();
  new Gauge({
    name: 'ugc_relay_last_pass_age_seconds',
    help: 'Time since the last relay pass of the process that reached Redis and PostgreSQL; before the first one, since the start',
    registers,
    collect() {
      this.set((performance.now() - passedAtMs) / 1_000);
    },
  });
  return {
    passed: (): void => void (passedAtMs = performance.now()),
    lostJobs: new Counter({
      name: 'ugc_relay_lost_jobs_total',
      help: 'Jobs missing from the queue; their changes are claimed again',
      registers,
    }),
  };
}
