import type { Database } from '@ugc/shared/stores/postgres';
import { z } from 'zod';
import { positive } from '@ugc/shared/contracts/integers';
import { Problem } from '../http/problem.ts';

export const OwnUser = z
  .object({
    userId: positive.describe('The `creatorId` of own uploads.'),
    username: z.string(),
    credential: z.string().describe('Public identifier of the account, such as `issuer|subject`.'),
  })
  .meta({ id: 'User' });
export type OwnUser = z.infer<typeof OwnUser>;

export const NO_SUCH_USER = 'The user of the token does not exist.';

export function noSuchUser(): Problem {
  return new Problem(404, NO_SUCH_USER);
}

/** @throws Problem 404 */
export async function getOwnUser(database: Database, userId: number | undefined): Promise<OwnUser> {
  const [row] = userId === undefined ? [] : await readUser(database, userId);
  if (!row) throw noSuchUser();
  return row;
}

function readUser(database: Database, userId: number): Promise<OwnUser[]> {
  return database.query<OwnUser>(`select user_id, username, credential from users where user_id = $1`, [userId]);
}
