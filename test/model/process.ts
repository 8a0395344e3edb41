import type { Database, Lineage } from './database.ts';

export type Identity = Lineage & { address: string };
/** `since`: when this process has seen the beat move, or begun to watch. `known`: the beats of its own database at that time. */
export type Watch = { beat: string; since: number; lookedAt: number; known: string[]; hasMoved: boolean };
export type Decision = { verdict: 'own' | 'foreign' | 'undecided'; at: number };

/** One indexer. Its memory is lost when it dies. */
export class Process {
  readonly database: Database;
  /** Another path to the same database, if it is set. */
  readonly otherPath: string | undefined;
  /** CONTENT_ALIAS when it was started. */
  readonly alias: string;
  isDead = false;
  pausedUntil = 0;
  readonly watches = new Map<string, Watch>();
  readonly decisions = new Map<string, Decision>();

  constructor(database: Database, otherPath: string | undefined) {
    this.database = database;
    this.otherPath = otherPath;
    this.alias = database.alias;
  }

  get identity(): Identity {
    return { ...this.database.lineage, address: this.otherPath ?? this.database.address };
  }
}

export function isSameLineage(one: Lineage, other: Lineage): boolean {
  return one.id === other.id && one.system === other.system && one.oid === other.oid;
}

export function isSame(one: Identity, other: Identity): boolean {
  return isSameLineage(one, other) && one.address === other.address;
}
