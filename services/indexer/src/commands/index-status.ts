import { EXIT } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { readBacklog, type Backlog } from '@ugc/shared/outbox/backlog';
import { countDropped } from '@ugc/shared/outbox/dropped';
import { listIsolatedItems } from '@ugc/shared/outbox/item-states';
import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { connectProducer } from '@ugc/shared/stores/redis';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince } from '@ugc/shared/indices/pause';
import { describeUnlisted, readIndexProblems, type UnlistedStatus } from '@ugc/shared/ownership/index-problems';
import { inspectIndices, readIndexSizes, type IndexSize, type InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import { isRebuildDue } from '@ugc/shared/indices/targets';
import { createIndexCommand, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';

const REDIS_TIMEOUT_MS = 2_000;
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
  const [outbox, queue, status] = await Promise.all([readOutbox(deps), readQueue(deps), readIndices(deps)]);
  if (json)
    printJson({
      ...outbox,
      queue,
      mappingVersion: MAPPING_VERSION,
      rebuildDue: status && status.indices.some(isRebuildDue),
      indices: null,
      ...status,
    });
  else report({ outbox, queue, status });
  return EXIT.done;
}

/** `isolated`: items whose last jobs all ended without a result; perhaps they crash the indexer. */
type Outbox = Backlog & { dropped: number; isolated: number[]; pausedSince: Date | null };
type Queue = { waiting: number; active: number } | null;
type Indices = { indices: Index[]; unlisted: UnlistedStatus[]; problems: string[] };
type Index = Omit<InspectedTarget, 'roleSince' | 'uuid' | 'filledTo' | 'owner' | 'record' | 'ofAlias' | 'verdict'> & {
  ownership: InspectedTarget['verdict'];
  documents: number;
  documentsPerSecond: number;
};

async function readOutbox({ database }: CommandDeps): Promise<Outbox> {
  const backlog = await readBacklog(database);
  const isolated = await listIsolatedItems(database, ISOLATED_SHOWN_MAX);
  return { ...backlog, dropped: await countDropped(database), isolated, pausedSince: await pausedSince(database) };
}

/** @returns null when Redis does not respond */
async function readQueue({ env }: CommandDeps): Promise<Queue> {
  const redis = connectProducer(env.REDIS_URL, () => undefined);
  const queue = openIndexQueue(redis, env.QUEUE_PREFIX, () => undefined);
  try {
    return await Promise.race([
      queue.getJobCounts('wait', 'active').then(({ wait = 0, active = 0 }) => ({ waiting: wait, active })),
      delay(REDIS_TIMEOUT_MS, null),
    ]);
  } catch {
    return null;
  } finally {
    redis.disconnect();
  }
}

/** @returns null when Elasticsearch does not respond */
async function readIndices(deps: CommandDeps): Promise<Indices | null> {
  try {
    const inspection = await inspectIndices(deps);
    const targets = inspection.targets.filter(({ intact }) => intact);
    const names = targets.map(({ indexName }) => indexName);
    const before = await readIndexSizes(deps.elasticsearch, names);
    await delay(SAMPLE_MS);
    const after = await readIndexSizes(deps.elasticsearch, names);
    const indices = targets.map((target) => toIndex(target, before.get(target.indexName), after.get(target.indexName)));
    const problems = await readIndexProblems({ ...deps, queuePrefix: deps.env.QUEUE_PREFIX }, inspection);
    return { indices, unlisted: describeUnlisted(inspection, deps.alias), problems };
  } catch {
    return null;
  }
}

function toIndex(target: InspectedTarget, before: IndexSize | undefined, after: IndexSize | undefined): Index {
  const { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, verdict: ownership } = target;
  const { documents = 0, written = 0 } = after ?? {};
  const documentsPerSecond = Math.round(((written - (before?.written ?? 0)) * 1_000) / SAMPLE_MS);
  return { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, ownership, documents, documentsPerSecond };
}

function report({ outbox, queue, status }: { outbox: Outbox; queue: Queue; status: Indices | null }): void {
  reportOutbox(outbox, queue);
  if (!status) return printMessage('Elasticsearch does not respond.');
  reportIndices(status.indices);
  for (const { indexName, owner, aliases } of status.unlisted) {
    const whose = owner === null ? 'it names no database' : `it belongs to the database ${owner}`;
    const how = aliases.length > 0 ? `it has the alias ${aliases.join(', ')}` : `npx pnpm index:rebuild --remove ${indexName} removes it`;
    printMessage(`not listed: ${indexName}: ${whose}; ${how}`);
  }
  for (const problem of status.problems) printMessage(`problem: ${problem}`);
}

function reportOutbox(outbox: Outbox, queue: Queue): void {
  const { pending, oldestPendingSeconds: oldest, rejected, dropped, isolated, pausedSince } = outbox;
  printColumns([
    ['indexing', pausedSince ? `paused since ${pausedSince.toISOString()}; npx pnpm index:resume resumes it` : 'running'],
    ['pending', `${pending.toLocaleString('en')}${oldest === null ? '' : `, the oldest for ${oldest.toFixed(1)} s`}`],
    ['rejected', `${rejected.toLocaleString('en')}${rejected > 0 ? '; npx pnpm index:rejected list shows the reasons' : ''}`],
    ...(dropped > 0 ? [['dropped', `${dropped.toLocaleString('en')}, until their next change`]] : []),
    ...(isolated.length > 0 ? [['isolated', `${isolated.join(', ')}: their jobs end without a result; see the indexers' logs`]] : []),
    ['queue', queue ? `${queue.waiting} jobs waiting, ${queue.active} active` : 'Redis does not respond'],
  ]);
}

function reportIndices(indices: Index[]): void {
  const rows = indices.map((index) => [
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
  const { searched, writesBlocked, mappingVersion, retiredReason, ownership } = index;
  return [
    searched && 'searched',
    writesBlocked && 'writes are blocked',
    ownership !== 'own' && 'it belongs to another database',
    retiredReason !== null && `retired: ${retiredReason}`,
    isRebuildDue(index) &&
      `a rebuild is due: mapping ${mappingVersion} is older than ${MAPPING_VERSION} of this code; run npx pnpm index:rebuild`,
    mappingVersion > MAPPING_VERSION && `mapping ${mappingVersion} is newer than ${MAPPING_VERSION} of this code; update the indexers`,
  ]
    .filter((remark) => remark !== false)
    .join('; ');
}
