import type { Log } from '@ugc/shared/process/log';
import { RepeatedReading } from '@ugc/shared/process/repeated-reading';
import type { Database, Tx } from '@ugc/shared/postgres/postgres';
import { createHash } from 'node:crypto';
import type { Account, AuthenticatedUser } from '../account.ts';
import { Problem } from '../problems/problem.ts';

export function userIsBlocked(): Problem {
  return new Problem(
    403,
    'user-blocked',
    'An operator has blocked this user, who may read, but not upload, change, rate or count anything.',
  );
}

export function creatorIsBlocked(): Problem {
  return new Problem(403, 'user-blocked', 'An operator has blocked the creator of this item, so nobody publishes it until the block ends.');
}

type Blocked = { ids: Set<number>; credentials: Set<string> };

/** The blocked users, which this process reads again all the time, also for users who are remembered with their tokens. */
export class BlockedUsers {
  readonly #reading: RepeatedReading<Blocked>;

  constructor({ database, log }: { database: Pick<Database, 'query'>; log: Log }) {
    const warn = (err: unknown): void => log.warn({ err }, 'the blocked users could not be read; those before stay');
    this.#reading = new RepeatedReading({ read: () => readBlocked(database), warn });
  }

  start(): void {
    this.#reading.start();
  }

  stop(): Promise<void> {
    return this.#reading.stop();
  }

  /** @throws Problem 403 */
  async assertMayWrite({ userId, account }: { userId?: AuthenticatedUser['userId']; account?: Account | undefined }): Promise<void> {
    const blocked = await this.#reading.find();
    if (!blocked) return;
    if (userId !== undefined && blocked.ids.has(userId)) throw userIsBlocked();
    if (account && blocked.credentials.size > 0 && blocked.credentials.has(hashCredential(account.credential).toString('hex')))
      throw userIsBlocked();
  }
}

async function readBlocked({ query }: Pick<Database, 'query'>): Promise<Blocked> {
  const rows = await query<{ userId: number | null; credentialHash: Buffer }>({
    name: 'blocked-users',
    text: `select user_id, credential_hash from blocked_user`,
  });
  return {
    ids: new Set(rows.flatMap(({ userId }) => userId ?? [])),
    credentials: new Set(rows.map(({ credentialHash }) => credentialHash.toString('hex'))),
  };
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

/**
 * Before an item becomes public. A block that is not visible yet waits for this lock before its last look at the items of the
 * user. @throws Problem 403
 */
export async function assertMayBePublished(tx: Tx, creatorId: number): Promise<void> {
  await tx.query('select from users where user_id = $1 for key share', [creatorId]);
  if ((await blockedAmong(tx, [creatorId])).has(creatorId)) throw creatorIsBlocked();
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
