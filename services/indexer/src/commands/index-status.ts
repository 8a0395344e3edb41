import { EXIT, parseId } from '@ugc/shared/cli/command';
import { printColumns, printJson, printMessage } from '@ugc/shared/cli/output';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { settingChanges, type PresentSettings } from '@ugc/shared/contracts/index-settings';
import type { Part } from '@ugc/shared/contracts/operations-status';
import { readEmbeddings } from '@ugc/shared/embeddings/status';
import { readRestored } from '@ugc/shared/indices/index-history';
import { readComparison } from '@ugc/shared/indices/comparison';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { readUnfitting } from '@ugc/shared/fields/read-unfitting';
import { fieldsDue, isRebuildDue } from '@ugc/shared/indices/targets';
import type { InspectedTarget } from '@ugc/shared/ownership/inspect-indices';
import { whyNotStored } from '@ugc/shared/postgres/storing';
import { errorMessage } from '@ugc/shared/process/error-message';
import { readIndexSizes, readIndices, type IndexSize } from '@ugc/shared/status/targets';
import { describeItem, readItem } from '@ugc/shared/status/item';
import { readLastBackup } from '@ugc/shared/status/backup';
import { readOutbox } from '@ugc/shared/status/outbox';
import { countJobs, type JobCounts } from '@ugc/shared/status/queue';
import { setTimeout as delay } from 'node:timers/promises';
import { createIndexCommand, describeStoreFailure, onRun, runIndexCommand, type CommandDeps, type JsonOption } from './index-command.ts';
import { reportStatus, type Index, type Indices } from './report-status.ts';
import { withQueue } from './with-queue.ts';

const SAMPLE_MS = 1_000;

const command = createIndexCommand({
  name: 'npx pnpm index:status',
  description: `Shows pending, rejected and dropped changes, the queue, the vectors that rank by meaning, the indices with their mapping
version and write rate, indices that no list knows, and problems that an operator has to solve; or why an item is found or not.`,
  exitCodes: { [EXIT.tryAgain]: 'PostgreSQL does not respond; try again' },
  example: 'npx pnpm index:status --item 17',
}).option('--item <ID>', 'only this item: whether it is stored, pending, rejected or indexed, and found by its name', parseId);
await runIndexCommand(onRun(command, show));

type Options = JsonOption & { item?: number };

function show(deps: CommandDeps, { item, ...options }: Options): Promise<number> {
  return item === undefined ? showStatus(deps, options) : showItem(deps, item, options);
}

async function showItem(deps: CommandDeps, contentId: number, { json }: JsonOption): Promise<number> {
  const onError = (error: unknown): void => printMessage(errorMessage(describeStoreFailure(error, deps.env)));
  const report = await readItem(deps, contentId, onError);
  if (json) printJson(report);
  else printColumns(describeItem(report));
  return EXIT.done;
}

async function showStatus(deps: CommandDeps, { json }: JsonOption): Promise<number> {
  const [outbox, notStored, queue, indices, comparison, restored, unfitting, backup, embeddings] = await Promise.all([
    readOutbox(deps.database),
    whyNotStored(deps.database),
    withQueue(deps.env, countJobs),
    readIndicesTwice(deps),
    readComparison(deps.database),
    readRestored(deps),
    readUnfitting(deps.database),
    readLastBackup(deps.database),
    readEmbeddings(deps.database),
  ]);
  const postgresProblem = notStored?.problem ?? null;
  const shown = {
    ...outbox,
    postgresProblem,
    ...queueToJson(queue),
    mappingVersion: MAPPING_VERSION,
    ...indicesToJson(indices),
    comparison,
    restored,
    unfitting,
    backup,
  };
  if (json) printJson({ ...shown, embeddings: embeddings ?? null });
  else reportStatus({ outbox, postgresProblem, queue, indices, comparison, restored, unfitting, backup, embeddings });
  return EXIT.done;
}

async function readIndicesTwice(deps: CommandDeps): Promise<Part<Indices>> {
  try {
    const { inspection, sizes: before, unlisted, problems } = await readIndices({ ...deps, queuePrefix: deps.env.QUEUE_PREFIX });
    await delay(SAMPLE_MS);
    const after = await readIndexSizes(deps.elasticsearch, inspection);
    const targets = inspection.targets.filter(({ intact }) => intact);
    const indices = targets.map((target) => toIndex(target, inspection.states.get(target.indexName)?.settings, before, after));
    const searched = indices.find((index) => index.searched)?.settings;
    const rebuildChanges = searched ? settingChanges(searched, deps.settings) : [];
    const declared = await readDeclaredFields(deps.database);
    const due = targets.filter((target) => isRebuildDue(target, declared));
    const rebuildFields = due.flatMap((target) => fieldsDue(target, declared));
    return { value: { rebuildDue: due.length > 0, indices, rebuildChanges, rebuildFields, unlisted, problems } };
  } catch (error) {
    return { problem: errorMessage(describeStoreFailure(error, deps.env)) };
  }
}

type Sizes = Map<string, IndexSize>;

function toIndex(target: InspectedTarget, settings: PresentSettings | undefined, before: Sizes, after: Sizes): Index {
  const { indexName, role, mappingVersion, fields, retiredReason, intact, searched, writesBlocked, verdict: ownership } = target;
  const { documents = 0, deleted = 0, written = 0 } = after.get(indexName) ?? {};
  const documentsPerSecond = Math.round(((written - (before.get(indexName)?.written ?? 0)) * 1_000) / SAMPLE_MS);
  const names = fields.map(({ name }) => name);
  const shown = { indexName, role, mappingVersion, fields: names, retiredReason, intact, searched, writesBlocked, ownership };
  return { ...shown, documents, deleted, documentsPerSecond, ...(settings && { settings }) };
}

function queueToJson(queue: Part<JobCounts>): object {
  return 'value' in queue ? { queue: queue.value, queueProblem: null } : { queue: null, queueProblem: queue.problem };
}

function indicesToJson(indices: Part<Indices>): object {
  if ('problem' in indices)
    return {
      ...{ rebuildDue: null, rebuildChanges: null, rebuildFields: null, indices: null, unlisted: null, problems: null },
      indicesProblem: indices.problem,
    };
  return { ...indices.value, indicesProblem: null };
}
