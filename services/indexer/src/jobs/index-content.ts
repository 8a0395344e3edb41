import { fromStored } from '@ugc/fields/definition';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { acknowledge, type Acknowledged, type ChangeResult } from '@ugc/shared/outbox/acknowledge';
import { readPendingChanges } from '@ugc/shared/outbox/read-pending-changes';
import { isConflict, makeChanges, toChange, type Change, type DocumentForm, type WriteResult } from '../documents/bulk.ts';
import { resolveConflicts, type Conflict, type ConflictDeps, type Resolution } from '../conflicts/resolve-conflicts.ts';
import { retireTargets, type Retirement, type IndexTarget } from '@ugc/shared/indices/targets';
import { textRulesOf } from '@ugc/text/rules/text-rules';
import type { DatabaseIdentity } from '@ugc/shared/contracts/database-identity';
import { refusalOf, type Ownership } from '@ugc/shared/ownership/ownership';
import { inSpan } from '@ugc/shared/tracing/spans';
import { TracedChanges } from './traced-changes.ts';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { confirmRejections, writeChanges, type WriteResults } from '../documents/write-changes.ts';

/** Limits the memory that a job takes: its items may have hundreds of kilobytes each. */
const SLICE_BYTES = 8 * 1024 * 1024;

type IndexContentDeps = ConflictDeps & { ownership: Ownership };
type IndexContentJob = { jobId: string; contentIds: number[] };

export type JobReport = Acknowledged & { retired: Retirement[]; allFailed: boolean };

/**
 * The state of PostgreSQL is written with its revision as external version, so repeated, late and reordered jobs are
 * harmless. A change leaves the outbox only when every target holds its revision, or a newer one of this PostgreSQL.
 */
export async function indexContent(deps: IndexContentDeps, job: IndexContentJob): Promise<JobReport> {
  const options = { kind: 'CONSUMER' as const, isRoot: true, attributes: { 'ugc.changes': job.contentIds.length } };
  return inSpan('index-content', options, (span) => indexSlices(deps, job, new TracedChanges(span)));
}

async function indexSlices(deps: IndexContentDeps, { jobId, contentIds }: IndexContentJob, traced: TracedChanges): Promise<JobReport> {
  const slices: Slice[] = [];
  for (let remaining = contentIds; remaining.length > 0;) {
    const slice = await indexSlice(deps, remaining, traced);
    slices.push(slice);
    remaining = remaining.filter((contentId) => contentId > slice.lastContentId);
  }
  const results = slices.flatMap((slice) => slice.results);
  const retired = slices.flatMap((slice) => slice.retired);
  await retireTargets(deps.database, retired);
  // The generation only grows: if it is still that of the first slice, it was the same for all of them.
  const acknowledged = await acknowledge(deps.database, { jobId, generation: slices[0]?.generation ?? 0, results });
  traced.acknowledged(acknowledged.results);
  const allFailed = results.length > 0 && results.every(({ result }) => result === 'retried');
  return { ...acknowledged, retired, allFailed };
}

type Slice = { generation: number; lastContentId: number; results: ChangeResult[]; retired: Retirement[] };

/** Indexes the first of these items: as many as fit in memory. */
async function indexSlice(deps: IndexContentDeps, contentIds: number[], traced: TracedChanges): Promise<Slice> {
  const { generation, database: self, targets: listed, rows } = await readPendingChanges(deps.database, contentIds, SLICE_BYTES);
  traced.read(rows);
  const items = rows.map(toItem);
  const targets = await withRefusals(deps.ownership, self, listed);
  const written = await writeToTargets(deps.elasticsearch, targets, changesOf(rows));
  const resolutions = await resolveConflicts(deps, conflictsIn(items, written));
  // A change without a result stays in the outbox.
  const decided = items.filter(({ contentId }) => resolutions.get(contentId) !== 'pending');
  const results = decided.map((item) => combine(item, written.get(item.contentId) ?? [], resolutions.get(item.contentId)));
  const retired = results.flatMap((change) => retirementsOf(change, written.get(change.contentId) ?? []));
  return { generation, lastContentId: rows.at(-1)?.pendingId ?? Infinity, results, retired };
}

/** `isDeletion`: PostgreSQL does not have the item, so its document is deleted. */
type Item = { contentId: number; revision: number; isDeletion: boolean };
type Rows = Awaited<ReturnType<typeof readPendingChanges>>['rows'];

function toItem(row: Rows[number]): Item {
  const isDeletion = row.contentId === null;
  return { contentId: row.pendingId, revision: isDeletion ? row.pendingRevision : row.revision, isDeletion };
}

/** Targets with documents of the same form share them. */
function changesOf(rows: Rows): ChangesFor {
  const made = new Map<string, Promise<Change[]>>();
  const make = (form: DocumentForm): Promise<Change[]> =>
    makeChanges(rows, (row) => (row.contentId === null ? { ...toItem(row), source: null } : toChange(row, form)));
  return ({ mappingVersion, hasData, fields }) => {
    const rules = textRulesOf(mappingVersion);
    const key = JSON.stringify([rules.mappingVersion, hasData, fields]);
    const changes = made.get(key) ?? make({ rules, hasData, definitions: fromStored(fields) });
    made.set(key, changes);
    return changes;
  };
}

function conflictsIn(items: Item[], written: Written): Conflict[] {
  const conflicts = items.map((item) => {
    const results = written.get(item.contentId) ?? [];
    return { ...item, indexNames: results.filter(isConflict).map(({ target }) => target.indexName) };
  });
  return conflicts.filter(({ indexNames }) => indexNames.length > 0);
}

type Listed = Awaited<ReturnType<typeof readPendingChanges>>['targets'][number];

async function withRefusals(ownership: Ownership, self: DatabaseIdentity, targets: Listed[]): Promise<Target[]> {
  const judged = await ownership.judgeRecently(self, targets);
  return targets.map((target) => {
    const verdict = judged.get(target.indexName);
    const refusal = refusalOf(self, target.indexName, verdict) ?? refusalOfMapping(target);
    return { ...target, hasData: verdict?.hasData ?? true, refusal };
  });
}

// During a deployment only the newer indexers know the fields of a newer index.
function refusalOfMapping({ mappingVersion }: Listed): string | undefined {
  if (mappingVersion <= MAPPING_VERSION) return undefined;
  return `it has mapping version ${mappingVersion}; this indexer writes version ${MAPPING_VERSION}`;
}

function combine({ contentId, revision, isDeletion }: Item, results: TargetResult[], resolution?: Resolution): ChangeResult {
  const retried = (reason: string): ChangeResult => ({ result: 'retried', contentId, reason });
  if (results.length === 0) return retried('there is no index to write to');
  const failed = results.find((result) => result.outcome === 'retry');
  if (failed) return retried(`${failed.target.indexName} (${failed.target.role}): ${failed.reason}`);
  if (resolution === 'deleted') return retried('the index has deleted a newer version of the item within the last minute');

  const rejection = decidingRejection(results);
  if (rejection) return { result: 'rejected', contentId, revision, reason: rejection.reason };
  const rejected = results.find((result) => result.outcome === 'reject');
  const isSearched = results.some(({ outcome, target }) => outcome === 'done' && target.role === 'search');
  if (!rejected || isSearched) return { result: 'acknowledged', contentId, revision, ...(isDeletion && { orphan: true }) };
  return retried(`the index has an older mapping version; run npx pnpm index:rebuild: ${rejected.reason}`);
}

/** A target that rejects an item which the searched index holds must never be searched, so it is retired. */
function retirementsOf({ result, contentId }: ChangeResult, results: TargetResult[]): Retirement[] {
  if (result !== 'acknowledged') return [];
  return results
    .filter((targetResult) => targetResult.outcome === 'reject')
    .map(({ target, reason }) => ({ indexName: target.indexName, reason: `item ${contentId}: ${reason}` }));
}

/** `refusal`: why this process does not write to the index. */
type Target = Pick<IndexTarget, 'indexName' | 'role' | 'mappingVersion' | 'fields'> & { hasData: boolean; refusal: string | undefined };
type TargetResult = WriteResult & { target: Target };
/** The results of each target, by the id of the item. */
type Written = Map<number, TargetResult[]>;
/** The changes as they are written to a target. */
type ChangesFor = (target: Pick<Target, 'mappingVersion' | 'hasData' | 'fields'>) => Promise<Change[]>;

/** Writes to the searched index last, and only what no other target has to retry, so a swap shows no older state. */
async function writeToTargets(elasticsearch: Elasticsearch, targets: Target[], changesFor: ChangesFor): Promise<Written> {
  const written: Written = new Map();
  for (const target of targets.toSorted((a, b) => Number(a.role === 'search') - Number(b.role === 'search'))) {
    const changes = (await changesFor(target)).filter(({ contentId }) => !mustBeRetried(written.get(contentId)));
    for (const [contentId, result] of await writeToTarget(elasticsearch, target, changes)) {
      written.set(contentId, [...(written.get(contentId) ?? []), { ...result, target }]);
    }
  }
  await confirmAll(elasticsearch, written, changesFor);
  return written;
}

async function writeToTarget(elasticsearch: Elasticsearch, { indexName, refusal }: Target, changes: Change[]): Promise<WriteResults> {
  if (refusal === undefined) return writeChanges(elasticsearch, indexName, changes);
  return new Map(changes.map(({ contentId }) => [contentId, { outcome: 'retry', reason: refusal }]));
}

function mustBeRetried(results: TargetResult[] = []): boolean {
  return results.some(({ outcome }) => outcome === 'retry');
}

/**
 * Which rejection makes an item a rejected one: that of a target with this code's mapping, the searched one before
 * others. None does if the searched index holds the item: then the other target is at fault.
 */
function decidingRejection(results: TargetResult[]): (TargetResult & { outcome: 'reject' }) | undefined {
  if (mustBeRetried(results) || results.some(({ outcome, target }) => outcome === 'done' && target.role === 'search')) return undefined;
  const rejections = results.filter((result) => result.outcome === 'reject');
  return rejections.findLast(({ target }) => target.mappingVersion === MAPPING_VERSION);
}

async function confirmAll(elasticsearch: Elasticsearch, written: Written, changesFor: ChangesFor): Promise<void> {
  const deciding = [...written].flatMap(([contentId, results]) => {
    const target = decidingRejection(results)?.target;
    return target ? [{ contentId, target }] : [];
  });
  for (const [target, rejected] of Map.groupBy(deciding, (decided) => decided.target)) {
    const ids = new Set(rejected.map(({ contentId }) => contentId));
    const changes = (await changesFor(target)).filter(({ contentId }) => ids.has(contentId));
    for (const [contentId, result] of await confirmRejections(elasticsearch, target.indexName, changes)) {
      const others = written.get(contentId)?.filter((other) => other.target !== target) ?? [];
      written.set(contentId, [...others, { ...result, target }]);
    }
  }
}
