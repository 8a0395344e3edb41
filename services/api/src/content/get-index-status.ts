import type { Database } from '@ugc/shared/stores/postgres';
import { z } from 'zod';
import type { AuthenticatedUser } from '../auth/claims.ts';
import { noSuchContent } from './get-content.ts';

/** Whether an item's newest revision can be searched. */
export const IndexStatus = z
  .object({
    contentId: z.int(),
    revision: z.int().describe('Grows with every change, also with downloads and ratings.'),
    status: z
      .enum(['pending', 'indexed', 'rejected', 'dropped'])
      .describe(
        'Rejected: the search engine refuses the item. Dropped: an operator gave its newest change up; the next one is tried again.',
      ),
    reason: z.string().optional().describe('Why the search engine refuses the item; for its creator.'),
  })
  .meta({ id: 'IndexStatus' });
export type IndexStatus = z.infer<typeof IndexStatus>;

type Row = { creator_id: number; revision: number; pending: boolean; rejected_reason: string | null; dropped_reason: string | null };

/**
 * @param user only who may change the item learns why it is refused
 * @throws Problem 404
 */
export async function getIndexStatus(database: Database, contentId: number, user: AuthenticatedUser): Promise<IndexStatus> {
  const [row] = await database.query<Row>(
    `select c.creator_id, c.revision, o.content_id is not null as pending, o.rejected_reason, d.reason as dropped_reason
     from content c left join index_outbox o using (content_id)
       left join index_dropped d on d.content_id = c.content_id and d.revision = c.revision
     where c.content_id = $1 and c.deleted_at is null`,
    [contentId],
  );
  if (!row) throw noSuchContent();
  const reason = row.pending ? row.rejected_reason : row.dropped_reason;
  const mayKnow = row.creator_id === user.userId || user.mayWriteForOthers;
  return { contentId, revision: row.revision, status: statusOf(row), ...(mayKnow && reason !== null && { reason }) };
}

function statusOf({ pending, rejected_reason: rejected, dropped_reason: dropped }: Row): IndexStatus['status'] {
  if (pending) return rejected === null ? 'pending' : 'rejected';
  return dropped === null ? 'indexed' : 'dropped';
}
