import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { readItemStates, type ItemState } from '@ugc/shared/outbox/item-states';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { Log } from '@ugc/shared/process/log';
import { refreshIndex } from '@ugc/shared/indices/searched-index';
import { countContent, readRange, type Range } from './read-range.ts';
import { RebuildError, type Progress, type IndexDeps } from '../targets/target-indices.ts';
import { readRevisions, readTombstones } from '../documents/read-revisions.ts';

/**
 * `missing`: only in PostgreSQL · `stale`: older in the index · `ahead`: newer in the index, as after a restore of
 * PostgreSQL, or of a lost state with the same revision · `orphaned`: only in the index · `dropped`: missing or stale because
 * an operator dropped the change.
 */
type Kind = keyof DifferenceCounts;

/**
 * `revision` is that in PostgreSQL. Both revisions are null where the item does not exist. `withheld`: the index does not show
 * the item, which PostgreSQL has as a public one. So it was deleted, hidden or no longer published in the lost state.
 */
export type Difference = {
  contentId: number;
  difference: Kind;
  revision: number | null;
  indexedRevision: number | null;
  withheld?: true;
};

export function idsOfWithheld(differences: Difference[]): number[] {
  return differences.filter(({ withheld }) => withheld).map(({ contentId }) => contentId);
}

export const AUDIT_LOCK = 'audit';

type CompareDeps = Pick<IndexDeps, 'database' | 'elasticsearch' | 'signal'>;

const RANGE = 5_000;
const CONFIRM_BATCH = 500;
const NAMED_MAX = 10;

/**
 * Compares in content_id order, in constant memory. Both sides change meanwhile, so each difference is confirmed before
 * it is yielded.
 * @param onStrays is called with the IDs of documents that no part of this service wrote; by default they are an error
 */
export async function* compareIndex(
  deps: CompareDeps,
  indexName: string,
  progress: Progress,
  onStrays: OnStrays = refuseStrays,
): AsyncGenerator<Difference> {
  await refreshIndex(deps.elasticsearch, indexName);
  const total = await countContent(deps.database);
  let done = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    deps.signal.throwIfAborted();
    const { last, suspects, strays, size }: Range = await readRange(deps, indexName, after, RANGE);
    if (strays.length > 0) onStrays(indexName, strays);
    for (let first = 0; first < suspects.length; first += CONFIRM_BATCH)
      yield* await confirmDifferences(deps, indexName, suspects.slice(first, first + CONFIRM_BATCH));
    done += size;
    progress('Comparing', done, Math.max(done, total));
    after = last;
  }
}

type OnStrays = (indexName: string, documentIds: string[]) => void;

/** @throws RebuildError that names the first one */
const refuseStrays: OnStrays = (indexName, [documentId = '']) => {
  throw new RebuildError(`no part of this service wrote the document ${JSON.stringify(documentId)} in ${indexName}: delete it`);
};

/** A comparison that runs by itself names strays and goes on. Lists show such a document, unless it has `deleted: true`. */
export function reportStrays(log: Log): OnStrays {
  return (indexName, documentIds) =>
    log.error({ indexName, documentIds: documentIds.slice(0, NAMED_MAX) }, 'no part of this service wrote these documents: delete them');
}

type ConfirmDeps = Pick<CompareDeps, 'database' | 'elasticsearch'>;

/** Keeps the differences of items that were unchanged, and not in the outbox, before and after the index was read. */
export async function confirmDifferences(deps: ConfirmDeps, indexName: string, contentIds: number[]): Promise<Difference[]> {
  if (contentIds.length === 0) return [];
  const before = await readStored(deps.database, contentIds);
  const indexed = await readRevisions(deps.elasticsearch, indexName, contentIds);
  const alike = contentIds.filter((id) => before.get(id)?.revision === indexed.get(id));
  const tombstones = await readTombstones(deps.elasticsearch, indexName, alike);
  const after = await readStored(deps.database, contentIds);
  const lost = new Set(alike.filter((id) => after.get(id)?.deleted !== tombstones.has(id)));
  const differences = contentIds
    .filter((id) => isUnchanged(before.get(id), after.get(id)))
    .map((id) => differenceOf(id, after.get(id), { indexedRevision: indexed.get(id), isLost: lost.has(id) }))
    .filter((difference) => difference !== undefined);
  const isPublic = ({ contentId }: Difference): boolean => after.get(contentId)?.deleted === false;
  return markWithheld(deps, indexName, differences, isPublic);
}

/** An index that is behind shows what was deleted; only one that is ahead knows what is to be hidden again. */
async function markWithheld(
  { elasticsearch }: ConfirmDeps,
  indexName: string,
  differences: Difference[],
  isPublic: (difference: Difference) => boolean,
): Promise<Difference[]> {
  const ahead = differences.filter((difference) => difference.difference === 'ahead' && isPublic(difference));
  const ids = ahead.map(({ contentId }) => contentId);
  const tombstones = await readTombstones(elasticsearch, indexName, ids);
  return differences.map((difference) =>
    isPublic(difference) && tombstones.has(difference.contentId) ? { ...difference, withheld: true } : difference,
  );
}

async function readStored(database: Database, contentIds: number[]): Promise<Map<number, ItemState>> {
  const rows = await readItemStates(database, contentIds);
  return new Map(rows.map((row) => [row.contentId, row]));
}

function isUnchanged(before: ItemState | undefined, after: ItemState | undefined): boolean {
  return before?.inOutbox === false && after?.inOutbox === false && before.revision === after.revision;
}

type Indexed = { indexedRevision: number | null | undefined; isLost: boolean };

function differenceOf(
  contentId: number,
  stored: ItemState | undefined,
  { indexedRevision = null, isLost }: Indexed,
): Difference | undefined {
  const revision = stored?.revision ?? null;
  const difference = compareRevisions({ ...stored, revision, isLost }, indexedRevision);
  return difference && { contentId, difference, revision, indexedRevision };
}

/**
 * `isLost`: the document has the revision of the item, and shows what PostgreSQL does not, or the reverse. After a restore of
 * PostgreSQL, what never was public may have the revision, and also the id, of what the lost state had published.
 */
type Expected = Partial<Pick<ItemState, 'deleted' | 'dropped'>> & { revision: number | null; isLost: boolean };

function compareRevisions({ revision, deleted, dropped, isLost }: Expected, indexedRevision: number | null): Kind | undefined {
  if (revision === indexedRevision) return isLost ? 'ahead' : undefined;
  if (revision === null) return 'orphaned';
  if (indexedRevision !== null && indexedRevision > revision) return 'ahead';
  // A deleted item may have neither a document nor a tombstone.
  if (indexedRevision === null && deleted) return undefined;
  if (dropped) return 'dropped';
  return indexedRevision === null ? 'missing' : 'stale';
}
