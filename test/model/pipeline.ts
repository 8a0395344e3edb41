import { checkAcknowledged, checkOrder } from './checks.ts';
import type { Database, Item, Job, PendingChange, Role } from './database.ts';
import type { Writer } from './elasticsearch.ts';
import { mayWrite } from './ownership.ts';
import type { Process } from './process.ts';
import { resolveConflict } from './repair.ts';
import type { Steps, World } from './world.ts';

const ITEMS = 3;
const LOST_AFTER = 5;
const MAX_JOBS = 4;

/** Uploads, edits and deletions. */
export function* write(world: World, database: Database): Steps {
  for (;;) {
    yield world.upTo(16);
    if (!world.faults) return;
    const { state } = database;
    const live = [...state.items].filter(([, item]) => !item.isDeleted).map(([id]) => id);
    const id = world.pick(live);
    if (id === undefined || (live.length < ITEMS && world.chance(0.3))) database.change(state.nextId++, false);
    else database.change(id, world.chance(0.1));
  }
}

export function* relay(world: World, database: Database): Steps {
  for (;;) {
    yield 1 + world.upTo(2);
    const { outbox } = database.state;
    if (world.has('hidden-first')) yield* claimHidden(world, database);
    const isFree = (row: PendingChange): boolean => row.jobId === undefined && !(row.isFirst && world.has('hidden-first'));
    const free = [...outbox].filter(([, row]) => isFree(row)).map(([id]) => id);
    if (free.length === 0 || database.queue.size >= MAX_JOBS) continue;
    const claimed = free.slice(0, 1 + Math.floor(world.upTo(free.length)));
    const jobs = inJobs(world, claimed);
    for (const { jobId, ids } of jobs) for (const id of ids) Object.assign(outbox.get(id) ?? {}, { jobId, claimedAt: world.now });
    yield;
    if (!world.faults || !world.chance(0.02)) for (const { jobId, ...job } of jobs) database.queue.set(jobId, job);
  }
}

/** Changes of a creator with many of them are in a job of their own, which other jobs overtake. */
function inJobs(world: World, ids: number[]): (Job & { jobId: string })[] {
  const overtaken = ids.filter((id) => world.hasCrowd && id % 3 === 0);
  const others = ids.filter((id) => !overtaken.includes(id));
  const jobs = [others, overtaken].filter((each) => each.length > 0);
  return jobs.map((each) => ({ jobId: world.unique('j'), ids: each, isOvertaken: each === overtaken }));
}

/** A job of their own for hidden items, which passes the jobs that wait. */
function* claimHidden(world: World, database: Database): Steps {
  const first = [...database.state.outbox].filter(([, row]) => row.isFirst && row.jobId === undefined);
  if (first.length === 0 || database.queue.size >= 2 * MAX_JOBS) return;
  const jobId = world.unique('j');
  for (const [, row] of first) Object.assign(row, { jobId, claimedAt: world.now });
  yield;
  database.queue.set(jobId, { ids: first.map(([id]) => id), isFirst: true, isOvertaken: false });
}

/** Jobs that Redis or a killed indexer has lost. */
export function* releaseLostJobs(world: World, database: Database): Steps {
  for (;;) {
    yield 3 + world.upTo(3);
    for (const [jobId, job] of database.queue) if (job.takenBy?.isDead) database.queue.delete(jobId);
    const old = [...database.state.outbox.values()].filter((row) => row.jobId !== undefined && world.now - row.claimedAt > LOST_AFTER);
    for (const jobId of new Set(old.map((row) => row.jobId))) {
      const isLost = !database.queue.has(jobId ?? '');
      yield;
      if (isLost) release(database, jobId);
    }
  }
}

export function* work(world: World, process: Process): Steps {
  for (;;) {
    const waiting = [...process.database.queue].filter(([, job]) => !job.takenBy);
    const first = world.has('hidden-first') ? waiting.find(([, job]) => job.isFirst) : undefined;
    const next = first ?? waiting.find(([, job]) => !job.isOvertaken) ?? waiting[0];
    if (!next) {
      yield 1 + world.upTo(2);
      continue;
    }
    const [jobId, job] = next;
    job.takenBy = process;
    checkOrder(process.database, job);
    yield;
    yield* indexContent(world, process, jobId, job.ids);
    process.database.queue.delete(jobId);
  }
}

type Row = { id: number; revision: number; item: Item | undefined; isWritten: boolean };
type Read = { rows: Row[]; targets: Map<string, Role>; generation: number; history: string };

function* indexContent(world: World, process: Process, jobId: string, ids: number[]): Steps {
  const read = yield* readPendingChanges(world, process.database, ids);
  const isSearchLast = world.has('search-last');
  const targets = [...read.targets].sort(([, a], [, b]) => (Number(a === 'search') - Number(b === 'search')) * (isSearchLast ? 1 : -1));
  const conflicts = new Set<number>();
  for (const [name] of targets) yield* writeToTarget(world, process, name, read, conflicts);
  for (const id of conflicts) {
    const row = read.rows.find((written) => written.id === id);
    if (row && (yield* resolveConflict(world, process, id, row.item ? row.revision : 0))) row.isWritten = false;
  }
  acknowledge(world, process.database, jobId, read);
  yield;
}

/** One statement. */
function* readPendingChanges(world: World, { state, history }: Database, ids: number[]): Steps<Read> {
  let [targets, generation] = [writableTargets(state), state.generation];
  if (!world.has('one-statement')) yield;
  const rows: Row[] = [];
  for (const id of ids) {
    const row = state.outbox.get(id);
    const item = state.items.get(id);
    if (row) rows.push({ id, revision: item?.revision ?? row.revision, item: item && { ...item }, isWritten: targets.size > 0 });
  }
  if (!world.has('one-statement')) generation = state.generation;
  yield;
  return { rows, targets, generation, history };
}

function writableTargets({ targets, retired }: Database['state']): Map<string, Role> {
  return new Map([...targets].filter(([name]) => !retired.has(name)));
}

function* writeToTarget(world: World, process: Process, name: string, { rows, history }: Read, conflicts: Set<number>): Steps {
  const writer = yield* mayWrite(world, process, name);
  for (const row of rows) {
    if (!row.isWritten) continue;
    const result = writer ? writeRow(world, name, row, { ...writer, history }) : 'retry';
    if (result === 'retry') row.isWritten = false;
    if (result === 'conflict') conflicts.add(row.id);
    yield;
  }
}

function writeRow({ elasticsearch }: World, name: string, { id, revision, item }: Row, writer: Writer): 'done' | 'conflict' | 'retry' {
  return item ? elasticsearch.write(name, id, item, writer) : elasticsearch.deleteDocument(name, id, revision, writer);
}

/** One transaction. */
function acknowledge(world: World, database: Database, jobId: string, { rows, generation }: Read): void {
  const { state } = database;
  const isCurrent = generation === state.generation || !world.has('generation');
  for (const { id, revision, item, isWritten } of rows) {
    const row = state.outbox.get(id);
    if (!item && state.items.has(id) && world.has('delete-again')) continue;
    if (!row || !isWritten || !isCurrent || ((row.jobId !== jobId || row.revision < revision) && world.has('acknowledge-own-job')))
      continue;
    if (row.revision > revision) row.since = world.now;
    else {
      state.outbox.delete(id);
      if (item?.isHidden) database.removed.set(id, item.value);
      checkAcknowledged(world, database, id);
    }
  }
  release(database, jobId);
}

function release({ state }: Database, jobId: string | undefined): void {
  for (const row of state.outbox.values()) if (row.jobId === jobId) row.jobId = undefined;
}
