import { readExpectedItems, type ExpectedItem as Stored } from '@ugc/shared/outbox/item-states';
import type { Database } from '@ugc/shared/stores/postgres';
import { readRevisions } from './target-indices.ts';
import type { Progress } from './fill.ts';
import { listDifferingIds, type CompareDeps } from './merge-join.ts';

/** How an index differs from PostgreSQL in one item that has no pending or rejected change. */
export type Difference = {
  contentId: number;
  /**
   * `missing`: only in PostgreSQL · `stale`: older in the index · `ahead`: newer in the index, as after a restore of
   * PostgreSQL · `orphaned`: only in the index · `dropped`: missing or stale because an operator dropped the change,
   * which is expected.
   */
  difference: 'missing' | 'stale' | 'ahead' | 'orphaned' | 'dropped';
  /** In PostgreSQL; null if the item does not exist there. */
  revision: number | null;
  /** In the index; null if the item does not exist there. */
  indexedRevision: number | null;
};

/** Only one audit runs at a time. */
export const AUDIT_LOCK = 7_316_204_119;

const CONFIRM_BATCH = 500;

/**
 * Yields the differences between PostgreSQL and an index in content_id order. Memory is constant. Both sides change in
 * the meantime, so each difference is confirmed before it is yielded.
 */
export async function* compareIndex(deps: CompareDeps, indexName: string, progress: Progress): AsyncGenerator<Difference> {
  let suspects: number[] = [];
  for await (const contentId of listDifferingIds(deps, indexName, progress)) {
    suspects.push(contentId);
    if (suspects.length < CONFIRM_BATCH) continue;
    yield* await confirm(deps, indexName, suspects);
    suspects = [];
  }
  yield* await confirm(deps, indexName, suspects);
}

/** Keeps the differences of items that were unchanged, and not in the outbox, before and after the index was read. */
async function confirm(deps: CompareDeps, indexName: string, contentIds: number[]): Promise<Difference[]> {
  if (contentIds.length === 0) return [];
  const before = await readStored(deps.database, contentIds);
  const indexed = await readRevisions(deps.elasticsearch, indexName, contentIds);
  const after = await readStored(deps.database, contentIds);
  return contentIds
    .filter((id) => isUnchanged(before.get(id), after.get(id)))
    .map((id) => differenceOf(id, after.get(id), indexed.get(id)))
    .filter((difference) => difference !== undefined);
}

async function readStored(database: Database, contentIds: number[]): Promise<Map<number, Stored>> {
  const rows = await readExpectedItems(database, contentIds);
  return new Map(rows.map((row) => [row.contentId, row]));
}

function isUnchanged(before: Stored | undefined, after: Stored | undefined): boolean {
  return before?.pending === false && after?.pending === false && before.revision === after.revision;
}

function differenceOf(contentId: number, stored: Stored | undefined, indexedRevision: number | null = null): Difference | undefined {
  const revision = stored?.revision ?? null;
  const difference = revision === null ? orphanOf(indexedRevision) : compareRevisions({ ...stored, revision }, indexedRevision);
  return difference && { contentId, difference, revision, indexedRevision };
}

function orphanOf(indexedRevision: number | null): 'orphaned' | undefined {
  return indexedRevision === null ? undefined : 'orphaned';
}

type Live = Partial<Stored> & { revision: number };

function compareRevisions({ revision, deleted, dropped }: Live, indexedRevision: number | null): Difference['difference'] | undefined {
  if (revision === indexedRevision) return undefined;
  if (indexedRevision !== null && indexedRevision > revision) return 'ahead';
  // A deleted item may have neither a document nor a tombstone.
  if (indexedRevision === null && deleted) return undefined;
  if (dropped) return 'dropped';
  return indexedRevision === null ? 'missing' : 'stale';
}
