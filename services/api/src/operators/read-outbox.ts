import { pausedSince } from '@ugc/shared/indices/pause';
import { countChanges, type Backlog as CountedBacklog } from '@ugc/shared/outbox/backlog';
import { countDropped } from '@ugc/shared/outbox/dropped';
import { listRejected } from '@ugc/shared/outbox/rejected';
import type { Database } from '@ugc/shared/stores/postgres';
import type { Backlog, OperationsStatus, RejectedItem } from '@ugc/shared/contracts/operations-status';

type ValueOf<P> = P extends { value: infer T } ? T : never;

const REJECTED_MAX = 20;
const REASON_MAX_CHARACTERS = 500;

export async function readIndexing(database: Database): Promise<ValueOf<OperationsStatus['indexing']>> {
  return { pausedSince: (await pausedSince(database))?.toISOString() ?? null };
}

export async function readBacklogNow(count: () => Promise<CountedBacklog>): Promise<Backlog> {
  const { pending, oldestPendingSeconds } = await count();
  return { pending, oldestPendingSeconds };
}

/** One query after the other, so that the page takes one connection from the pool and not three. */
export async function readRejected(database: Database): Promise<ValueOf<OperationsStatus['rejected']>> {
  const rejected = await listRejected(database, REJECTED_MAX);
  const items = rejected.map((item): RejectedItem => ({
    ...item,
    since: item.since.toISOString(),
    reason: item.reason.slice(0, REASON_MAX_CHARACTERS),
  }));
  const isAll = items.length < REJECTED_MAX;
  return { total: isAll ? items.length : await countChanges(database, 'rejected'), dropped: await countDropped(database), items };
}
