import { readItemStatus, type ItemStatus } from '@ugc/shared/outbox/item-states';
import type { Database } from '@ugc/shared/postgres/postgres';
import { z } from 'zod';
import type { AuthenticatedUser } from '../account.ts';
import { positive, timestamp } from '@ugc/shared/contracts/content';
import { toTimestamp } from './content-item.ts';
import { noSuchContent } from './get-content.ts';

export const IndexStatus = z
  .object({
    contentId: positive,
    revision: positive.describe('Increases with every change of the item, including downloads and ratings.'),
    status: z
      .enum(['pending', 'indexed', 'rejected', 'dropped'])
      .describe(
        '`rejected`: the search engine does not accept the item. `dropped`: an operator dropped the newest change; the next change is indexed again. In both cases lists show the item as it was before, or not at all, until a later change is accepted.',
      ),
    since: timestamp
      .optional()
      .describe('Since when lists do not show the item as it is; for `dropped`, when the change was dropped. Absent for `indexed`.'),
    reason: z.string().optional().describe('Why the search engine does not accept the item. Present for users who may change the item.'),
  })
  .meta({ id: 'IndexStatus' });
export type IndexStatus = z.infer<typeof IndexStatus>;

/** A reason may quote the item, so only users who may change the item receive it. @throws Problem 404 */
export async function getIndexStatus(database: Database, contentId: number, user: AuthenticatedUser): Promise<IndexStatus> {
  const item = await readItemStatus(database, contentId);
  if (!item) throw noSuchContent();
  const reason = item.inOutbox ? item.rejectedReason : item.droppedReason;
  const maySeeReason = item.creatorId === user.userId || user.mayWriteForOthers;
  return {
    contentId,
    revision: item.revision,
    status: statusOf(item),
    ...(item.since && { since: toTimestamp(item.since) }),
    ...(maySeeReason && reason !== null && { reason }),
  };
}

function statusOf({ inOutbox, rejectedReason: rejected, droppedReason: dropped }: ItemStatus): IndexStatus['status'] {
  if (inOutbox) return rejected === null ? 'pending' : 'rejected';
  return dropped === null ? 'indexed' : 'dropped';
}
