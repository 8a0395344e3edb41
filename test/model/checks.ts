import type { Database, Item, Job } from './database.ts';
import type { Index, Writer } from './elasticsearch.ts';
import { Violation, type World } from './world.ts';

/** Three beats, less the time that a short outage between two looks can take from the owner. */
const WATCH = 40;
/** A decision that is used after a take-over was made at least this long before it. */
const PAUSED = 15;

/** Nobody takes an index from an owner that could beat and did, except on an operator's word. */
export function checkTakeOver({ elasticsearch }: World, index: Index, to: Database, how: 'watched' | 'adopted'): void {
  if (how === 'watched' && ![...to.aliases].some((alias) => index.name.startsWith(`${alias}-v`)))
    throw new Violation('take-over', `${to.name} takes ${index.name}, which does not belong to its alias ${to.alias}`);
  const quiet = elasticsearch.writableSeconds - index.beatAt;
  if (how === 'adopted' || index.owner === to || quiet >= WATCH) return;
  throw new Violation('take-over', `${to.name} takes ${index.name} from ${index.owner.name}, which beat ${quiet.toFixed(1)} s ago`);
}

/**
 * A database writes, swaps, purges and deletes only what it owned when it decided to. A writer that lost the index since
 * then was paused. Its request cannot be stopped, and what it leaves is repaired by the comparison.
 */
export function checkWriter({ now }: World, index: Index, { database, decidedAt, history }: Writer): void {
  if (index.owner === database) {
    if (history !== database.history) index.wasLate = true;
    return;
  }
  const lost = index.lost.get(database);
  const what = `${database.name} changes ${index.name} of ${index.owner.name} at ${now.toFixed(1)}`;
  if (!lost) throw new Violation('foreign index', `${what} and never owned it`);
  const latest = lost.how === 'watched' ? lost.at - PAUSED : lost.at;
  if (decidedAt > latest)
    throw new Violation('foreign index', `${what}, decided at ${decidedAt.toFixed(1)}, but lost it at ${lost.at.toFixed(1)}`);
  index.wasLate = true;
}

/** No search shows an older version than an earlier search of the same reign. */
export function checkSeen({ elasticsearch }: World, index: Index, ids: number[]): void {
  for (const [alias, name] of elasticsearch.aliases) {
    if (name !== index.name) continue;
    const reign = `${index.owner.name} ${index.owner.history} ${index.history}`;
    let seen = elasticsearch.seen.get(alias);
    if (seen?.reign !== reign) elasticsearch.seen.set(alias, (seen = { reign, documents: new Map() }));
    for (const id of new Set([...ids, ...(ids.length > 1 ? seen.documents.keys() : [])])) {
      const document = index.documents.get(id);
      const before = seen.documents.get(id);
      if (before && document?.value !== before.value && !mayFall(index, id, before, document))
        throw new Violation('version fell', `${alias}: item ${id} from ${show(before)} to ${show(document)} in ${name}`);
      if (document) seen.documents.set(id, { ...document });
      else seen.documents.delete(id);
    }
  }
}

/** What another history has written may be replaced by anything. The present state of the database is never old. */
function mayFall({ owner }: Index, id: number, before: Item, document: Item | undefined): boolean {
  if ((before.isDeleted && !document) || document?.value === owner.state.items.get(id)?.value) return true;
  return !owner.hasMade(before.value) || (document?.revision ?? 0) >= before.revision;
}

/** A target that is searched is never deleted. An alias that came late to an index that is no target any more is lost, and set again. */
export function checkDeletion({ elasticsearch }: World, { name, owner, claim }: Index): void {
  const role = owner.state.targets.get(name);
  const isSearched = role === 'search' || elasticsearch.aliases.get(owner.alias) === name;
  if (role !== undefined && isSearched && !claim.isRemoved) throw new Violation('deleted index', `${name}, which ${owner.name} searches`);
}

/** What left the outbox is in every target, unless a writer came late, which the comparison repairs. */
export function checkAcknowledged({ elasticsearch }: World, database: Database, id: number): void {
  const item = database.state.items.get(id);
  for (const name of database.state.targets.keys()) {
    const index = elasticsearch.indices.get(name);
    if (!index || !item || database.state.retired.has(name) || index.wasLate || index.owner !== database) continue;
    const document = index.documents.get(id);
    if (document?.revision !== item.revision || document.value !== item.value)
      throw new Violation('acknowledged', `item ${id} is ${show(item)} in ${database.name} and ${show(document)} in ${name}`);
  }
}

/** No job is begun while the change that hid an item waits in another one. */
export function checkOrder({ state, queue }: Database, begun: Job): void {
  for (const [id, { isFirst, jobId }] of state.outbox) {
    const job = queue.get(jobId ?? '');
    if (isFirst && job && !job.takenBy && !begun.isFirst)
      throw new Violation('order', `item ${id} is hidden, and other changes go before it`);
  }
}

/**
 * What was hidden, and out of the index, is in no list again, unless a moderator shows it. An item that is being purged may
 * come back by a writer that was paused for minutes, until the comparison finds it.
 */
export function checkShown(database: Database, { name, documents }: Index): void {
  // A writer of another history may come late, which the comparison repairs.
  if (database.wasRestored || database.world.databases.length > 1 || database.state.retired.has(name)) return;
  for (const [id, value] of database.removed) {
    const item = database.state.items.get(id);
    const shown = documents.get(id);
    if (item?.isHidden && item.value === value && shown && !shown.isDeleted)
      throw new Violation('shown', `item ${id} was removed (${value}), and a list of ${name} has ${show(shown)}`);
  }
}

/** A hidden item may be shown again. */
export function checkPurge({ name }: Database, id: number, { isHidden }: Item): void {
  if (isHidden) throw new Violation('purged', `${name} purges item ${id}, which is hidden`);
}

/** What is still wrong when every fault has ended. Nothing must be, some minutes later. */
export function unrest(world: World): string | undefined {
  for (const database of world.databases) {
    if (!isAlive(world, database)) continue;
    const problem = unrestOfAlias(world, database.alias) ?? unrestOf(world, database);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function isAlive(world: World, database: Database): boolean {
  return world.processes.some((process) => process.database === database && !process.isDead);
}

function unrestOfAlias(world: World, alias: string): string | undefined {
  const { aliases, indices } = world.elasticsearch;
  const name = aliases.get(alias);
  const index = name === undefined ? undefined : indices.get(name);
  if (!index) return `nothing is searched through ${alias}`;
  if (!isAlive(world, index.owner)) return `${index.name} is searched through ${alias}, and its owner ${index.owner.name} is gone`;
  if (index.owner.alias === alias && index.owner.state.targets.get(index.name) !== 'search')
    return `${index.name} has the alias ${alias}, but ${index.owner.name} has the targets ${[...index.owner.state.targets].join(' ')}, owned by ${[...index.owner.state.targets.keys()].map((target) => indices.get(target)?.owner.name).join()}`;
  return undefined;
}

/** A copy that owns nothing leaves its changes in the outbox. */
function unrestOf({ elasticsearch }: World, database: Database): string | undefined {
  const { targets, outbox } = database.state;
  const listed = [...targets.keys()].map((name) => elasticsearch.indices.get(name));
  const searched = elasticsearch.indices.get(database.target('search') ?? '');
  if (searched?.owner !== database || elasticsearch.aliases.get(database.alias) !== searched.name) return undefined;
  if (!listed.every((index) => index?.owner === database))
    return `${database.name} owns only some of its targets: ${[...targets.keys()].join()}`;
  if (outbox.size > 0) return `${database.name} has pending changes of the items ${[...outbox.keys()].join()}`;
  for (const index of listed) {
    // A rebuild that was interrupted waits for somebody to run it again.
    const problem =
      index && targets.get(index.name) !== 'next' && !database.state.retired.has(index.name) ? difference(database, index) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function difference({ name, state }: Database, index: Index): string | undefined {
  for (const id of new Set([...state.items.keys(), ...index.documents.keys()])) {
    const [item, document] = [state.items.get(id), index.documents.get(id)];
    if (item?.isDraft && !document) continue;
    if (item?.isDraft || item?.revision !== document?.revision || item?.value !== document?.value)
      return `diverged: item ${id} is ${show(item)} in ${name} and ${show(document)} in ${index.name}`;
  }
  return undefined;
}

function show(item: { revision: number; value: string; isDeleted: boolean } | undefined): string {
  return item ? `${item.revision} (${item.value}${item.isDeleted ? ', deleted' : ''})` : 'missing';
}
