import { printColumns, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { PresentSettings, SettingChange } from '@ugc/shared/contracts/index-settings';
import type { InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import type { OutboxStatus } from '@ugc/shared/status/outbox';
import type { JobCounts } from '@ugc/shared/status/queue';
import type {
  ComparisonStatus,
  EmbeddingsStatus,
  LastBackup,
  Part,
  UnfittingField,
  UnlistedIndex,
  CurrentRound,
  DifferenceCounts,
  LastRound,
} from '@ugc/shared/contracts/operations-status';
import { type Repair, type Restored } from '@ugc/shared/indices/index-history';
import { countDifferences } from '@ugc/shared/indices/comparison';

export type Indices = {
  rebuildDue: boolean;
  indices: Index[];
  rebuildChanges: SettingChange[];
  /** The declared fields for which a rebuild is due. */
  rebuildFields: string[];
  unlisted: UnlistedIndex[];
  problems: string[];
};
type Shown = 'indexName' | 'role' | 'mappingVersion' | 'retiredReason' | 'intact' | 'searched' | 'writesBlocked';
export type Index = Pick<InspectedTarget, Shown> & {
  ownership: InspectedTarget['verdict'];
  /** The names of the declared fields that it has. */
  fields: string[];
  documents: number;
  deleted: number;
  documentsPerSecond: number;
  settings?: PresentSettings;
};

type Status = {
  outbox: OutboxStatus;
  postgresProblem: string | null;
  queue: Part<JobCounts>;
  indices: Part<Indices>;
  comparison: ComparisonStatus;
  restored: Restored | null;
  unfitting: UnfittingField[];
  backup: LastBackup | null;
  embeddings: EmbeddingsStatus | undefined;
};

/** Prints the status for a person. */
export function reportStatus(status: Status): void {
  reportOutbox(status);
  const { indices, postgresProblem } = status;
  if (postgresProblem !== null) printMessage(`problem: ${postgresProblem}`);
  if ('problem' in indices) return printMessage(indices.problem);
  reportIndices(indices.value);
  for (const { variable, from, to } of indices.value.rebuildChanges)
    printMessage(`setting: ${variable} is ${to}, the searched index has ${from}; npx pnpm index:rebuild changes it`);
  indices.value.unlisted.forEach(reportUnlisted);
  for (const problem of indices.value.problems) printMessage(`problem: ${problem}`);
}

function reportOutbox({ outbox, queue, comparison, restored, unfitting, backup, embeddings }: Status): void {
  const { pending, oldestPendingSeconds: oldest, rejected, dropped, isolated, pausedSince } = outbox;
  printColumns([
    ['indexing', pausedSince ? `paused since ${pausedSince.toISOString()}; npx pnpm index:resume resumes it` : 'running'],
    ['pending', `${pending.toLocaleString('en')}${oldest === null ? '' : `, the oldest for ${oldest.toFixed(1)} s`}`],
    ['rejected', `${rejected.toLocaleString('en')}${rejected > 0 ? '; npx pnpm index:rejected list shows the reasons' : ''}`],
    ...(dropped > 0 ? [['dropped', `${dropped.toLocaleString('en')}, until their next change`]] : []),
    ...(isolated.length > 0 ? [['isolated', `${isolated.join(', ')}: their jobs end without a result; see the indexers' logs`]] : []),
    ...describeComparison(comparison),
    ...(restored ? [['restored', describeRestored(restored)]] : []),
    ...(unfitting.length > 0 ? [['values', describeUnfitting(unfitting)]] : []),
    ['queue', describeQueue(queue)],
    ['backup', describeBackup(backup)],
    ...(embeddings ? [['vectors', describeEmbeddings(embeddings)]] : []),
  ]);
}

function describeBackup(backup: LastBackup | null): string {
  if (!backup) return 'there has never been one that was recorded';
  return `the last one by ${backup.completedAt}, ${formatted(Math.round(backup.ageSeconds / 3_600))} hours ago, by ${backup.madeBy}`;
}

function describeEmbeddings({ model, filling, searchedModel, items, embedded, refused, waiting }: EmbeddingsStatus): string {
  const counts = `${embedded.toLocaleString('en')} of ${items.toLocaleString('en')} items, ${refused.toLocaleString('en')} refused, ${waiting.toLocaleString('en')} waiting`;
  if (!filling) return `${counts}; searched: ${model}`;
  return `${counts}; being filled: ${model}; searched until then: ${searchedModel ?? 'none'}`;
}

function describeQueue(queue: Part<JobCounts>): string {
  if ('problem' in queue) return queue.problem;
  const { waiting, active, paused } = queue.value;
  return `${waiting} jobs waiting, ${active} active${paused ? '; the queue is paused by BullMQ: npx pnpm index:resume resumes it' : ''}`;
}

function reportIndices({ indices, rebuildFields }: Indices): void {
  if (indices.length === 0) return printMessage('There is no index yet.');
  const rows = indices.map((index) => [
    index.indexName,
    index.role,
    String(index.mappingVersion),
    describeDocuments(index),
    index.documentsPerSecond.toLocaleString('en'),
    remarks(index, index.role === 'search' ? rebuildFields : []),
  ]);
  process.stdout.write('\n');
  printColumns([['index', 'role', 'mapping', 'contains', 'written/s', ''], ...rows]);
}

function describeDocuments({ documents, deleted }: Index): string {
  const items = `${(documents - deleted).toLocaleString('en')} items`;
  return deleted === 0 ? items : `${items}, ${deleted.toLocaleString('en')} deleted`;
}

function reportUnlisted({ indexName, owner, aliases }: UnlistedIndex): void {
  const whose = owner === null ? 'it names no database' : `it belongs to the database ${owner}`;
  const how = aliases.length > 0 ? `it has the alias ${aliases.join(', ')}` : `npx pnpm index:rebuild --remove ${indexName} removes it`;
  printMessage(`not listed: ${indexName}: ${whose}; ${how}`);
}

const OWNERSHIP: Record<Exclude<Index['ownership'], 'own'>, string> = {
  foreign: 'it belongs to another database',
  gone: 'its database does not run any more',
  undecided: 'it is watched whether its database runs',
  missing: 'it does not exist',
};

function remarks(index: Index, rebuildFields: string[]): string {
  const { role, searched, writesBlocked, mappingVersion, retiredReason, ownership, fields } = index;
  return [
    searched && 'searched',
    writesBlocked && 'writes are blocked',
    ownership !== 'own' && OWNERSHIP[ownership],
    retiredReason !== null && `retired: ${retiredReason}`,
    fields.length > 0 && `fields: ${fields.join(', ')}`,
    ...(role === 'search' ? whyRebuild(mappingVersion, rebuildFields).map((why) => `${why}; run npx pnpm index:rebuild`) : []),
    mappingVersion > MAPPING_VERSION && `mapping ${mappingVersion} is newer than ${MAPPING_VERSION} of this code; update the indexers`,
  ]
    .filter((remark) => remark !== false)
    .join('; ');
}

/** @param rebuildFields the declared fields that the searched index lacks */
export function whyRebuild(mappingVersion: number, rebuildFields: string[]): string[] {
  return [
    ...(rebuildFields.length > 0 ? [`a rebuild is due for the fields ${rebuildFields.join(', ')}`] : []),
    ...(mappingVersion < MAPPING_VERSION
      ? [`a rebuild is due: mapping ${mappingVersion} is older than ${MAPPING_VERSION} of this code`]
      : []),
  ];
}

/** Rows of index:status: a name and what an operator should know. */
function describeComparison({ lastRound, currentRound, ahead }: ComparisonStatus): [string, string][] {
  return [
    ...(lastRound ? [['compared', describeLast(lastRound)] as [string, string]] : []),
    ...(currentRound ? [['comparing', describeCurrent(currentRound)] as [string, string]] : []),
    ...(ahead ? [['ahead', describeAhead(ahead)] as [string, string]] : []),
  ];
}

const REMAINING: Record<Repair, string> = {
  find: 'lists are refused until hidden and deleted items are out of it',
  settle: 'lists are refused until hidden and deleted items are out of it',
  others: 'its other items are being repaired',
};

function describeRestored({ restoredAt, repair }: Restored): string {
  return `the searched index was restored or has lost writes, noticed at ${restoredAt}; ${repair ? REMAINING[repair] : 'it is repaired'}`;
}

/** All of them were counted at once. */
function describeUnfitting(fields: UnfittingField[]): string {
  const counts = fields.map(({ field, items }) => `${field} of ${formatted(items)} items`).join(', ');
  return `do not fit and are not found: ${counts}, by ${fields[0]?.countedAt}; npx pnpm fields apply counts them again`;
}

function describeLast({ completedAt, differences, repaired }: LastRound): string {
  const found = countDifferences(differences);
  return `all items by ${completedAt}: ${found === 0 ? 'no differences' : `${listKinds(differences)}; ${formatted(repaired)} repaired`}`;
}

function describeCurrent({ startedAt, comparedTo, differences }: CurrentRound): string {
  const found = countDifferences(differences) === 0 ? 'no differences' : `${listKinds(differences)}, repaired`;
  return `since ${startedAt}, to item ${formatted(comparedTo)}: ${found}`;
}

function describeAhead({ items }: { items: number }): string {
  return `${formatted(items)} items were newer in the index, as after a restore of PostgreSQL; run npx pnpm index:audit --repair`;
}

function listKinds(differences: DifferenceCounts): string {
  const found = Object.entries(differences).filter(([, count]) => count > 0);
  return found.map(([kind, count]) => `${formatted(count)} ${kind}`).join(', ');
}

function formatted(count: number): string {
  return count.toLocaleString('en');
}
