import { isAlive } from './checks.ts';
import { Database, type Item } from './database.ts';
import { finish, maintain, purge, rebuild, rollBack } from './maintenance.ts';
import { adopt } from './ownership.ts';
import { relay, releaseLostJobs, work, write } from './pipeline.ts';
import { Process } from './process.ts';
import { compare } from './repair.ts';
import { list, repairRestored } from './restored.ts';
import type { Steps, World } from './world.ts';

/** What can happen to a deployment, and how often relative to each other. */
export const FAULTS = {
  pause: 6,
  kill: 2,
  wipeRedis: 1,
  elasticsearchDown: 1,
  elasticsearchReadOnly: 1,
  rebuild: 2,
  rollBack: 2,
  finish: 2,
  cancel: 1,
  retire: 1,
  dump: 2,
  snapshot: 3,
  restore: 2,
  restoreBeside: 1,
  stop: 1,
  adopt: 1,
  changeAlias: 0.5,
  failover: 1,
  otherPath: 1,
  hide: 3,
  show: 2,
  snapshotIndex: 3,
  restoreIndex: 1,
} as const;

/** What creators do with items that lists do not show. Not in the scenario of all faults, whose runs they would change. */
const OF_CREATORS = { draft: 3, publish: 3, withdraw: 2 } as const;
const WEIGHTS = { ...FAULTS, ...OF_CREATORS };
export type Fault = keyof typeof WEIGHTS;

const MAX_DATABASES = 4;
const BACK_UP_EVERY = 15;

export function* causeFaults(world: World, names: readonly Fault[], every: number): Steps {
  yield 10;
  while (world.faults) {
    yield world.upTo(2 * every);
    const fault = choose(world, names);
    const database = world.pick(world.databases.filter((candidate) => isAlive(world, candidate)));
    const process = world.pick(
      world.processes.filter((running) => running.database === database && !running.isDead && running.pausedUntil <= world.now),
    );
    if (!database || !process) continue;
    world.note(`${fault} ${database.name}`);
    cause(world, fault, database, process);
  }
}

function choose(world: World, names: readonly Fault[]): Fault {
  let at = world.upTo(names.reduce((sum, name) => sum + WEIGHTS[name], 0));
  return names.find((name) => (at -= WEIGHTS[name]) <= 0) ?? names[0] ?? 'pause';
}

export function startDatabase(world: World, database: Database, processes = 2): void {
  world.spawn(undefined, write(world, database));
  world.spawn(undefined, relay(world, database));
  world.spawn(undefined, releaseLostJobs(world, database));
  if (world.hasRestores) world.spawn(undefined, list(world, database));
  world.spawn(undefined, backUp(world, database));
  for (let count = 0; count < processes; count++) startProcess(world, database);
}

function startProcess(world: World, database: Database, otherPath?: string): void {
  const process = new Process(database, otherPath);
  world.processes.push(process);
  for (const actor of [work, maintain, compare, purge, ...(world.hasRestores ? [repairRestored] : [])])
    world.spawn(process, actor(world, process));
}

function* backUp(world: World, database: Database): Steps {
  while (world.faults) {
    database.backUp();
    yield BACK_UP_EVERY + world.upTo(BACK_UP_EVERY);
  }
}

function cause(world: World, fault: Fault, database: Database, process: Process): void {
  switch (fault) {
    case 'pause':
      process.pausedUntil = world.now + world.upTo(150);
      if (world.chance(0.4))
        for (const other of world.processes) if (other.database === database) other.pausedUntil = world.now + world.upTo(150);
      return;
    case 'kill':
      process.isDead = true;
      return startProcess(world, database, process.otherPath);
    case 'wipeRedis':
      return database.queue.clear();
    case 'elasticsearchDown':
    case 'elasticsearchReadOnly':
      return world.spawn(undefined, failElasticsearch(world, fault === 'elasticsearchDown' ? 'down' : 'read-only'));
    case 'rebuild':
      return world.spawn(process, rebuild(world, process));
    case 'rollBack':
      return world.spawn(process, rollBack(world, process));
    case 'finish':
      return world.spawn(process, finish(world, process, 'previous'));
    case 'cancel':
      return world.spawn(process, finish(world, process, 'next'));
    case 'retire':
      return retire(world, database);
    case 'adopt':
      return world.spawn(process, adopt(world, process));
    case 'dump':
      return copy(world, database, {
        lineage: { ...database.lineage, system: world.unique('s') },
        alias: world.chance(0.5) ? world.unique('alias') : database.alias,
      });
    case 'snapshot':
      return copy(world, database, { lineage: database.lineage, alias: world.chance(0.2) ? world.unique('alias') : database.alias });
    case 'restoreBeside':
      return copy(world, database, {
        lineage: { ...database.lineage, oid: database.lineage.oid + 1 },
        alias: database.alias,
        state: world.pick(database.backups),
      });
    case 'restore':
      return restore(world, database);
    case 'stop':
      return stop(world, database);
    case 'changeAlias':
      database.alias = world.unique('alias');
      database.aliases.add(database.alias);
      return world.spawn(undefined, restart(world, database));
    case 'failover':
      database.address = world.unique('address');
      return;
    case 'hide':
    case 'show':
      return hideOrShow(world, database, fault);
    case 'draft':
    case 'publish':
    case 'withdraw':
      return changeVisibility(world, database, fault);
    case 'snapshotIndex':
    case 'restoreIndex':
      return snapshotOrRestore(world, database, fault);
    case 'otherPath':
      return startProcess(world, database, world.unique('address'));
  }
}

function hideOrShow(world: World, database: Database, action: 'hide' | 'show'): void {
  const { state } = database;
  const isWithdrawn = (id: number, item: Item): boolean => item.isHidden === true && state.outbox.get(id)?.isFirst === undefined;
  const isHideable = (id: number, item: Item): boolean => !item.isDeleted || (isWithdrawn(id, item) && state.outbox.has(id));
  const items = [...state.items].filter(([id, item]) => (action === 'hide' ? isHideable(id, item) : item.isHidden));
  const id = world.pick(items.map(([contentId]) => contentId));
  if (id === undefined) return;
  if (action === 'hide') database.hide(id);
  else database.change(id, false);
}

/** A public item that its creator withdraws is a tombstone, as a hidden one, by a change that does not go first. */
function changeVisibility(world: World, database: Database, action: keyof typeof OF_CREATORS): void {
  const { items } = database.state;
  const ids = (isMeant: (item: Item) => boolean): number[] => [...items].filter(([, item]) => isMeant(item)).map(([id]) => id);
  const drafts = ids((item) => item.isDraft === true);
  if (action === 'draft') return database.keepDraft((world.chance(0.5) ? world.pick(drafts) : undefined) ?? database.state.nextId++);
  const id = world.pick(action === 'publish' ? [...drafts, ...ids((item) => item.isHidden === true)] : ids((item) => !item.isDeleted));
  if (id !== undefined) database.change(id, action === 'withdraw', action === 'withdraw');
}

function snapshotOrRestore(world: World, { alias }: Database, action: 'snapshotIndex' | 'restoreIndex'): void {
  const { elasticsearch } = world;
  const index = elasticsearch.indices.get(elasticsearch.aliases.get(alias) ?? '');
  if (!index || !elasticsearch.takesWrites) return;
  const snapshot = world.pick(index.snapshots);
  if (action === 'snapshotIndex') index.snapshots.push(new Map(index.documents));
  else if (snapshot) elasticsearch.restore(index, snapshot);
}

function* failElasticsearch(world: World, state: 'down' | 'read-only'): Steps {
  world.elasticsearch.state = state;
  yield 5 + world.upTo(90);
  world.elasticsearch.state = 'up';
}

function copy(
  world: World,
  original: Database,
  { lineage, alias, state }: Pick<Database, 'lineage' | 'alias'> & { state?: Database['state'] | undefined },
): void {
  if (world.databases.length >= MAX_DATABASES) return;
  const database = new Database(world, { lineage, address: world.unique('address'), alias, state: state ?? original.state });
  world.note(`${database.name} is a copy of ${original.name}, alias ${alias}`);
  startDatabase(world, database, 1);
}

/** Not while the searched index has a write block: only what it accepts can retire another target. */
function retire(world: World, { state }: Database): void {
  const name = world.pick([...state.targets].filter(([, role]) => role !== 'search').map(([target]) => target));
  if (name === undefined || state.swapTo === name) return;
  state.retired.add(name);
  state.generation += 1;
}

/** Physically the identity stays; a dump that is restored has another oid. */
function restore(world: World, database: Database): void {
  const state = world.pick(database.backups);
  if (!state) return;
  database.restore(state);
  if (world.chance(0.5)) database.lineage = { ...database.lineage, oid: database.lineage.oid + 100 };
}

/** One process after the other; meanwhile some of them have the old alias. */
function* restart(world: World, database: Database): Steps {
  for (const process of world.processes.filter((running) => running.database === database && !running.isDead)) {
    yield world.upTo(20);
    if (process.isDead) continue;
    process.isDead = true;
    startProcess(world, database, process.otherPath);
  }
}

/** The database is gone for good, while others live. */
function stop(world: World, database: Database): void {
  if (world.databases.filter((other) => isAlive(world, other)).length < 2) return;
  for (const process of world.processes) if (process.database === database) process.isDead = true;
}
