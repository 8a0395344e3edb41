import type { Log } from '@ugc/shared/process/log';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { throttle } from '@ugc/shared/timing/intervals';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { createHash } from 'node:crypto';
import type { Account, AuthenticatedUser } from '../account.ts';
import { Problem } from '../problems/problem.ts';

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

/**
 * Has the block of a user hold for these credentials too. A block of one of them holds for the user, also if it is that of
 * an erased user. @returns whether the user is blocked
 */
export async function shareBlock({ query }: Pick<Tx, 'query'>, userId: number, credentials: string[]): Promise<boolean> {
  const hashes = [...new Set(credentials)].map(hashCredential);
  const blocked = await query(
    `with block as (
       select blocked_at, reason from blocked_user where user_id = $1 or credential_hash = any($2::bytea[]) order by blocked_at limit 1
     )
     insert into blocked_user (credential_hash, user_id, blocked_at, reason)
     select credential_hash, $1, blocked_at, reason from block, unnest($2::bytea[]) credential_hash
     on conflict (credential_hash) do update set user_id = excluded.user_id returning 1`,
    [userId, hashes],
  );
  return blocked.length > 0;
}

/** @returns those of the users who are blocked: by the id, or by the credential, whose block may be older than the user */
export async function blockedAmong({ query }: Pick<Tx, 'query'>, userIds: number[]): Promise<Set<number>> {
  if (userIds.length === 0) return new Set();
  const rows = await query<{ userId: number }>(
    `select user_id from users u where user_id = any($1)
       and (user_id in (select b.user_id from blocked_user b where b.user_id is not null)
         or exists (select from blocked_user b where b.credential_hash = ${hashOf('u.credential')}))`,
    [userIds],
  );
  return new Set(rows.map(({ userId }) => userId));
}

/** @returns those of the credentials that are blocked */
export async function blockedCredentials({ query }: Pick<Tx, 'query'>, credentials: string[]): Promise<Set<string>> {
  if (credentials.length === 0) return new Set();
  const rows = await query<{ credential: string }>(
    `select credential from unnest($1::text[]) credential
     where exists (select from blocked_user where credential_hash = ${hashOf('credential')})`,
    [credentials],
  );
  return new Set(rows.map(({ credential }) => credential));
}

/** `hashCredential` in SQL. @param credential an expression */
export function hashOf(credential: string): string {
  return `sha256(convert_to(${credential}, 'UTF8'))`;
}

export function hashCredential(credential: string): Buffer {
  return createHash('sha256').update(credential).digest();
}
