import { listTargets } from '@ugc/shared/indices/targets';
import { readItemStates, type ItemState } from '@ugc/shared/outbox/item-states';
import { raiseRevisions } from '@ugc/shared/outbox/ahead';
import type { Log } from '@ugc/shared/process/log';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Database } from '@ugc/shared/postgres/postgres';
import { readRevisions } from '../documents/read-revisions.ts';

export type ConflictDeps = { database: Database; elasticsearch: Elasticsearch; onAhead?: OnAhead };

/** Called with the ids of items that the index has in a newer state than PostgreSQL. */
export type OnAhead = (contentIds: number[]) => void;

const NAMED_MAX = 10;

export function reportAhead(log: Log): OnAhead {
  return (contentIds) =>
    log.error(
      { itemCount: contentIds.length, contentIds: contentIds.slice(0, NAMED_MAX) },
      'the index is ahead of PostgreSQL, as after a restore of PostgreSQL; these items are indexed again; run npx pnpm index:audit --repair for all others',
    );
}

/** A change that these targets did not accept because of its revision. `isDeletion`: it deletes the document. */
export type Conflict = { contentId: number; revision: number; isDeletion: boolean; indexNames: string[] };

/**
 * `held`: the targets have this revision or a newer one. `pending`: a newer revision is in the outbox. `deleted`: a
 * target has deleted the document within the last minute, with a newer version, and does not accept the change yet.
 */
export type Resolution = 'held' | 'pending' | 'deleted';

/**
 * Only a committed revision is written to the index. A version that is greater than a revision that was read after it
 * therefore belongs to a state that PostgreSQL has lost by a restore: the item is ahead. It gets a revision above the
 * versions of all targets. Every other conflict is a job that another one has overtaken.
 */
export async function resolveConflicts(deps: ConflictDeps, conflicts: Conflict[]): Promise<Map<number, Resolution>> {
  if (conflicts.length === 0) return new Map();
  const contentIds = conflicts.map(({ contentId }) => contentId);
  // This order matters: first the versions, then the revisions.
  const versions = await readVersions(deps, contentIds);
  const items = await readItemStates(deps.database, contentIds);
  const stored = new Map(items.map((item) => [item.contentId, item]));
  const ahead = contentIds.filter((id) => isAhead(stored.get(id), greatestVersion(versions, id)));
  await raiseAbove(deps, versions, { contentIds: ahead, ahead });
  const raised = new Set(ahead);
  return new Map(
    conflicts.map((conflict) => {
      const { contentId } = conflict;
      return [contentId, raised.has(contentId) ? 'pending' : resolve(conflict, versions, stored.get(contentId))];
    }),
  );
}

/** An item that PostgreSQL does not have is deleted with the revision of its outbox row. */
function isAhead(item: ItemState | undefined, version: number): boolean {
  return version > (item?.revision ?? item?.outboxRevision ?? Infinity);
}

function resolve({ contentId, revision, isDeletion, indexNames }: Conflict, versions: Versions, item: ItemState | undefined): Resolution {
  // The newer revision is not indexed before its own job has written it: the version may be of a lost state.
  if ((item?.outboxRevision ?? 0) > revision) return 'pending';
  const isDeleted = indexNames.some((indexName) => versions.get(indexName)?.has(contentId) === false);
  return isDeleted && !isDeletion ? 'deleted' : 'held';
}

type Difference = { contentId: number; difference: string };

/** Puts the items into the outbox with a revision that every target accepts. Documents without an item are deleted. */
export async function repairItems(deps: ConflictDeps, differences: Difference[]): Promise<void> {
  const contentIds = differences.map(({ contentId }) => contentId);
  const ahead = differences.filter(({ difference }) => difference === 'ahead').map(({ contentId }) => contentId);
  await raiseAbove(deps, await readVersions(deps, contentIds), { contentIds, ahead });
}

type Repaired = { contentIds: number[]; ahead: number[] };

/** Only targets of this database are written to, so their versions are those of states that this database had. */
async function raiseAbove({ database, onAhead }: ConflictDeps, versions: Versions, { contentIds, ahead }: Repaired): Promise<void> {
  if (contentIds.length === 0) return;
  const items = contentIds.map((contentId) => ({ contentId, version: greatestVersion(versions, contentId) }));
  await raiseRevisions(database, items, ahead.length);
  if (ahead.length > 0) onAhead?.(ahead);
}

/** The versions of documents, by the id of the item, by the name of the target. */
type Versions = Map<string, Map<number, number>>;

/** Reads every target that is written, in real time. A revision above all of these versions is accepted by all. */
async function readVersions({ database, elasticsearch }: ConflictDeps, contentIds: number[]): Promise<Versions> {
  const versions: Versions = new Map();
  for (const { indexName, retiredReason } of await listTargets(database)) {
    if (retiredReason === null) versions.set(indexName, await readRevisions(elasticsearch, indexName, contentIds));
  }
  return versions;
}

/** @returns 0 if no target has a document */
function greatestVersion(versions: Versions, contentId: number): number {
  return Math.max(0, ...[...versions.values()].map((ofTarget) => ofTarget.get(contentId) ?? 0));
}
