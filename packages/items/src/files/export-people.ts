import { rowIsKept } from '@ugc/shared/contracts/hidden';
import type { Database } from '@ugc/shared/postgres/postgres';
import { toTimestamp } from '../changes/content-item.ts';
import { RESERVED_USER } from '../people/erase-user.ts';
import { EXTERNAL_ID, externalIdOf } from './external-id.ts';
import type { PeopleLines } from './people-lines.ts';

const SLICE_ROWS = 1_000;

/**
 * The last ids of users and of items that have lines: an export goes on while others sign in, upload and rate, and an import
 * knows nobody and nothing else.
 */
export type Written = { userId: number; contentId: number };

/** All users, also those without items. */
export async function* exportUsers({ query }: Pick<Database, 'query'>, written: Written): AsyncGenerator<Pick<PeopleLines, 'user'>> {
  type Row = { userId: number; credential: string; username: string; createdAt: Date };
  for (let after = RESERVED_USER; ;) {
    const rows = await query<Row>(
      `select user_id, credential, username, created_at from users where user_id > $1 order by user_id limit ${SLICE_ROWS}`,
      [after],
    );
    for (const { credential, username, createdAt } of rows) yield { user: { credential, username, createdAt: toTimestamp(createdAt) } };
    const last = rows.at(-1);
    if (!last) return;
    written.userId = after = last.userId;
  }
}

/** Who has rated what. */
export async function* exportRatings(
  { query }: Pick<Database, 'query'>,
  prefix: string,
  written: Written,
): AsyncGenerator<Pick<PeopleLines, 'rating'>> {
  type Row = { contentId: number; userId: number; externalId: string | null; credential: string; score: number };
  for (let after = [0, 0]; ;) {
    const rows = await query<Row>(
      `select r.content_id, r.user_id, ${EXTERNAL_ID} as external_id, u.credential, r.score
       from rating r join content c on c.content_id = r.content_id join users u on u.user_id = r.user_id
       where (r.content_id, r.user_id) > ($1, $2) and r.content_id <= $3 and r.user_id <= $4 and ${rowIsKept('c')}
       order by r.content_id, r.user_id limit ${SLICE_ROWS}`,
      [...after, written.contentId, written.userId],
    );
    for (const { credential, score, ...row } of rows) yield { rating: { externalId: externalIdOf(row, prefix), credential, score } };
    const last = rows.at(-1);
    if (!last) return;
    after = [last.contentId, last.userId];
  }
}

/** `credential` is that of the user to whom the block belongs, if there is one. */
export async function* exportBlocks({ query }: Pick<Database, 'query'>): AsyncGenerator<Pick<PeopleLines, 'block'>> {
  type Row = { credentialHash: string; credential: string | null; blockedAt: Date; reason: string | null };
  const rows = await query<Row>(
    `select encode(b.credential_hash, 'hex') as credential_hash, u.credential, b.blocked_at, b.reason
     from blocked_user b left join users u on u.user_id = b.user_id order by b.credential_hash`,
  );
  for (const { blockedAt, ...block } of rows) yield { block: { ...block, since: toTimestamp(blockedAt) } };
}
