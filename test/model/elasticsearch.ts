import type { Database, Item } from './database.ts';
import type { Identity } from './process.ts';
import { checkDeletion, checkSeen, checkTakeOver, checkWriter } from './checks.ts';
import type { World } from './world.ts';

export type Document = Item;
/** `isRemoved`: its owner is about to delete the index. */
export type Claim = { owner: Identity; beat: string; sequence: number; isRemoved?: boolean };
/** Who writes, when it decided that it may, and the history that it has read. */
export type Writer = { database: Database; decidedAt: number; history: string };

/** `taker`: the writer of the index that loses the alias. `isLate`: the index lock was lost meanwhile. */
type AliasMove = { writer: Writer; taker: Writer; isLate: boolean };

export type Index = {
  name: string;
  documents: Map<number, Document>;
  /** The versions of deleted documents, which Elasticsearch forgets after a minute. */
  deleted: Map<number, { version: number; at: number }>;
  claim: Claim;
  /** Elasticsearch's own: a restore begins a new one. */
  history: string;
  snapshots: Map<number, Document>[];
  /** Only the checks read this. `beatAt`: the owner's last sign of life, in writable seconds; `wasLate`: a loser wrote. */
  owner: Database;
  beatAt: number;
  lost: Map<Database, { at: number; how: 'watched' | 'adopted' }>;
  wasLate: boolean;
};

const REMEMBERS_DELETED = 60;

/** The shared cluster. An operation that it does not answer returns undefined, and a refused write `retry`. */
export class Elasticsearch {
  readonly world: World;
  readonly indices = new Map<string, Index>();
  /** The index of each alias. */
  readonly aliases = new Map<string, string>();
  readonly seen = new Map<string, { reign: string; documents: Map<number, Document> }>();
  /** The beats of the owners, if claims are not conditional. */
  private readonly beats = new Map<string, string>();
  private writableUntilNow = 0;
  private conditionSince = 0;
  private condition: 'up' | 'read-only' | 'down' = 'up';

  constructor(world: World) {
    this.world = world;
  }

  set state(state: 'up' | 'read-only' | 'down') {
    this.writableUntilNow = this.writableSeconds;
    this.conditionSince = this.world.now;
    this.condition = state;
  }

  /** Only in this time can an owner give a sign of life. */
  get writableSeconds(): number {
    return this.writableUntilNow + (this.takesWrites ? this.world.now - this.conditionSince : 0);
  }

  get answers(): boolean {
    return this.condition !== 'down';
  }

  get takesWrites(): boolean {
    return this.condition === 'up';
  }

  /** Whether there is an index with this name that its owner is not about to delete. */
  has(name: string): boolean {
    return this.indices.has(name) && !this.indices.get(name)?.claim.isRemoved;
  }

  create(name: string, owner: Database, identity: Identity): boolean {
    if (!this.takesWrites || this.indices.has(name)) return false;
    const claim = { owner: identity, beat: owner.state.beat, sequence: 0 };
    const checked = { owner, beatAt: this.writableSeconds, lost: new Map(), wasLate: false };
    this.indices.set(name, { name, documents: new Map(), deleted: new Map(), claim, history: '', snapshots: [], ...checked });
    return true;
  }

  readClaim(name: string): Claim | undefined {
    const index = this.indices.get(name);
    if (!index || !this.answers) return undefined;
    if (this.world.has('conditional-claim')) return { ...index.claim };
    return { ...index.claim, beat: this.beats.get(keyOf(index.claim.owner)) ?? 'none' };
  }

  /** `read`: the claim that the beat or the take-over depends on. @returns whether it was written */
  writeClaim(
    name: string,
    read: Claim,
    database: Database,
    written: { owner: Identity; beat: string; how: 'beat' | 'watched' | 'adopted' },
  ): boolean {
    const index = this.indices.get(name);
    if (!index || !this.takesWrites) return false;
    const isConditional = this.world.has('conditional-claim');
    if (isConditional && index.claim.sequence !== read.sequence) return false;
    this.beats.set(keyOf(written.owner), written.beat);
    if (written.how !== 'beat') this.handOver(index, database, written.how);
    if (isConditional || written.how !== 'beat')
      index.claim = { owner: written.owner, beat: written.beat, sequence: index.claim.sequence + 1 };
    if (index.owner === database) index.beatAt = this.writableSeconds;
    return true;
  }

  /** @returns false if another database has claimed the index, or if the claim could not be written */
  markRemoved(name: string, read: Claim): boolean {
    const index = this.indices.get(name);
    if (!index || !this.takesWrites || index.claim.sequence !== read.sequence) return false;
    index.claim = { ...index.claim, sequence: index.claim.sequence + 1, isRemoved: true };
    return true;
  }

  write(name: string, id: number, document: Document, writer: Writer): 'done' | 'conflict' | 'retry' {
    const index = this.indices.get(name);
    if (!index || !this.takesWrites) return 'retry';
    if (this.versionOf(index, id) > document.revision) return 'conflict';
    checkWriter(this.world, index, writer);
    index.documents.set(id, { ...document });
    index.deleted.delete(id);
    checkSeen(this.world, index, [id]);
    return 'done';
  }

  deleteDocument(name: string, id: number, version: number, writer: Writer): 'done' | 'conflict' | 'retry' {
    const index = this.indices.get(name);
    if (!index) return 'done';
    if (!this.takesWrites) return 'retry';
    if (this.versionOf(index, id) > version) return 'conflict';
    checkWriter(this.world, index, writer);
    index.documents.delete(id);
    index.deleted.set(id, { version, at: this.world.now });
    for (const { documents } of this.seen.values()) documents.delete(id);
    return 'done';
  }

  /** Closed, restored over, and opened again: name and UUID stay. */
  restore(index: Index, documents: Map<number, Document>): void {
    index.documents = new Map(documents);
    index.deleted.clear();
    index.history += '+';
    index.wasLate = true;
  }

  readVersion(name: string, id: number): number | undefined {
    const index = this.indices.get(name);
    return this.answers ? (index?.documents.get(id)?.revision ?? 0) : undefined;
  }

  /** Moves the alias, if it is where it was. */
  pointAlias(alias: string, from: string | undefined, to: string, { writer, taker, isLate }: AliasMove): boolean {
    const index = this.indices.get(to);
    if (!this.takesWrites || !index || this.aliases.get(alias) !== from) return false;
    const previous = from === undefined ? undefined : this.indices.get(from);
    checkWriter(this.world, index, writer);
    if (previous && !previous.claim.isRemoved) checkWriter(this.world, previous, taker);
    this.aliases.set(alias, to);
    if (isLate) this.seen.delete(alias);
    this.world.note(`${writer.database.name} moves ${alias} from ${from ?? 'nowhere'} to ${to}`);
    checkSeen(this.world, index, [...index.documents.keys()]);
    return true;
  }

  deleteIndex(name: string, writer: Writer): boolean {
    const index = this.indices.get(name);
    if (!this.takesWrites) return false;
    if (!index) return true;
    checkWriter(this.world, index, writer);
    checkDeletion(this.world, index);
    this.indices.delete(name);
    for (const [alias, searched] of this.aliases) if (searched === name) this.aliases.delete(alias);
    return true;
  }

  private versionOf(index: Index, id: number): number {
    const gone = index.deleted.get(id);
    const remembered = gone && this.world.now - gone.at < REMEMBERS_DELETED ? gone.version : 0;
    return index.documents.get(id)?.revision ?? remembered;
  }

  private handOver(index: Index, to: Database, how: 'watched' | 'adopted'): void {
    checkTakeOver(this.world, index, to, how);
    this.world.note(`${to.name} takes over ${index.name} from ${index.owner.name} (${how})`);
    index.lost.set(index.owner, { at: this.world.now, how });
    index.owner = to;
  }
}

function keyOf(owner: Identity): string {
  return Object.values(owner).join();
}
