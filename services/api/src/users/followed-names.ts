import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/stores/postgres';
import { carryName } from './rename-user.ts';

type FollowedNamesDeps = { database: Database; log: Log };

/** Another process may have stopped in the middle of a rename. */
const POLL_EVERY_MS = 30_000;

/**
 * Indexes the items of users again whose name has followed a token, one user at a time and as slowly as `users rename`.
 * What one process leaves unfinished, any other continues.
 */
export class FollowedNames {
  readonly #deps: FollowedNamesDeps;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: FollowedNamesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), POLL_EVERY_MS).unref();
    this.wake();
  }

  wake(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopping.signal.aborted) {
      this.#again = false;
      await this.#carryAll().catch((err: unknown) => this.#report(err));
    }
  }

  async #carryAll(): Promise<void> {
    const { database } = this.#deps;
    const { signal } = this.#stopping;
    // An operator's own rename is continued by the same command.
    const users = await database.query<{ user_id: number }>(
      `select user_id from rename_progress join users using (user_id) where name_issued_at is not null`,
    );
    for (const { user_id: userId } of users) {
      const throwIfStopped = (): void => signal.throwIfAborted();
      await carryName(database, userId, throwIfStopped, { signal });
    }
  }

  #report(err: unknown): void {
    if (!this.#stopping.signal.aborted)
      this.#deps.log.warn({ err }, 'the items of a renamed user could not be indexed again; this is repeated');
  }
}
