import type {
  ComparisonStatus,
  DifferenceCounts,
  OperationsStatus,
  Part,
  Target,
  UnlistedIndex,
} from '@ugc/shared/contracts/operations-status';
import { formatCount, formatDay, formatDuration, formatNumber } from './format.ts';
import { COMMANDS, type CommandLine } from './commands.ts';
import { isNearlyUsedUp, nameOf } from './resources.ts';

/** `danger`: somebody is needed now. `warning`: somebody is needed soon. `info`: nobody is needed. */
export type Severity = 'danger' | 'warning' | 'info';
export type Finding = { severity: Severity; text: string; command?: CommandLine };

/** The same threshold as the alert UgcOldestPendingTooOld. */
const OLDEST_PENDING_MAX_SECONDS = 60;
/** The same threshold as the alert UgcEmbeddingsWait. */
const OLDEST_TEXT_MAX_SECONDS = 3_600;
/** The same threshold as the alert UgcBackupOld. */
const BACKUP_MAX_SECONDS = 2 * 86_400;
const QUEUE_PAUSED = 'The queue is paused by BullMQ, for example in a dashboard. Uploads are stored and wait.';
const ORDER: Severity[] = ['danger', 'warning', 'info'];

/** What an operator should know, the most urgent first. Empty if all is well. */
export function findingsOf(status: OperationsStatus): Finding[] {
  const all = [
    storeFindings,
    processFindings,
    indexingFindings,
    outboxFindings,
    targetFindings,
    fieldFindings,
    comparisonFindings,
    embeddingFindings,
    backupFindings,
    resourceFindings,
  ];
  const findings = all.flatMap((find) => find(status));
  return findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
}

/** Undefined if it could not be read, which the part itself says. */
export function valueOf<T>(part: Part<T>): T | undefined {
  return 'value' in part ? part.value : undefined;
}

function storeFindings({ stores, postgresProblem, keyProblem, redisProblems, missingMigrations = [] }: OperationsStatus): Finding[] {
  const isStoring = stores.postgres !== 'read_only' && stores.postgres !== 'refuses';
  return [
    ...when(!isStoring, 'danger', `Lists and items can be read; ${postgresProblem ?? 'no change is stored'}.`),
    ...when(keyProblem !== null, 'danger', `Tokens cannot be verified: ${keyProblem ?? ''}.`),
    ...when(stores.postgres === 'down', 'danger', 'PostgreSQL does not respond. Nothing can be uploaded or edited; lists still work.'),
    ...when(
      stores.postgres === 'outdated',
      'danger',
      `The schema of PostgreSQL is older than this release: it lacks ${missingMigrations.join(', ')}. Nothing can be uploaded until it is migrated.`,
    ),
    ...when(stores.redis === 'down', 'danger', 'Redis does not respond. Uploads are stored and wait until it is back.'),
    ...when(stores.redis === 'refuses', 'danger', `Uploads are stored and wait. ${redisProblems.join(' ')}`),
    ...when(stores.redis === 'evicts', 'danger', 'Redis may delete index jobs. Set its maxmemory-policy to noeviction.'),
    ...when(stores.elasticsearch === 'down', 'danger', 'The index cannot be searched, so lists fail. Uploads are stored and wait.'),
  ];
}

function processFindings({ process, queue, stores }: OperationsStatus): Finding[] {
  const noIndexer = stores.redis !== 'down' && valueOf(queue)?.indexers === 0;
  return [
    ...when(!process.live, 'danger', 'The relay of this API process makes no progress. The process ends and has to be restarted.'),
    ...when(noIndexer, 'danger', 'No indexer is connected. Uploads are stored and wait until one is started.'),
  ];
}

function indexingFindings({ indexing, backlog, queue }: OperationsStatus): Finding[] {
  const pausedSince = valueOf(indexing)?.pausedSince;
  if (pausedSince)
    return [
      {
        severity: 'warning',
        text: `Indexing is paused since ${formatDay(pausedSince)}. Uploads are stored and wait.`,
        command: COMMANDS.resume,
      },
    ];
  if (valueOf(queue)?.paused) return [{ severity: 'warning', text: QUEUE_PAUSED, command: COMMANDS.resume }];
  const oldest = valueOf(backlog.now)?.oldestPendingSeconds ?? 0;
  const text = `A change has waited for ${formatDuration(oldest)}. Lists do not show it yet.`;
  return when(oldest > OLDEST_PENDING_MAX_SECONDS, 'danger', text, COMMANDS.status);
}

function outboxFindings({ rejected, unfinished }: OperationsStatus): Finding[] {
  const count = valueOf(rejected)?.total ?? 0;
  const { jobCount = 0, isolated = [] } = valueOf(unfinished) ?? {};
  const isolatedText = `The jobs of ${formatCount(isolated.length, 'item')} end without a result. Such an item may crash the indexers.`;
  return [
    ...when(count > 0, 'warning', `Elasticsearch rejects ${formatCount(count, 'item')}. All others are indexed.`, COMMANDS.listRejected),
    ...when(isolated.length > 0, 'warning', isolatedText, COMMANDS.status),
    ...when(jobCount > 0, 'warning', `${formatCount(jobCount, 'job')} should have ended by now.`, COMMANDS.status),
  ];
}

/** @param fields those for which a rebuild is due; without any, the mapping is older */
function describeDue(mappingVersion: number | undefined, fields: string[] = []): string {
  if (fields.length === 0)
    return `A rebuild is due: the searched index is older than the mapping version ${mappingVersion} of this release.`;
  return `A rebuild is due: the searched index was made before these fields were declared as they are now: ${fields.join(', ')}.`;
}

function targetFindings({ targets, stores, time }: OperationsStatus): Finding[] {
  const { rebuildDue = false, rebuildFields, mappingVersion, rebuild, list = [], unlisted = [], problems = [] } = valueOf(targets) ?? {};
  const stopped = rebuild?.running === false;
  const due = describeDue(mappingVersion, rebuildFields);
  return [
    ...when(rebuild?.running === true, 'info', 'A new index is being filled. Searches and uploads continue.'),
    ...when(stopped, 'warning', 'A rebuild has been stopped before its end.', COMMANDS.continueRebuild),
    ...when(rebuildDue && !rebuild, 'warning', due, COMMANDS.rebuild),
    ...problems.map((problem): Finding => ({ severity: 'danger', text: `${problem}.` })),
    ...unlisted.flatMap(findingOfUnlisted),
    ...(stores.elasticsearch === 'up' ? list.flatMap((target) => findingsOfTarget(target, time)) : []),
  ];
}

function fieldFindings({ unfitting }: OperationsStatus): Finding[] {
  return (valueOf(unfitting) ?? []).map(({ field, items, countedAt }) => {
    const text = `${formatCount(items, 'item')} had values of the field ${field} on ${formatDay(countedAt)} that do not fit. They are not found by it.`;
    return { severity: 'warning', text, command: COMMANDS.fields };
  });
}

function findingOfUnlisted({ indexName, owner, aliases }: UnlistedIndex): Finding[] {
  const whose = owner === null ? 'names no database' : `belongs to the database ${owner}`;
  const command = aliases.length === 0 ? COMMANDS.status : undefined;
  return when(true, 'info', `${indexName} is on no list, and ${whose}.`, command);
}

/** As long as the alert UgcIndexRestored. */
const RESTORED_SHOWN_MS = 3_600_000;

function findingsOfTarget({ indexName, role, retiredReason, index, restoredAt, repair }: Target, time: string): Finding[] {
  const isRestored = restoredAt !== null && (repair !== null || Date.parse(time) - Date.parse(restoredAt) < RESTORED_SHOWN_MS);
  const how = repair === null ? 'It is repaired.' : 'It is being repaired.';
  return [
    ...when(isRestored && role === 'search', 'warning', `${indexName} was restored, or has lost writes. ${how}`),
    ...when(retiredReason !== null, 'warning', `${indexName} was retired: ${retiredReason ?? ''}`, COMMANDS.rebuild),
    ...when(index?.writesBlocked === true, 'warning', `Writes to ${indexName} are blocked, so its changes wait.`),
    ...when(index === null && role === 'previous', 'warning', `${indexName} was lost.`, COMMANDS.finish),
  ];
}

function embeddingFindings({ embeddings }: OperationsStatus): Finding[] {
  const oldest = (embeddings && valueOf(embeddings)?.oldestWaitingSeconds) ?? 0;
  const text = `A text has waited for the embedding service for ${formatDuration(oldest)}. Lists are ranked without its vector.`;
  return when(oldest > OLDEST_TEXT_MAX_SECONDS, 'warning', text);
}

function backupFindings({ lastBackup }: OperationsStatus): Finding[] {
  const { ageSeconds = 0 } = valueOf(lastBackup) ?? {};
  return when(ageSeconds > BACKUP_MAX_SECONDS, 'warning', `The last backup of PostgreSQL was made ${formatDuration(ageSeconds)} ago.`);
}

function resourceFindings({ resources }: OperationsStatus): Finding[] {
  return resources.filter(isNearlyUsedUp).map(({ resource, used, limit }) => {
    return { severity: 'warning', text: `${nameOf(resource)}: ${formatNumber(Math.round((100 * used) / limit))} % of the limit is used.` };
  });
}

function when(isTrue: boolean, severity: Severity, text: string, command?: CommandLine): Finding[] {
  return isTrue ? [{ severity, text, ...(command && { command }) }] : [];
}

/** Dropped changes are not counted. */
export function countDifferences({ missing, stale, ahead, orphaned }: DifferenceCounts): number {
  return missing + stale + ahead + orphaned;
}

function comparisonFindings({ comparison }: OperationsStatus): Finding[] {
  if ('problem' in comparison) return [];
  return [...aheadFindings(comparison.value), ...differenceFindings(comparison.value)];
}

function aheadFindings({ ahead }: ComparisonStatus): Finding[] {
  if (!ahead) return [];
  const text =
    `The index was ahead of PostgreSQL in ${formatCount(ahead.items, 'item')}, as after a restore of PostgreSQL. ` +
    'They are indexed again. Lists may show a lost state of others.';
  return [{ severity: 'warning', text, command: COMMANDS.repair }];
}

function differenceFindings({ lastRound, currentRound }: ComparisonStatus): Finding[] {
  const [last, current] = [lastRound, currentRound].map((round) => (round ? countDifferences(round.differences) : 0));
  if (!last && !current) return [];
  const count = formatCount(Math.max(last ?? 0, current ?? 0), 'item');
  const text = `The index differed from PostgreSQL in ${count}, as after a restore of a store. They are indexed again.`;
  return [{ severity: 'warning', text, command: COMMANDS.repair }];
}
