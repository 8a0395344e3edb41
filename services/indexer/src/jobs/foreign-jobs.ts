import { describeDatabase, haveSameOrigin, readIdentity, type DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import type { IndexJob } from '@ugc/shared/contracts/index-queue';
import { noteForeignJob } from '@ugc/shared/indices/index-control';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { cached, throttle } from '@ugc/shared/timing/intervals';
import { DelayedError, type Job } from 'bullmq';
import type { ProgressWatch } from './progress-watch.ts';

type ForeignJobsDeps = { database: Database; log: Log; queuePrefix: string; watch: Pick<ProgressWatch, 'jobStarted' | 'jobEnded'> };

const IDENTITY_KEPT_MS = 5_000;
const NOTE_EVERY_MS = 10_000;
/** An indexer of the other database probably takes the job next. Without a delay two idle indexers would pass it to and fro. */
const PUT_BACK_FOR_MS = 250;
/** Then no indexer takes it: its database was replaced, as by a restore. Longer than an indexer is away for an upgrade. */
const ABANDONED_AFTER_MS = 600_000;

/**
 * Jobs of another database, which shares the queue by mistake, or which this one has replaced: its items are not here. Its
 * indexers take them. If there are none, the jobs end. Its relay, if it runs, finds them lost and claims their changes again.
 */
export class ForeignJobs {
  readonly #deps: ForeignJobsDeps;
  readonly #identity: () => Promise<DatabaseIdentity>;
  readonly #note: (of: DatabaseIdentity) => void;

  constructor(deps: ForeignJobsDeps) {
    this.#deps = deps;
    this.#identity = cached(IDENTITY_KEPT_MS, () => readIdentity(deps.database), 0);
    this.#note = throttle(NOTE_EVERY_MS, (of: DatabaseIdentity) => void this.#report(of));
  }

  /**
   * Puts the job back if it names another database.
   * @returns whether it does and has been put back for too long
   * @throws DelayedError, as BullMQ requires
   */
  async putBack(job: Job<IndexJob>, token: string | undefined, { database: of }: IndexJob): Promise<boolean> {
    if (haveSameOrigin(of, await this.#identity())) return false;
    this.#note(of);
    // A process that only puts jobs back is not stuck.
    this.#deps.watch.jobStarted();
    this.#deps.watch.jobEnded();
    if (Date.now() - job.timestamp > ABANDONED_AFTER_MS) {
      this.#deps.log.warn({ jobId: job.id, jobOf: describeDatabase(of) }, 'a job of another database was removed: no indexer has taken it');
      return true;
    }
    await job.moveToDelayed(Date.now() + PUT_BACK_FOR_MS, token);
    throw new DelayedError();
  }

  async #report(of: DatabaseIdentity): Promise<void> {
    const { database, log, queuePrefix } = this.#deps;
    const here = describeDatabase(await this.#identity());
    log.error(
      { queuePrefix, jobsOf: describeDatabase(of), here },
      'the queue contains jobs of another database, which are put back: set another QUEUE_PREFIX for one of the two',
    );
    await noteForeignJob(database, of).catch((err: unknown) => log.warn({ err }, 'could not note a job of another database'));
  }
}
