import type { Database, Item } from './database.ts';
import { mayWrite } from './ownership.ts';
import type { Process } from './process.ts';
import { Violation, type Steps, type World } from './world.ts';

const EVERY = 10;

/** A write of `revision` was refused because an index has a higher version. @returns whether the change must be written again */
export function* resolveConflict(world: World, process: Process, id: number, revision: number): Steps<boolean> {
  if (!world.has('compare-after-conflict')) return false;
  const { database } = process;
  let current = revisionOf(database, id);
  yield;
  const versions = yield* readVersions(world, database, id);
  if (!versions) return true;
  yield;
  if (world.has('versions-first')) current = revisionOf(database, id);
  const highest = Math.max(...versions);
  if (highest > current) return raise(world, database, id, highest);
  // Elasticsearch remembers the version of a deleted document for a minute. It refuses lower ones, and shows nothing.
  return world.has('retry-remembered') && versions.some((version) => version < revision);
}

export function* readVersions({ elasticsearch }: World, database: Database, id: number): Steps<number[] | undefined> {
  const versions = [0];
  for (const name of [...database.state.targets.keys()]) {
    const version = elasticsearch.readVersion(name, id);
    if (version === undefined) return undefined;
    versions.push(version);
    yield;
  }
  return versions.length > 1 ? versions.slice(1) : versions;
}

function revisionOf({ state }: Database, id: number): number {
  return state.items.get(id)?.revision ?? state.outbox.get(id)?.revision ?? 0;
}

/** One transaction. An item that the database does not have is deleted from the indices. */
function raise(world: World, database: Database, id: number, highest: number): true {
  if (world.databases.length === 1 && !database.wasRestored && database.state.items.has(id))
    throw new Violation('false alarm', `item ${id} counts as ahead of a database that was never restored`);
  const item = database.state.items.get(id);
  if (item) item.revision = Math.max(item.revision, highest) + 1;
  database.markPending(id, item?.revision ?? highest);
  return true;
}

/** The slow comparison of one indexer. */
export function* compare(world: World, process: Process): Steps {
  for (;;) {
    yield EVERY + world.upTo(EVERY);
    if (!world.has('comparison') || !isComparing(world, process)) continue;
    for (const name of [...process.database.state.targets.keys()]) yield* compareIndex(world, process, name);
  }
}

function isComparing({ processes }: World, process: Process): boolean {
  return processes.find((other) => other.database === process.database && !other.isDead) === process;
}

function* compareIndex(world: World, process: Process, name: string): Steps {
  const { database } = process;
  const index = world.elasticsearch.indices.get(name);
  for (const id of new Set([...database.state.items.keys(), ...(index?.documents.keys() ?? [])])) {
    if (!world.elasticsearch.answers || !index || !(yield* mayWrite(world, process, name))) return;
    const document = index.documents.get(id);
    yield;
    if (isPending(database, id) || isEqual(world, database.state.items.get(id), document)) continue;
    const versions = yield* readVersions(world, database, id);
    if (versions && !isPending(database, id)) repair(database, id, Math.max(...versions));
    yield;
  }
}

function isPending({ state }: Database, id: number): boolean {
  return state.outbox.has(id);
}

function isEqual(world: World, item: Item | undefined, document: Item | undefined): boolean {
  if (item?.isDraft && !document && world.has('leave-drafts')) return true;
  return item?.revision === document?.revision && (!world.has('compare-contents') || item?.value === document?.value);
}

export function repair(database: Database, id: number, highest: number): void {
  const item = database.state.items.get(id);
  if (item) item.revision = Math.max(item.revision, highest) + 1;
  database.markPending(id, item?.revision ?? highest);
}
