import { MAPPING_VERSION } from '@ugc/shared/content-index';
import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import { giveUpTargets, type GivenUp } from '@ugc/shared/index-target';
import type { Database } from '@ugc/shared/postgres';
import { acknowledge, type Answer } from './acknowledge.ts';
import type { Change, Outcome } from './bulk.ts';
import { readChanges, type Target } from './read-changes.ts';
import { writeChanges, type Outcomes } from './write-changes.ts';

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
  const { outcomes, givenUp } = await writeToTargets(deps.elasticsearch, targets, changes);
  const answers = changes.map((change) => answerFor(change, outcomes.get(change.contentId) ?? UNWRITTEN));
  await giveUpTargets(deps.database, givenUp);
  const pendingSeconds = await acknowledge(deps.database, { jobId: job.jobId, generation, answers });
  return { answers, givenUp, pendingSeconds };
}

export type IndexContentJob = { jobId: string; contentIds: number[] };
export type IndexReport = { answers: Answer[]; givenUp: GivenUp[]; pendingSeconds: number[] };

const UNWRITTEN: Outcome = { kind: 'retry', reason: 'there is no index to write to' };

/**
 * The index that is searched comes last and takes only what the others have taken, so that swapping them never shows an older
 * state. Another index that refuses a document is given up; it does not hold the document up.
 */
async function writeToTargets(elasticsearch: Elasticsearch, targets: Target[], changes: Change[]) {
  const outcomes: Outcomes = new Map();
  const givenUp: GivenUp[] = [];
  let remaining = changes;
  for (const target of searchedLast(targets)) {
    const written = await writeToTarget(elasticsearch, target, remaining);
    for (const [contentId, outcome] of written) outcomes.set(contentId, refusalOf(target, outcome, givenUp));
    remaining = remaining.filter((change) => outcomes.get(change.contentId)?.kind === 'written');
  }
  return { outcomes, givenUp };
}

function searchedLast(targets: Target[]): Target[] {
  return targets.toSorted((a, b) => Number(a.role === 'search') - Number(b.role === 'search'));
}

// While a deployment is under way, only the newer indexers know what a newer index is to hold.
async function writeToTarget(elasticsearch: Elasticsearch, target: Target, changes: Change[]): Promise<Outcomes> {
  if (target.mappingVersion <= MAPPING_VERSION) return writeChanges(elasticsearch, target.indexName, changes);
  const reason = `${target.indexName} has mapping ${target.mappingVersion}, this indexer knows ${MAPPING_VERSION}; a newer one will write it`;
  return new Map(changes.map(({ contentId }) => [contentId, { kind: 'retry', reason }]));
}

function refusalOf(target: Target, outcome: Outcome, givenUp: GivenUp[]): Outcome {
  if (outcome.kind !== 'rejected') return outcome;
  if (target.role !== 'search') {
    givenUp.push({ indexName: target.indexName, reason: outcome.reason });
    return { kind: 'retry', reason: `${target.indexName} is given up: ${outcome.reason}` };
  }
  if (target.mappingVersion === MAPPING_VERSION) return outcome;
  return { kind: 'retry', reason: `${target.indexName} has an older mapping, npx pnpm index:rebuild is due: ${outcome.reason}` };
}

function answerFor({ contentId, revision }: Change, outcome: Outcome): Answer {
  if (outcome.kind === 'written') return { kind: 'indexed', contentId, revision };
  if (outcome.kind === 'rejected') return { kind: 'rejected', contentId, revision, reason: outcome.reason };
  return { kind: 'retry', contentId, reason: outcome.reason };
}
