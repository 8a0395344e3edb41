import type { Mutant } from './mutant.ts';

const CLAIM = 'packages/shared/src/outbox/claim.ts';
const PACE = 'packages/shared/src/outbox/backpressure.ts';
const BACKLOG = 'packages/shared/src/outbox/backlog.ts';
const REJECTED = 'packages/shared/src/outbox/rejected.ts';
const SWAP = 'services/indexer/src/indices/swap.ts';
const COMPARE = 'services/indexer/src/indices/compare.ts';
const ITEM_STATES = 'packages/shared/src/outbox/item-states.ts';

/** The cost of a claim, the order of locks, the backpressure of bulk work, and dropped changes. */
export const OUTBOX_MUTANTS: Mutant[] = [
  {
    file: CLAIM,
    from: 'due_at <= statement_timestamp()',
    to: 'due_at <= clock_timestamp()',
    why: 'every pass of the relay reads all rows that are not due yet',
    test: 'pipeline/claim',
  },
  {
    file: CLAIM,
    from: 'due_at <= statement_timestamp()',
    to: `due_at between statement_timestamp() - interval '3 s' and statement_timestamp()`,
    why: 'an upload whose transaction commits late is never found by a search',
    test: 'pipeline/claim',
  },
  {
    file: CLAIM,
    from: 'where job_id = any($1::uuid[]) order by content_id for update)',
    to: 'where job_id = any($1::uuid[]) order by content_id desc for update)',
    why: 'the relay and a rename deadlock, and one of them fails',
    test: 'pipeline/lock-order',
  },
  {
    file: 'packages/shared/src/outbox/mark-pending.ts',
    from: 'from ${changed} order by content_id\n',
    to: 'from ${changed}\n',
    why: 'two renames or repairs deadlock, and one of them fails',
    test: 'pipeline/lock-order',
  },
  {
    file: 'packages/shared/src/outbox/acknowledge.ts',
    from: 'pendingSeconds.keys().some((contentId) => !removed.has(contentId))',
    to: 'removed.size === 0',
    why: 'a change that was made while others of its job were written waits until its job counts as lost',
    test: 'pipeline/protocol',
  },
  {
    file: 'packages/shared/src/outbox/acknowledge.ts',
    from: 'if (removed.size === indexed.length) return removed;',
    to: 'return removed;',
    why: 'the status of an item says that nothing was indexed while a newer revision is pending',
    test: 'pipeline/protocol',
  },
  {
    file: 'packages/shared/src/outbox/acknowledge.ts',
    from: 'or job_id = $2::uuid order by content_id for update',
    to: 'or (false and job_id = $2::uuid) order by content_id for update',
    why: 'a job that ends while indexing is paused and a rename deadlock',
    test: 'pipeline/lock-order',
  },
  {
    file: REJECTED,
    from: 'order by content_id limit ${BULK_BATCH_SIZE} for update',
    to: 'order by content_id desc limit ${BULK_BATCH_SIZE} for update',
    why: 'a retry or drop and a rename deadlock, and one of them fails',
    test: 'pipeline/lock-order',
  },
  {
    file: PACE,
    from: '(await countPendingUpTo(database, BULK_PENDING_LIMIT)) >= BULK_PENDING_LIMIT',
    to: '(await countPendingUpTo(database, BULK_PENDING_LIMIT)) >= 1e9',
    why: 'new uploads wait behind all items of a rename',
    test: 'pipeline/bulk-pace',
  },
  {
    file: PACE,
    from: 'performance.now() < deadline && ',
    to: '',
    why: 'a rename does not end while downloads keep 1,000 changes pending',
    test: 'pipeline/bulk-pace',
  },
  {
    file: BACKLOG,
    from: 'where ${UNCLAIMED} limit',
    to: 'where job_id is null limit',
    why: '1,000 rejected items slow every rename down to one batch in 10 s',
    test: 'pipeline/bulk-pace',
  },
  {
    file: BACKLOG,
    from: 'where ${CLAIMED} limit',
    to: 'where false limit',
    why: 'claimed changes are not counted, so that new uploads wait for thousands of further items',
    test: 'pipeline/bulk-pace',
  },
  {
    file: 'services/api/src/users/rename-user.ts',
    from: '    await waitForBacklog();\n',
    to: '',
    why: 'new uploads wait behind all items of a rename',
    test: 'pipeline/bulk-pace',
  },
  {
    file: 'services/indexer/src/indices/audit.ts',
    from: '    await waitForBacklog();\n',
    to: '',
    why: 'new uploads wait behind all items of a repair',
    test: 'pipeline/bulk-pace',
  },
  {
    file: REJECTED,
    from: '    await waitForBacklog?.();\n',
    to: '',
    why: 'new uploads wait behind all items of a retry',
    test: 'pipeline/bulk-pace',
  },
  {
    file: 'services/indexer/src/indices/audit.ts',
    from: `repair && difference.difference !== 'dropped'`,
    to: 'repair',
    why: 'a repair makes dropped changes pending again, and they are rejected again',
    test: 'pipeline/dropped',
  },
  {
    file: REJECTED,
    from: 'select content_id, revision, rejected_reason from removed order by content_id',
    to: 'select content_id, revision, rejected_reason from removed where false',
    why: 'after a drop every audit reports the item, and a rollback to the previous index fails',
    test: 'pipeline/dropped',
  },
  {
    file: COMPARE,
    from: `  if (dropped) return 'dropped';\n`,
    to: '',
    why: 'after a drop every audit reports the item, and a rollback to the previous index fails',
    test: 'pipeline/dropped',
  },
  {
    file: ITEM_STATES,
    from: 'd.content_id = id and d.revision = c.revision',
    to: 'd.content_id = id and d.revision <= c.revision',
    why: 'the audit does not report an item that was changed after a drop and is missing from the index',
    test: 'pipeline/dropped',
  },
  {
    file: COMPARE,
    from: `if (indexedRevision !== null && indexedRevision > revision) return 'ahead';`,
    to: `if (indexedRevision !== null && indexedRevision > revision && !dropped) return 'ahead';`,
    why: 'after a restore of PostgreSQL the audit does not report a dropped item of which the index has a newer revision',
    test: 'pipeline/dropped',
  },
  {
    file: ITEM_STATES,
    from: 'd.content_id = c.content_id and d.revision = c.revision',
    to: 'd.content_id = c.content_id',
    why: 'an item has the status dropped forever, even when its next change is indexed',
    test: 'pipeline/dropped',
  },
  {
    file: 'services/api/src/content/get-index-status.ts',
    from: 'maySeeReason && reason !== null',
    to: 'reason !== null',
    why: 'other users can read why an item was rejected, which may quote the item',
    test: 'pipeline/dropped',
  },
  {
    file: 'services/indexer/src/indices/resolve-rejection.ts',
    from: '  if (await isDropped(database, contentId, revision)) return true;\n',
    to: '',
    why: 'every rebuild rejects a dropped item again, and the alert fires again',
    test: 'pipeline/dropped',
  },
  {
    file: 'services/indexer/src/indices/resolve-rejection.ts',
    from: '  if (await hasRevision(elasticsearch, indexName, change)) return true;\n',
    to: '',
    why: 'a rebuild fails because an item was corrected while its old revision was written to the new index',
    test: 'pipeline/rejected-items',
  },
  {
    file: SWAP,
    from: `else if (role === 'previous') dropped.push(difference);`,
    to: `else if (role === 'search') dropped.push(difference);`,
    why: 'a rollback removes an item from lists',
    test: 'pipeline/dropped',
  },
  {
    file: SWAP,
    from: '(indexedRevision ?? 0) < (shown.get(contentId) ?? 0)',
    to: '(indexedRevision ?? 0) <= (shown.get(contentId) ?? 0)',
    why: 'one dropped item prevents every rollback',
    test: 'pipeline/dropped',
  },
  {
    file: SWAP,
    from: 'await forgetIndexedDropped(deps, to.indexName)',
    to: 'await Promise.resolve()',
    why: 'an item that a new mapping accepts has the status dropped forever',
    test: 'pipeline/dropped',
  },
  {
    file: 'services/indexer/src/purge/purge.ts',
    from: '  await removeStaleDropped(deps.database);\n',
    to: '',
    why: 'the table of dropped changes grows without limit',
    test: 'pipeline/dropped',
  },
];
