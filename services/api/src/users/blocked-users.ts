import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { throttle } from '@ugc/shared/timing/intervals';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { createHash } from 'node:crypto';
import type { Account, AuthenticatedUser } from '../auth/claims.ts';
import { Problem } from '../http/problem.ts';

/** A block takes effect in every process within 5 s, also for users who are remembered with their tokens. */
const READ_EVERY_MS = 2_000;
const WARN_EVERY_MS = 60_000;

export function userIsBlocked(): Problem {
  return new Problem(
    403,
    'user-blocked',
    'An operator has blocked this user, who may read, but not upload, change, rate or count anything.',
  );
}

/** The blocked users, which this process reads again all the time. */
export class BlockedUsers {
  readonly #database: Pick<Database, 'query'>;
  readonly #log: Log;
  #ids = new Set<number>();
  #credentials = new Set<string>();
  /** Undefined before the first start. */
  #first: Promise<void> | undefined;
  #repetition: Repetition | undefined;

  constructor({ database, log }: { database: Pick<Database, 'query'>; log: Log }) {
    this.#database = database;
    this.#log = log;
  }

  start(): void {
    const warn = throttle(WARN_EVERY_MS, (err: unknown) =>
      this.#log.warn({ err }, 'the blocked users could not be read; those before stay'),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#first = promise;
    this.#repetition = repeat(() => this.#read().finally(resolve), { everyMs: READ_EVERY_MS, onError: warn });
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
  }

  /** @throws Problem 403 */
  async assertMayWrite({ userId, account }: { userId?: AuthenticatedUser['userId']; account?: Account | undefined }): Promise<void> {
    await this.#first;
    if (userId !== undefined && this.#ids.has(userId)) throw userIsBlocked();
    if (account && this.#credentials.size > 0 && this.#credentials.has(hashCredential(account.credential).toString('hex')))
      throw userIsBlocked();
  }

  async #read(): Promise<void> {
    const rows = await this.#database.query<{ userId: number | null; credentialHash: Buffer }>({
      name: 'blocked-users',
      text: `select user_id, credential_hash from blocked_user`,
    });
    this.#ids = new Set(rows.flatMap(({ userId }) => userId ?? []));
    this.#credentials = new Set(rows.map(({ credentialHash }) => credentialHash.toString('hex')));
  }
}

export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
