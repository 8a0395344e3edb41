import type { Database } from '@ugc/shared/postgres/postgres';
import type { AuthenticatedUser } from '../account.ts';
import { Problem } from '../problems/problem.ts';
import { lockContent } from './change-content.ts';
import { noSuchContent } from './get-content.ts';
import { renewKey } from './unpublished-content.ts';

export function notUnlisted(): Problem {
  return new Problem(409, 'not-unlisted', 'Only an unlisted item has a key. An edit with the visibility unlisted makes it one.');
}

/** @returns the new key · @throws Problem 404 · 403 if the user may not change the item · 409 if the item is not unlisted */
export async function renewItemKey(database: Database, item: { contentId: number; user: AuthenticatedUser }): Promise<string> {
  return database.transaction(async (tx) => {
    const { isHidden } = await lockContent(tx, { ...item, ifMatch: '' });
    if (isHidden) throw noSuchContent();
    const key = await renewKey(tx, item.contentId);
    if (key === undefined) throw notUnlisted();
    return key;
  });
}
