import type { Database } from '@ugc/shared/postgres';
import { z } from 'zod';

/** Whether an item's newest revision can be searched. */
export const IndexStatus = z
  .object({
    contentId: z.int(),
    revision: z.int().describe('Grows with every change, also with downloads and ratings.'),
    status: z.enum(['pending', 'indexed', 'rejected']),
    reason: z.string().optional().describe('Why the search engine refuses the item.'),
  })
  .meta({ id: 'IndexStatus' });
export type IndexStatus = z.infer<typeof IndexStatus>;

type Row = { revision: number; pending: boolean; rejected_reason: string | null };

/** @returns undefined when there is no such item */
export async function getIndexStatus(database: Database, contentId: number): Promise<IndexStatus | undefined> {
  const [row] = await database.query<Row>(
    `select c.revision, o.content_id is not null as pending, o.rejected_reason
     from content c left join index_outbox o using (content_id)
     where c.content_id = $1 and c.deleted_at is null`,
    [contentId],
  );
  if (!row) return undefined;
  const { revision, pending, rejected_reason: reason } = row;
  if (reason !== null) return { contentId, revision, status: 'rejected', reason };
  return { contentId, revision, status: pending ? 'pending' : 'indexed' };
}
