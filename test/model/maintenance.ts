import { checkPurge } from './checks.ts';
import type { Role } from './database.ts';
import { holds, withIndexLock } from './index-lock.ts';
import { decide, mayWrite } from './ownership.ts';
import type { Process } from './process.ts';
import { resolveConflict } from './repair.ts';
import type { Steps, World } from './world.ts';

const EVERY = 3;
const PURGE_AFTER = 80;
const RETRIES = 40;
const COMMAND_WAITS = 60;

/** What each indexer does beside its jobs. */
export function* maintain(world: World, process: Process): Steps {
  for (;;) {
    yield EVERY + world.upTo(1);
    yield* lookAtTargets(world, process);
    if (!(yield* mayMaintain(world, process)) || isHealthy(world, process)) continue;
    yield* withIndexLock(world, process, function* (token) {
      if ((yield* recover(world, process, token)) === false) yield* build(world, process, token);
    });
  }
}

function* lookAtTargets(world: World, process: Process): Steps {
  const { database } = process;
  for (const name of [...database.state.targets.keys()]) {
    const { verdict } = world.has('identity') ? yield* decide(world, process, name) : { verdict: 'own' };
    if (verdict === 'foreign' && isForgotten(world, process, name)) {
      database.changeTargetsUnlocked((targets) => targets.delete(name));
      world.note(`${database.name} forgets ${name}`);
    }
  }
}

function isForgotten(world: World, process: Process, name: string): boolean {
  const { database, alias } = process;
  const { targets } = database.state;
  if (!targets.has(name)) return false;
  if (!belongsTo(name, alias)) return true;
  const searched = world.elasticsearch.aliases.get(alias) ?? database.target('search') ?? '';
  return world.has('split-ownership') && searched !== name && process.decisions.get(searched)?.verdict === 'own';
}

/** Nothing is built, swapped or removed while an index of another database has the alias or is a target of this alias. */
function* mayMaintain(world: World, process: Process): Steps<boolean> {
  const { database, alias } = process;
  const searched = world.elasticsearch.aliases.get(alias);
  const named = [...database.state.targets.keys()].filter((name) => belongsTo(name, alias));
  for (const name of new Set([...named, ...(searched === undefined ? [] : [searched])])) {
    if (!world.elasticsearch.answers) return false;
    if (world.elasticsearch.has(name) && !(yield* mayWrite(world, process, name))) return false;
  }
  return true;
}

function belongsTo(name: string, alias: string): boolean {
  return name.startsWith(`${alias}-v`);
}

function isHealthy({ elasticsearch }: World, { database, alias }: Process): boolean {
  const search = database.target('search');
  return (
    search !== undefined &&
    database.state.swapTo === undefined &&
    elasticsearch.aliases.get(alias) === search &&
    [...database.state.targets.keys()].every((name) => elasticsearch.has(name))
  );
}

/** @returns whether an index can be searched; undefined if Elasticsearch does not answer, or the lock was lost */
function* recover(world: World, process: Process, token: string): Steps<boolean | undefined> {
  const { elasticsearch } = world;
  const { database, alias } = process;
  for (const name of [...database.state.targets.keys()]) {
    if (!elasticsearch.answers) return undefined;
    if (!elasticsearch.has(name)) database.changeTargets(token, (targets) => targets.delete(name));
    yield;
  }
  if (holds(process, token)) database.state.swapTo = undefined;
  const searched = elasticsearch.aliases.get(alias);
  const role = database.state.targets.get(searched ?? '');
  // The alias has come late to an index that is retired, and lacks changes, or was removed. It is moved back.
  const isSwapped = searched !== undefined && role !== undefined && role !== 'search' && !database.state.retired.has(searched);
  if (isSwapped) return yield* promote(world, process, token, searched);
  const search = database.target('search');
  if (search === undefined || !belongsTo(search, alias)) return false;
  if (searched !== search) yield* pointAlias(world, process, token, { from: searched, to: search, isLate: searched !== undefined });
  return true;
}

type AliasMove = { from: string | undefined; to: string; isLate?: boolean };

function* pointAlias(world: World, process: Process, token: string, { from, to, isLate = false }: AliasMove): Steps<boolean> {
  const writer = yield* mayWrite(world, process, to);
  const isFree = from === undefined || !world.elasticsearch.has(from) || !world.has('own-alias');
  const taker = isFree ? writer : yield* mayWrite(world, process, from);
  if (!writer || !taker || !holds(process, token)) return false;
  yield;
  // A holder that comes late can show an older index until the next pass, if the alias has moved away and back meanwhile.
  return world.elasticsearch.pointAlias(process.alias, from, to, { writer, taker, isLate: isLate || !holds(process, token) });
}

function* promote(world: World, { database }: Process, token: string, to: string): Steps<true> {
  database.changeTargets(token, (targets) => {
    if (!targets.has(to)) return;
    const from = database.target('search');
    if (from !== undefined) targets.set(from, 'previous');
    targets.set(to, 'search');
    database.state.retired.delete(to);
    database.state.swapTo = undefined;
    world.note(`${database.name} searches ${to}`);
  });
  return true;
}

/** Blocks writes, moves the alias, changes the roles. A crash in between is completed or undone by `recover`. */
function* swap(world: World, process: Process, token: string, to: string): Steps {
  const { database, alias } = process;
  const from = world.elasticsearch.aliases.get(alias);
  if (!isWritten(process, to) || !database.changeTargets(token, () => (database.state.swapTo = to))) return;
  yield;
  if (yield* pointAlias(world, process, token, { from, to })) {
    yield;
    yield* promote(world, process, token, to);
  } else database.changeTargets(token, () => (database.state.swapTo = undefined));
}

function* build(world: World, process: Process, token: string): Steps {
  const { database } = process;
  const name = (yield* unfinished(world, process, token)) ?? (yield* createNext(world, process, token));
  if (name === undefined) return;
  for (const id of [...database.state.items.keys()]) if (!(yield* fillItem(world, process, name, id))) return;
  if (holds(process, token)) yield* swap(world, process, token, name);
  yield* removeOutdated(world, process, token);
}

function* unfinished({ elasticsearch }: World, process: Process, token: string): Steps<string | undefined> {
  const next = process.database.target('next');
  yield;
  const isRetired = process.database.state.retired.has(next ?? '');
  if (next === undefined || (belongsTo(next, process.alias) && !isRetired)) return elasticsearch.has(next ?? '') ? next : undefined;
  process.database.changeTargets(token, (targets) => targets.delete(next));
  return undefined;
}

function* createNext(world: World, process: Process, token: string): Steps<string | undefined> {
  const { database, alias } = process;
  const name = world.unique(`${alias}-v`);
  if (database.target('next') !== undefined || !database.changeTargets(token, (targets) => targets.set(name, 'next'))) return undefined;
  yield;
  return world.elasticsearch.create(name, database, process.identity) ? name : undefined;
}

function* fillItem(world: World, process: Process, name: string, id: number): Steps<boolean> {
  const { database } = process;
  const { history } = database;
  const item = database.state.items.get(id);
  if (!item || (item.isDraft && world.has('leave-drafts'))) return true;
  const read = { ...item };
  yield;
  for (let attempt = 0; attempt < RETRIES; attempt++) {
    if (!isWritten(process, name) || (world.has('fill-next') && database.state.targets.get(name) !== 'next')) return false;
    const writer = yield* mayWrite(world, process, name);
    const result = writer ? world.elasticsearch.write(name, id, read, { ...writer, history }) : 'retry';
    yield result === 'retry' ? 2 : undefined;
    if (result === 'done' || (result === 'conflict' && !(yield* resolveConflict(world, process, id, read.revision)))) return true;
    if (!database.state.items.has(id)) return true;
  }
  return false;
}

function isWritten({ database: { state } }: Process, name: string): boolean {
  return state.targets.has(name) && !state.retired.has(name);
}

/** The command index:rebuild. */
export function* rebuild(world: World, process: Process): Steps {
  if (!(yield* mayMaintain(world, process))) return;
  yield* withIndexLock(
    world,
    process,
    function* (token) {
      if ((yield* recover(world, process, token)) !== undefined) yield* build(world, process, token);
    },
    COMMAND_WAITS,
  );
}

/** The command index:rebuild --rollback. */
export function* rollBack(world: World, process: Process): Steps {
  const { database, alias } = process;
  if (!(yield* mayMaintain(world, process))) return;
  yield* withIndexLock(
    world,
    process,
    function* (token) {
      if ((yield* recover(world, process, token)) === undefined) return;
      const previous = database.target('previous');
      if (previous === undefined || !belongsTo(previous, alias) || database.state.retired.has(previous)) return;
      if (!(yield* waitForPending(world, process, token))) return;
      if (database.state.targets.get(previous) === 'previous') yield* swap(world, process, token, previous);
    },
    COMMAND_WAITS,
  );
}

/** @returns false if the lock was lost */
function* waitForPending(world: World, process: Process, token: string): Steps<boolean> {
  const since = world.now;
  while (world.has('rollback-waits') && [...process.database.state.outbox.values()].some((row) => row.since <= since)) {
    if (!holds(process, token)) return false;
    yield 1;
  }
  return true;
}

/** The commands index:rebuild --finish and --cancel. */
export function* finish(world: World, process: Process, role: Role): Steps {
  if (!(yield* mayMaintain(world, process))) return;
  yield* withIndexLock(
    world,
    process,
    function* (token) {
      if (world.has('recover-first') && (yield* recover(world, process, token)) === undefined) return;
      const name = process.database.target(role);
      if (name !== undefined) yield* removeIndex(world, process, token, name);
    },
    COMMAND_WAITS,
  );
}

function* removeOutdated(world: World, process: Process, token: string): Steps {
  const { database, alias } = process;
  const previous = [...database.state.targets].filter(([name, role]) => role === 'previous' && belongsTo(name, alias));
  for (const [name] of previous.slice(0, -1)) yield* removeIndex(world, process, token, name);
}

function* removeIndex(world: World, process: Process, token: string, name: string): Steps {
  const { database } = process;
  const claim = world.elasticsearch.readClaim(name);
  yield;
  const writer = yield* mayWrite(world, process, name);
  if (!writer || !claim || !holds(process, token)) return;
  yield;
  world.note(`${database.name} will remove ${name}`);
  const unlist = (): boolean => database.changeTargets(token, (targets) => targets.delete(name));
  if (world.has('unlist-first') && !unlist()) return;
  yield;
  if (world.has('removed-claim') && !world.elasticsearch.markRemoved(name, claim)) return;
  yield;
  if (world.has('keep-searched') && [...world.elasticsearch.aliases.values()].includes(name)) return;
  yield;
  world.note(`${database.name} deletes ${name}`);
  world.elasticsearch.deleteIndex(name, writer);
  yield;
  if (!world.has('unlist-first')) unlist();
}

/** Removes tombstones from every index, then from the database. */
export function* purge(world: World, process: Process): Steps {
  const { database } = process;
  const deletedSince = new Map<number, number>();
  for (;;) {
    yield 20;
    for (const [id, item] of database.state.items) {
      if (!item.isDeleted || item.isDraft || (item.isHidden && world.has('keep-hidden'))) continue;
      deletedSince.set(id, deletedSince.get(id) ?? world.now);
      if (world.now - (deletedSince.get(id) ?? 0) < PURGE_AFTER) continue;
      yield* withIndexLock(world, process, (token) => purgeItem(world, process, token, id));
    }
  }
}

function* purgeItem(world: World, process: Process, token: string, id: number): Steps {
  const { database } = process;
  const item = database.state.items.get(id);
  if (!item?.isDeleted || database.state.outbox.has(id)) return;
  const { revision, value } = item;
  for (const name of [...database.state.targets.keys()]) {
    const writer = yield* mayWrite(world, process, name);
    if (!writer || !holds(process, token)) return;
    const result = world.elasticsearch.deleteDocument(name, id, revision, writer);
    if (result === 'retry') return;
    yield;
    if (result === 'conflict' && (yield* resolveConflict(world, process, id, 0))) return;
  }
  const now = database.state.items.get(id);
  if (now?.revision !== revision || now.value !== value || database.state.outbox.has(id)) return;
  checkPurge(database, id, now);
  database.state.items.delete(id);
}
