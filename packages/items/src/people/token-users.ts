import { positive } from '@ugc/shared/contracts/content';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { Repetition } from '@ugc/shared/timing/repeat';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Account, AuthenticatedUser } from '../account.ts';
import { Problem } from '../problems/problem.ts';
import { lineText, storableText, toOneLine } from '../fields/text.ts';
import { hashCredential, userIsBlocked } from './blocked-users.ts';
import { followName } from './followed-names.ts';

/** The maximum lengths are those of the columns of `users`, in characters. */
const NAME_MAX = 200;
export const UserName = lineText({ max: NAME_MAX });
/** The user with the credential `ugc:erased` is the creator of the items of erased users. */
export const Credential = storableText({ min: 1, max: 400 }).refine(
  (value) => !value.startsWith('ugc:'),
  'must not begin with ugc:, which is reserved',
);

export const OwnUser = z
  .object({
    userId: positive.describe('The `creatorId` of own uploads.'),
    username: z.string(),
    credential: z.string().describe('Public identifier of the account, such as `issuer|subject`.'),
  })
  .meta({ id: 'User' });

type TokenUsersDeps = {
  database: Database;
  log: Log;
  /** Defined with USERS_FROM_TOKENS: a user is created at the first write, and the name follows the tokens. */
  names: Pick<Repetition, 'wake'> | undefined;
};

/** A user that was found is remembered with the verified token, so that its next request does not ask PostgreSQL again. */
export class TokenUsers {
  readonly #deps: TokenUsersDeps;

  constructor(deps: TokenUsersDeps) {
    this.#deps = deps;
  }

  /** @returns the user id; undefined if there is no user with this account */
  async find(user: AuthenticatedUser): Promise<number | undefined> {
    if (!user.account || user.userId !== undefined) return user.userId;
    const userId = await this.#read(user.account);
    if (userId !== undefined && this.#deps.names) await this.#follow(userId, user.account);
    return (user.userId = userId);
  }

  /** The user of a write, who is created if USERS_FROM_TOKENS is set. @throws Problem 403 when the user does not exist */
  async require(user: AuthenticatedUser): Promise<number> {
    const found = await this.find(user);
    if (found !== undefined) return found;
    if (!this.#deps.names || !user.account) throw unknownUser();
    return (user.userId = await this.#create(user.account));
  }

  async #read({ credential }: Account): Promise<number | undefined> {
    const statement = { name: 'find-user', text: `select user_id from users where credential collate "C" = $1` };
    const [row] = await this.#deps.database.query<{ userId: number }>(statement, [credential]);
    return row?.userId;
  }

  // Two first writes at the same time: the second one waits for the first one's row, and then reads it. The block is
  // read here since this process may not know yet that a user was blocked and erased.
  async #create(account: Account): Promise<number> {
    const { credential, name, issuedAt } = account;
    const [issue] = Credential.safeParse(credential).error?.issues ?? [];
    if (issue)
      throw new Problem(403, 'user-unknown', `The issuer and the subject of the token cannot be a credential: it ${issue.message}.`);
    const [row] = await this.#deps.database.write<{ userId: number | null; isBlocked: boolean }>(
      `with blocked as (select from blocked_user where credential_hash = $4), created as (
         insert into users (username, credential, name_issued_at) select $1, $2, to_timestamp($3) where not exists (select from blocked)
         on conflict (credential collate "C") do nothing returning user_id
       )
       select (select user_id from created), exists (select from blocked) as is_blocked`,
      [nameFromClaim(name) ?? substituteName(credential), credential, issuedAt, hashCredential(credential)],
    );
    if (row?.isBlocked) throw userIsBlocked();
    const userId = row?.userId ?? (await this.#read(account));
    if (userId === undefined) throw new Error('the user that another request has created does not exist');
    return userId;
  }

  // A name that cannot be changed now is no reason to refuse the request: the next token changes it.
  async #follow(userId: number, { name, issuedAt }: Account): Promise<void> {
    const claimed = nameFromClaim(name);
    if (claimed === undefined || issuedAt === undefined) return;
    try {
      if (await followName(this.#deps.database, { userId, name: claimed, issuedAt })) this.#deps.names?.wake();
    } catch (err) {
      this.#deps.log.warn({ err, userId }, "the user's name could not be changed to that of the token");
    }
  }
}

/** @returns the name in a claim, cut to the maximum length; undefined if the claim is missing or is no name */
function nameFromClaim(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const name = [...toOneLine(claim).trim()].slice(0, NAME_MAX).join('').trim();
  return UserName.safeParse(name).data;
}

/** A name for a user whose token contains none. It reveals neither issuer nor subject, and is always the same. */
function substituteName(credential: string): string {
  return `User ${createHash('sha256').update(credential).digest('hex').slice(0, 8)}`;
}

export async function readOwnUser(database: Database, userId: number | undefined): Promise<z.infer<typeof OwnUser>> {
  const statement = `select user_id, username, credential from users where user_id = $1`;
  const [row] = userId === undefined ? [] : await database.query<z.infer<typeof OwnUser>>(statement, [userId]);
  if (!row) throw noOwnUser();
  return row;
}

const NO_SUCH_USER = 'The user of the token does not exist.';

export function noOwnUser(): Problem {
  return new Problem(404, 'user-unknown', NO_SUCH_USER);
}

/** A user without an item that lists show, and one who does not exist. */
export function noSuchCreator(): Problem {
  return new Problem(404, 'user-unknown', 'No user with this id has an item that lists show. An id is the `creatorId` of an item.');
}

export function unknownUser(): Problem {
  return new Problem(403, 'user-unknown', NO_SUCH_USER);
}
