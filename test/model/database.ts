import { Violation, type World } from './world.ts';

export type Role = 'search' | 'next' | 'previous';
/**
 * `value` names the change, and so the history that made it. `isHidden`: deleted for everybody else, but never purged.
 * `isDraft`: the same, and it never was public, so that no index has a document of it.
 */
export type Item = { revision: number; value: string; isDeleted: boolean; isHidden?: boolean; isDraft?: boolean };
/** `isFirst`: the change has hidden the item, and is claimed before all others. */
export type PendingChange = { revision: number; jobId?: string | undefined; claimedAt: number; since: number; isFirst?: boolean };
export type Job = { ids: number[]; isOvertaken: boolean; isFirst?: boolean; takenBy?: { isDead: boolean } };
/** The address is not part of it: a process knows the address that it reaches its database at. */
export type Lineage = { id: string; system: string; oid: number };

/** What a copy or a backup of a database contains. */
type State = {
  items: Map<number, Item>;
  outbox: Map<number, PendingChange>;
  nextId: number;
  targets: Map<string, Role>;
  generation: number;
  changedAt: number;
  beat: string;
  previousBeat: string;
  beatAt: number;
  lock?: { token: string; expiresAt: number } | undefined;
  /** Set before the alias moves. Meanwhile the searched index has a write block. */
  swapTo?: string | undefined;
  /** Targets that are no longer written, because they rejected what the searched index accepts. */
  retired: Set<string>;
  /** The history of each searched index, once an indexer has learnt it; Elasticsearch begins a new one when it restores. */
  indexHistories: Map<string, string>;
  /** The searched indices that were restored: whether hidden and deleted items are out of it. */
  repairs: Map<string, 'withheld' | 'others'>;
  /** Only the checks read this: the histories that lead to this state, and the last change of each in it. */
  histories: Map<string, number>;
};

const EMPTY: State = {
  items: new Map(),
  outbox: new Map(),
  nextId: 0,
  targets: new Map(),
  generation: 0,
  changedAt: 0,
  beat: 'none',
  previousBeat: 'none',
  beatAt: -Infinity,
  retired: new Set(),
  indexHistories: new Map(),
  repairs: new Map(),
  histories: new Map(),
};

type Settings = { lineage: Lineage; address: string; alias: string; state?: State | undefined };

/** One PostgreSQL database with its queue in Redis. */
export class Database {
  readonly world: World;
  lineage: Lineage;
  address: string;
  /** CONTENT_ALIAS of its processes. */
  alias: string;
  state: State;
  /** A restore in place begins a new history. */
  history: string;
  readonly queue = new Map<string, Job>();
  readonly backups: State[] = [];
  readonly name: string;
  /** Only the checks read this. */
  wasRestored = false;
  /** Only the checks read this: the value at which a hidden item was out of every index. */
  readonly removed = new Map<number, string>();
  /** Only the checks read this: all that `alias` has been. */
  readonly aliases = new Set<string>();

  constructor(world: World, { lineage, address, alias, state = EMPTY }: Settings) {
    this.world = world;
    this.lineage = lineage;
    this.address = address;
    this.alias = alias;
    this.aliases.add(alias);
    this.name = world.unique('D');
    this.history = world.unique('h');
    this.state = structuredClone(state);
    world.databases.push(this);
  }

  backUp(): void {
    this.backups.push(structuredClone(this.state));
  }

  restore(state: State): void {
    this.wasRestored = true;
    const above = Math.max(this.state.generation, state.generation) + 1;
    const generation = this.world.has('restore-generation') ? above : state.generation;
    this.state = { ...structuredClone(state), generation };
    this.history = this.world.unique('h');
  }

  /** The transaction of an upload, an edit, a deletion, or of showing a hidden item. */
  change(id: number, isDeleted: boolean, isHidden = false): void {
    const revision = (this.state.items.get(id)?.revision ?? 0) + 1;
    this.state.items.set(id, { revision, isDeleted, value: this.world.unique(`${this.history}-`), ...(isHidden && { isHidden }) });
    this.state.histories.set(this.history, Number(this.state.items.get(id)?.value.split('-')[1]));
    this.markPending(id, revision);
  }

  /** The transaction that stores or edits a draft: nothing is pending. To publish it is a change as any other. */
  keepDraft(id: number): void {
    const revision = this.state.items.get(id)?.revision ?? 1;
    this.state.items.set(id, { revision, isDeleted: true, isDraft: true, value: this.world.unique(`${this.history}-`) });
    this.state.histories.set(this.history, Number(this.state.items.get(id)?.value.split('-')[1]));
  }

  /**
   * The transaction that hides an item. The claim of an earlier change ends, since its job may wait for long. What its creator
   * has withdrawn is a tombstone already.
   */
  hide(id: number): void {
    if (!this.state.items.get(id)?.isHidden) this.change(id, true, true);
    const row = this.state.outbox.get(id);
    if (row) Object.assign(row, { isFirst: true, jobId: this.world.has('hidden-first') ? undefined : row.jobId });
  }

  markPending(id: number, revision: number): void {
    const row = this.state.outbox.get(id);
    if (row) row.revision = revision;
    else this.state.outbox.set(id, { revision, claimedAt: 0, since: this.world.now });
  }

  hasMade(value: string): boolean {
    const [history = '', change] = value.split('-');
    return Number(change) <= (this.state.histories.get(history) ?? -1);
  }

  /** @returns false if the token is no longer that of the lock */
  changeTargets(token: string, change: (targets: Map<string, Role>) => void): boolean {
    if (this.world.has('lock-token') && this.state.lock?.token !== token) return false;
    return this.changeTargetsUnlocked(change);
  }

  changeTargetsUnlocked(change: (targets: Map<string, Role>) => void): boolean {
    change(this.state.targets);
    this.state.generation += 1;
    this.state.changedAt = this.world.now;
    const roles = [...this.state.targets.values()];
    if (roles.filter((role) => role === 'search').length > 1) throw new Violation('targets', `${this.name} has two searched indices`);
    return true;
  }

  target(role: Role): string | undefined {
    return [...this.state.targets].find(([, listed]) => listed === role)?.[0];
  }
}
