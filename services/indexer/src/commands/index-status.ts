import { EXIT } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { readBacklog, type Backlog } from '@ugc/shared/outbox/backlog';
import { countDropped } from '@ugc/shared/outbox/dropped';
import { listIsolatedItems } from '@ugc/shared/outbox/item-states';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince } from '@ugc/shared/indices/pause';
import { inspectTargets, readIndexSizes, type InspectedTarget } from '@ugc/shared/indices/inspect-targets';
import { errorMessage } from '@ugc/shared/process/error-message';
import { isRebuildDue } from '@ugc/shared/indices/targets';
import { createIndexCommand, describeStoreFailure, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';
import { withQueue, type Outcome } from './with-queue.ts';

const SAMPLE_MS = 1_000;
const ISOLATED_SHOWN_MAX = 10;

const command = createIndexCommand({
  name: 'npx pnpm index:status',
  description: 'Shows pending, rejected and dropped changes, the queue, and the indices with their mapping version and write rate.',
  exitCodes: { [EXIT.tryAgain]: 'PostgreSQL does not respond; try again' },
  example: 'npx pnpm index:status --json',
});
await runIndexCommand(onRun(command, showStatus));

async function showStatus(deps: CommandDeps, { json }: JsonOption): Promise<number> {
  const [outbox, queue, indices] = await Promise.all([readOutbox(deps), readQueue(deps), readIndices(deps)]);
  if (json) printJson({ ...outbox, ...queueToJson(queue), mappingVersion: MAPPING_VERSION, ...indicesToJson(indices) });
  else report({ outbox, queue, indices });
  return EXIT.done;
}

/** `isolated`: items whose last jobs all ended without a result; perhaps they crash the indexer. */
type Outbox = Backlog & { dropped: number; isolated: number[]; pausedSince: Date | null };
type Queue = Outcome<{ waiting: number; active: number; paused: boolean }>;
type Indices = Outcome<Index[]>;
type Index = Pick<InspectedTarget, 'indexName' | 'role' | 'mappingVersion' | 'retiredReason' | 'intact' | 'searched' | 'writesBlocked'> & {
  documents: number;
  documentsPerSecond: number;
};

async function readOutbox({ database }: CommandDeps): Promise<Outbox> {
  const backlog = await readBacklog(database);
  const isolated = await listIsolatedItems(database, ISOLATED_SHOWN_MAX);
  return { ...backlog, dropped: await countDropped(database), isolated, pausedSince: await pausedSince(database) };
}

function readQueue({ env }: CommandDeps): Promise<Queue> {
  return withQueue(env, async (queue) => {
    const { wait = 0, active = 0 } = await queue.getJobCounts('wait', 'active');
    return { waiting: wait, active, paused: await queue.isPaused() };
  });
}

function queueToJson(queue: Queue): object {
  return 'value' in queue ? { queue: queue.value, queueProblem: null } : { queue: null, queueProblem: queue.problem };
}

function indicesToJson(indices: Indices): object {
  if ('problem' in indices) return { rebuildDue: null, indices: null, indicesProblem: indices.problem };
  return { rebuildDue: indices.value.some(isRebuildDue), indices: indices.value, indicesProblem: null };
}

function describeQueue(queue: Queue): string {
  if ('problem' in queue) return queue.problem;
  const { waiting, active, paused } = queue.value;
  return `${waiting} jobs waiting, ${active} active${paused ? '; the queue is paused by BullMQ: npx pnpm index:resume resumes it' : ''}`;
}

async function readIndices(deps: CommandDeps): Promise<Indices> {
  try {
    const targets = (await inspectTargets(deps)).filter(({ intact }) => intact);
    const before = await readIndexSizes(deps.elasticsearch, deps.alias);
    await delay(SAMPLE_MS);
    const after = await readIndexSizes(deps.elasticsearch, deps.alias);
    const value = targets.map(({ indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked }) => {
      const { documents = 0, written = 0 } = after.get(indexName) ?? {};
      const documentsPerSecond = Math.round(((written - (before.get(indexName)?.written ?? 0)) * 1_000) / SAMPLE_MS);
      return { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, documents, documentsPerSecond };
    });
    return { value };
  } catch (error) {
    return { problem: errorMessage(describeStoreFailure(error, deps.env)) };
  }
}

function report({ outbox, queue, indices }: { outbox: Outbox; queue: Queue; indices: Indices }): void {
  const { pending, oldestPendingSeconds: oldest, rejected, dropped, isolated, pausedSince } = outbox;
  printColumns([
    ['indexing', pausedSince ? `paused since ${pausedSince.toISOString()}; npx pnpm index:resume resumes it` : 'running'],
    ['pending', `${pending.toLocaleString('en')}${oldest === null ? '' : `, the oldest for ${oldest.toFixed(1)} s`}`],
    ['rejected', `${rejected.toLocaleString('en')}${rejected > 0 ? '; npx pnpm index:rejected list shows the reasons' : ''}`],
    ...(dropped > 0 ? [['dropped', `${dropped.toLocaleString('en')}, until their next change`]] : []),
    ...(isolated.length > 0 ? [['isolated', `${isolated.join(', ')}: their jobs end without a result; see the indexers' logs`]] : []),
    ['queue', describeQueue(queue)],
  ]);
  if ('problem' in indices) return printMessage(indices.problem);
  const rows = indices.value.map((index) => [
    index.indexName,
    index.role,
    String(index.mappingVersion),
    index.documents.toLocaleString('en'),
    index.documentsPerSecond.toLocaleString('en'),
    remarks(index),
  ]);
  if (rows.length === 0) return printMessage('There is no index yet.');
  process.stdout.write('\n');
  printColumns([['index', 'role', 'mapping', 'documents', 'written/s', ''], ...rows]);
}

function remarks(index: Index): string {
  const { searched, writesBlocked, mappingVersion, retiredReason } = index;
  return [
    searched && 'searched',
    writesBlocked && 'writes are blocked',
    retiredReason !== null && `retired: ${retiredReason}`,
    isRebuildDue(index) &&
      `a rebuild is due: mapping ${mappingVersion} is older than ${MAPPING_VERSION} of this code; run npx pnpm index:rebuild`,
    mappingVersion > MAPPING_VERSION && `mapping ${mappingVersion} is newer than ${MAPPING_VERSION} of this code; update the indexers`,
  ]
    .filter((remark) => remark !== false)
    .join('; ');
}
