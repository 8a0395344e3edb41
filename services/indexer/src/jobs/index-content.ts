import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { retireTargets, type Retirement } from '../targets.ts';
import type { Database } from '@ugc/shared/stores/postgres';
import { acknowledge, type Answer } from '@ugc/shared/outbox/acknowledge';
import type { Change, Outcome } from '../documents/bulk.ts';
import { readChanges, type Target } from './read-changes.ts';
import { writeChanges, type Outcomes } from '../documents/write-changes.ts';

/**
 * Brings the index up to date for some items.
 *
 * Guarantee: what PostgreSQL says now is written with its revision as external version, so that repeated, late and reordered
 *   jobs are harmless; an item leaves the outbox only when every target holds that revision.
 * Cost: one statement, one bulk request for each target and 8 MB, one transaction, for any number of items.
 * Limits: all of a job's documents are in memory at once.
 */
export async function indexContent(deps: { database: Database; elasticsearch: Elasticsearch }, job: IndexContentJob): Promise<IndexReport> {
  const { generation, targets, changes } = await readChanges(deps.database, job.contentIds);
  const results = await writeToTargets(deps.elasticsearch, targets, changes);
  const verdicts = changes.map((change) => judge(change, results.get(change.contentId) ?? []));
  const answers = verdicts.map(({ answer }) => answer);
  const givenUp = verdicts.flatMap(({ unfit }) => unfit);
  await retireTargets(deps.database, givenUp);
  const pendingSeconds = await acknowledge(deps.database, { jobId: job.jobId, generation, answers });
  return { answers, givenUp, pendingSeconds };
}

export type IndexContentJob = { jobId: string; contentIds: number[] };
export type IndexReport = { answers: Answer[]; givenUp: Retirement[]; pendingSeconds: number[] };

/** What became of a change in one of the indices. */
type Result = Outcome & { target: Target };

/** The index that is searched comes last and takes nothing that another may yet take, so that swapping them never shows an older state. */
async function writeToTargets(elasticsearch: Elasticsearch, targets: Target[], changes: Change[]): Promise<Map<number, Result[]>> {
  const results = new Map(changes.map(({ contentId }): [number, Result[]] => [contentId, []]));
  let remaining = changes;
  for (const target of searchedLast(targets)) {
    const outcomes = await writeToTarget(elasticsearch, target, remaining);
    for (const [contentId, outcome] of outcomes) results.get(contentId)?.push({ ...outcome, target });
    remaining = remaining.filter(({ contentId }) => outcomes.get(contentId)?.kind !== 'retry');
  }
  return results;
}

function searchedLast(targets: Target[]): Target[] {
  return targets.toSorted((a, b) => Number(a.role === 'search') - Number(b.role === 'search'));
}

// While a deployment is under way, only the newer indexers know what a newer index is to hold.
async function writeToTarget(elasticsearch: Elasticsearch, target: Target, changes: Change[]): Promise<Outcomes> {
  if (target.mappingVersion <= MAPPING_VERSION) return writeChanges(elasticsearch, target.indexName, changes);
  const reason = `it has mapping ${target.mappingVersion}, this indexer knows ${MAPPING_VERSION}; a newer one will write it`;
  return new Map(changes.map(({ contentId }) => [contentId, { kind: 'retry', reason }]));
}

type Verdict = { answer: Answer; unfit: Retirement[] };

/** An item is rejected when no index takes it. What refuses an item that the searched index takes is unfit to be searched instead. */
function judge({ contentId, revision }: Change, results: Result[]): Verdict {
  const retry = (reason: string): Verdict => ({ answer: { kind: 'retry', contentId, reason }, unfit: [] });
  if (results.length === 0) return retry('there is no index to write to');
  const untaken = results.find((result) => result.kind === 'retry');
  if (untaken) return retry(`${untaken.target.indexName} (${untaken.target.role}): ${untaken.reason}`);

  const refusals = results.filter((result) => result.kind === 'rejected');
  if (refusals.length === 0 || results.some(({ kind, target }) => kind === 'written' && target.role === 'search')) {
    const unfit = refusals.map(({ target, reason }) => ({ indexName: target.indexName, reason: `item ${contentId}: ${reason}` }));
    return { answer: { kind: 'indexed', contentId, revision }, unfit };
  }
  const refusal = refusals.find(({ target }) => target.mappingVersion === MAPPING_VERSION);
  if (refusal) return { answer: { kind: 'rejected', contentId, revision, reason: refusal.reason }, unfit: [] };
  return retry(`the mapping is older than this code's, npx pnpm index:rebuild is due: ${refusals[0]?.reason}`);
}
