import { EXIT } from '@ugc/shared/cli/command';
import { printJson } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { readBacklog } from '@ugc/shared/outbox/backlog';
import { countDropped } from '@ugc/shared/outbox/dropped';
import { listIsolatedItems } from '@ugc/shared/outbox/item-states';
import { setTimeout as delay } from 'node:timers/promises';
import { pausedSince } from '@ugc/shared/indices/pause';
import { describeUnlisted, readIndexProblems } from '@ugc/shared/ownership/index-problems';
import { inspectIndices, readIndexSizes, type IndexSize, type InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import { errorMessage } from '@ugc/shared/process/error-message';
import { isRebuildDue } from '@ugc/shared/indices/targets';
import { readComparison } from '@ugc/shared/indices/comparison';
import { createIndexCommand, describeStoreFailure, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';
import { reportStatus, type Index, type Indices, type Outbox, type Queue } from './report-status.ts';
import { withQueue } from './with-queue.ts';

const SAMPLE_MS = 1_000;
const ISOLATED_SHOWN_MAX = 10;

const command = createIndexCommand({
  name: 'npx pnpm index:status',
  description: `Shows pending, rejected and dropped changes, the queue, the indices with their mapping version and write rate,
indices that no list knows, and problems that an operator has to solve.`,
  exitCodes: { [EXIT.tryAgain]: 'PostgreSQL does not respond; try again' },
  example: 'npx pnpm index:status --json',
});
await runIndexCommand(onRun(command, showStatus));

async function showStatus(deps: CommandDeps, { json }: JsonOption): Promise<number> {
  const [outbox, queue, indices, comparison] = await Promise.all([
    readOutbox(deps),
    readQueue(deps),
    readIndices(deps),
    readComparison(deps.database),
  ]);
  if (json) printJson({ ...outbox, ...queueToJson(queue), mappingVersion: MAPPING_VERSION, ...indicesToJson(indices), comparison });
  else reportStatus({ outbox, queue, indices, comparison });
  return EXIT.done;
}

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

async function readIndices(deps: CommandDeps): Promise<Indices> {
  try {
    const inspection = await inspectIndices(deps);
    const targets = inspection.targets.filter(({ intact }) => intact);
    const names = targets.map(({ indexName }) => indexName);
    const before = await readIndexSizes(deps.elasticsearch, names);
    await delay(SAMPLE_MS);
    const after = await readIndexSizes(deps.elasticsearch, names);
    const indices = targets.map((target) => toIndex(target, before.get(target.indexName), after.get(target.indexName)));
    const problems = await readIndexProblems({ ...deps, queuePrefix: deps.env.QUEUE_PREFIX }, inspection);
    return { value: { indices, unlisted: describeUnlisted(inspection, deps.alias), problems } };
  } catch (error) {
    return { problem: errorMessage(describeStoreFailure(error, deps.env)) };
  }
}

function toIndex(target: InspectedTarget, before: IndexSize | undefined, after: IndexSize | undefined): Index {
  const { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, verdict: ownership } = target;
  const { documents = 0, written = 0 } = after ?? {};
  const documentsPerSecond = Math.round(((written - (before?.written ?? 0)) * 1_000) / SAMPLE_MS);
  return { indexName, role, mappingVersion, retiredReason, intact, searched, writesBlocked, ownership, documents, documentsPerSecond };
}

function queueToJson(queue: Queue): object {
  return 'value' in queue ? { queue: queue.value, queueProblem: null } : { queue: null, queueProblem: queue.problem };
}

function indicesToJson(indices: Indices): object {
  if ('problem' in indices) return { rebuildDue: null, indices: null, unlisted: null, problems: null, indicesProblem: indices.problem };
  return { rebuildDue: indices.value.indices.some(isRebuildDue), ...indices.value, indicesProblem: null };
}
