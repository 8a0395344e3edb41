import { checkShown } from './checks.ts';
import type { Database } from './database.ts';
import type { Index } from './elasticsearch.ts';
import { mayWrite } from './ownership.ts';
import type { Process } from './process.ts';
import { repair, readVersions } from './repair.ts';
import type { Steps, World } from './world.ts';

/** Readers: a list is what the index with the alias has, unless it is refused. */
export function* list(world: World, database: Database): Steps {
  for (;;) {
    yield world.upTo(3);
    const { elasticsearch } = world;
    const index = elasticsearch.indices.get(elasticsearch.aliases.get(database.alias) ?? '');
    if (!index || index.owner !== database || !elasticsearch.answers) continue;
    if (world.has('withhold') && isWithheld(database, index)) continue;
    checkShown(database, index);
  }
}

/** An index whose history was never learnt is searched. */
function isWithheld({ state }: Database, { name, history }: Index): boolean {
  return (state.indexHistories.get(name) ?? history) !== history || state.repairs.get(name) === 'withheld';
}

/** Each indexer notices that the searched index was restored, and repairs it: first what lists must not show. */
export function* repairRestored(world: World, process: Process): Steps {
  const { database } = process;
  for (;;) {
    yield 2 + world.upTo(1);
    yield* noticeRestores(world, process);
    const name = database.target('search') ?? '';
    const index = world.elasticsearch.indices.get(name);
    const phase = database.state.repairs.get(name);
    if (!index || phase === undefined || !(yield* mayWrite(world, process, name))) continue;
    const { history } = index;
    if (database.state.indexHistories.get(name) !== history) continue;
    if (phase === 'withheld' && !(yield* removeWithheld(world, database, name, index))) continue;
    if (phase === 'others' && !(yield* compareItems(world, database, index, [...database.state.items.keys()]))) continue;
    if (database.state.indexHistories.get(name) !== history) continue;
    if (phase === 'withheld') database.state.repairs.set(name, 'others');
    else database.state.repairs.delete(name);
  }
}

/** An index that is not searched is compared before it is. */
function* noticeRestores(world: World, process: Process): Steps {
  const { database, alias } = process;
  for (const name of [...database.state.targets.keys()]) {
    const index = world.elasticsearch.indices.get(name);
    if (!index || !world.elasticsearch.answers || !(yield* mayWrite(world, process, name))) continue;
    const { history } = index;
    const isSearched = world.elasticsearch.aliases.get(alias) === name;
    yield;
    notice(world, database, name, { history, isSearched });
  }
}

/** One transaction. */
function notice(world: World, { state }: Database, name: string, read: { history: string; isSearched: boolean }): void {
  const known = state.indexHistories.get(name);
  if (known === read.history) return;
  state.indexHistories.set(name, read.history);
  if (known === undefined || !(read.isSearched || state.targets.get(name) === 'search')) return;
  state.repairs.set(name, 'withheld');
  if (world.has('notice-generation')) state.generation += 1;
}

/** @returns whether nothing that is hidden or deleted is shown or pending */
function* removeWithheld(world: World, database: Database, name: string, index: Index): Steps<boolean> {
  if (!world.has('withheld-first')) return true;
  const ids = new Set([...database.state.items.keys(), ...index.documents.keys()]);
  const isRemoved = (id: number): boolean => database.state.items.get(id)?.isDeleted ?? true;
  if (!(yield* compareItems(world, database, index, [...ids].filter(isRemoved)))) return false;
  while ([...database.state.outbox.keys()].some(isRemoved)) {
    if (database.target('search') !== name) return false;
    yield 1;
  }
  return true;
}

/** @returns false if Elasticsearch did not answer */
function* compareItems(world: World, database: Database, index: Index, ids: number[]): Steps<boolean> {
  for (const id of ids) {
    const item = database.state.items.get(id);
    const document = index.documents.get(id);
    yield;
    if (database.state.outbox.has(id) || item?.revision === document?.revision) continue;
    const versions = yield* readVersions(world, database, id);
    if (!versions) return false;
    if (!database.state.outbox.has(id)) repair(database, id, Math.max(...versions));
  }
  return true;
}
