import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { PURGE_EVERY_MS } from '@ugc/shared/contracts/retention';
import { pausedSince } from '@ugc/shared/indices/index-control';
import { fieldsDue, findTarget } from '@ugc/shared/indices/targets';
import { readDeclaredFields } from '@ugc/shared/fields/declared-fields';
import { createSchemaCheck } from '@ugc/shared/postgres/schema';
import { repeat, type Repetition } from '@ugc/shared/timing/repeat';
import { RebuildError, type IndexDeps, type Progress } from './targets/target-indices.ts';
import { errorMessage } from '@ugc/shared/process/error-message';
import type { Log } from '@ugc/shared/process/log';
import { purgeSlices } from './purge/purge.ts';
import { createRestoreCheck } from './comparison/repair-restored.ts';
import { createComparison, type ComparisonOptions } from './comparison/compare-continuously.ts';
import { ensureIndex } from './rebuild/rebuild.ts';
import { createLostShardCheck, createRefusalCheck } from './targets/retire.ts';

const CHECK_EVERY_MS = 2_000;
const PURGE_PER_PASS_MS = 10_000;
const LOG_PROGRESS_EVERY = 10_000;
const REPEAT_PROBLEM_AFTER_MS = 60_000;

/** `onProgress` is called after each pass, each batch of a fill, each slice of a purge and each range of a comparison. */
export function maintainIndex(
  deps: Omit<IndexDeps, 'signal'>,
  onProgress = (): void => undefined,
  comparison: Partial<ComparisonOptions> = {},
): Pick<Repetition, 'stop'> {
  const stopping = new AbortController();
  const signalled = { ...deps, signal: stopping.signal };
  const compare = createComparison(signalled, { onRange: onProgress, ...comparison });
  const check = createPass(signalled, onProgress, compare);
  const report = reportProblems(deps.log);
  const pass = async (): Promise<void> => {
    await check().finally(onProgress);
    report(undefined);
  };
  return repeat(pass, { everyMs: CHECK_EVERY_MS, onError: report, stopping });
}

/** A problem that lasts is logged once a minute, and its end once. */
function reportProblems(log: Log): (err: unknown) => void {
  let problem: string | undefined;
  let loggedAtMs = -Infinity;
  return (err) => {
    const message = err === undefined ? undefined : errorMessage(err);
    const isRepeated = message === problem && performance.now() - loggedAtMs < REPEAT_PROBLEM_AFTER_MS;
    if (message !== undefined && !isRepeated) logProblem(log, err, message);
    if (message === undefined && problem !== undefined) log.info('the searched index is in order again');
    if (!isRepeated) loggedAtMs = performance.now();
    problem = message;
  };
}

function logProblem(log: Log, err: unknown, message: string): void {
  // The message of a RebuildError is written for operators, and needs no stack trace.
  if (err instanceof RebuildError) log.error({ reason: message }, 'the indices cannot be brought in order');
  else log.error({ err }, 'could not check or recreate the searched index');
}

function createPass(deps: IndexDeps, onProgress: () => void, compare: () => Promise<void>): () => Promise<void> {
  let warnedOf = '';
  let warnedOfFields = '';
  const purge = createPurge(deps, onProgress);
  const missingMigrations = createSchemaCheck(deps);
  const retireLostNext = createLostShardCheck();
  const retireRefusing = createRefusalCheck();
  const repairRestored = createRestoreCheck(deps, onProgress);
  return async () => {
    if ((await missingMigrations()).length > 0) return;
    if (await pausedSince(deps.database)) return;
    await retireLostNext(deps);
    await retireRefusing(deps);
    const log = logProgress(deps);
    const isInOrder = await ensureIndex(deps, (...progress) => {
      onProgress();
      log(...progress);
    });
    if (!isInOrder) return;
    await repairRestored();
    warnedOf = await warnOfOtherMapping(deps, warnedOf);
    warnedOfFields = await warnOfFields(deps, warnedOfFields);
    await purge();
    await compare();
  };
}

/** Spreads a long purge over several passes, so a lost index does not wait for its end. */
function createPurge(deps: IndexDeps, onSlice: () => void): () => Promise<void> {
  let slices: ReturnType<typeof purgeSlices> | undefined;
  let nextAt = -Infinity;
  return async () => {
    if (!slices && performance.now() < nextAt) return;
    slices ??= purgeSlices(deps);
    if (!(await continuePurge(deps, slices, onSlice))) return;
    slices = undefined;
    nextAt = performance.now() + PURGE_EVERY_MS;
  };
}

async function continuePurge({ log, signal }: IndexDeps, slices: ReturnType<typeof purgeSlices>, onSlice: () => void): Promise<boolean> {
  const untilMs = performance.now() + PURGE_PER_PASS_MS;
  try {
    while (performance.now() < untilMs) {
      if ((await slices.next()).done) return true;
      onSlice();
    }
    return false;
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'purge failed; the next one starts in an hour');
    return true;
  }
}

async function warnOfOtherMapping({ database, alias, log }: IndexDeps, warnedOf: string): Promise<string> {
  const search = await findTarget({ database, alias }, 'search');
  if (!search || search.mappingVersion === MAPPING_VERSION || search.indexName === warnedOf) return warnedOf;
  const { indexName, mappingVersion } = search;
  const what =
    mappingVersion < MAPPING_VERSION
      ? 'a rebuild is due: the searched index has an older mapping version than this code; run npx pnpm index:rebuild'
      : 'the searched index has a newer mapping version than this code; update the indexers';
  log.warn({ indexName, mappingVersion, expectedMappingVersion: MAPPING_VERSION }, what);
  return indexName;
}

/** @param warnedOf the index and the fields of the last warning · @returns those of this one */
async function warnOfFields({ database, alias, log }: IndexDeps, warnedOf: string): Promise<string> {
  const search = await findTarget({ database, alias }, 'search');
  const fields = search ? fieldsDue(search, await readDeclaredFields(database)) : [];
  const due = [search?.indexName, ...fields].join(' ');
  if (fields.length > 0 && due !== warnedOf)
    log.warn(
      { indexName: search?.indexName, fields },
      'a rebuild is due: the searched index was made before fields were declared as they are now; run npx pnpm index:rebuild',
    );
  return due;
}

function logProgress({ log }: IndexDeps): Progress {
  let next = LOG_PROGRESS_EVERY;
  return (phase, done, total) => {
    if (done < next) return;
    next = done + LOG_PROGRESS_EVERY;
    log.info({ phase, done, total }, 'creating an index');
  };
}
