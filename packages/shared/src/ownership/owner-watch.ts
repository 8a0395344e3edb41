import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import { haveSameOrigin, isSameDatabase, type DatabaseIdentity } from '../contracts/database-identity.ts';
import { assertWritable, type OwnerRecord } from './owner-records.ts';

/**
 * What an index is to a database: `own` · `foreign`: its owner is another database, which lives · `undecided`: it has not
 * been watched for long enough · `gone`: its owner is another database, which renews its record no more.
 */
export type Verdict = 'own' | 'foreign' | 'undecided' | 'gone';

/** Less than the time between two passes of the heartbeat, so that each pass finds it due. */
export const RENEW_EVERY_MS = 4_000;
/** Time without a renewal after which an owner is gone, even if its processes were restarted meanwhile. */
export const GONE_AFTER_MS = 60_000;
/**
 * The part of it after which this database at another address takes its indices over, if the watch has seen no renewal. It
 * is usually this database after a restart of all its processes; a copy sees the original renew its records before.
 */
const SILENT_PART = 1 / 3;
/** After a longer time without a look, for example while Elasticsearch was down, the owner may not have renewed it yet. */
const LOOK_GAP_MS = 10_000;
const TRY_WRITING_EVERY_MS = 5_000;

type Watched = { pulse: string | undefined; lookedAtMs: number; stillMs: number; moved: boolean };
type WatchDeps = { database: Database; elasticsearch: Elasticsearch };
type StoredBeats = (string | null)[];
type WatchedIndex = { uuid: string; alias: string; owner: DatabaseIdentity; record: OwnerRecord | undefined };

/**
 * Tells whether the owner of an index is this database. A process decides by what it has seen itself, so that no clocks
 * are compared: an owner lives if its record changes.
 */
export class OwnerWatch {
  readonly #deps: WatchDeps;
  readonly #goneAfterMs: number;
  readonly #watched = new Map<string, Watched>();
  /** The owners as which this process has written. */
  readonly #held = new Set<string>();
  #storedAtStart: StoredBeats | undefined;
  #wroteAtMs = -Infinity;

  constructor(deps: WatchDeps, { goneAfterMs = GONE_AFTER_MS } = {}) {
    this.#deps = deps;
    this.#goneAfterMs = goneAfterMs;
  }

  /** Must be called before the first read of the records: a beat stored now says nothing about who renews it later. */
  async begin(): Promise<void> {
    this.#storedAtStart ??= await this.#readStoredBeats();
  }

  async judge(self: DatabaseIdentity, { uuid, alias, owner, record }: WatchedIndex): Promise<Verdict> {
    if (isSameDatabase(self, owner)) {
      this.#held.add(JSON.stringify(owner));
      return 'own';
    }
    if (await this.#wasDropped(self, owner)) return 'gone';
    const { stillMs, moved } = await this.#look(`${alias}/${uuid}/${JSON.stringify(owner)}`, record?.pulse, () =>
      this.#tryWriting(alias, self),
    );
    if (haveSameOrigin(self, owner) && (await this.#isWrittenHere(owner, record?.beat ?? null))) return 'own';
    if (stillMs >= this.#goneAfterMs * partToWatch(self, owner, moved)) return 'gone';
    return moved ? 'foreign' : 'undecided';
  }

  /** After a restore in place the database often has another oid, and the former one is no longer on the same server. */
  async #wasDropped(self: DatabaseIdentity, { id, system, oid, address }: DatabaseIdentity): Promise<boolean> {
    if (id !== self.id || system !== self.system || system === '' || address !== self.address || oid === self.oid) return false;
    const rows = await this.#deps.database.query(`select from pg_database where oid = $1::oid`, [oid]);
    return rows.length === 0;
  }

  async #look(key: string, pulse: string | undefined, tryWriting: () => Promise<void>): Promise<Watched> {
    await tryWriting();
    const lookedAtMs = performance.now();
    const before = this.#watched.get(key) ?? { pulse, lookedAtMs, stillMs: 0, moved: false };
    const sinceMs = lookedAtMs - before.lookedAtMs;
    const isStill = before.pulse === pulse && sinceMs <= LOOK_GAP_MS;
    const watched = { pulse, lookedAtMs, stillMs: isStill ? before.stillMs + sinceMs : 0, moved: before.moved || before.pulse !== pulse };
    this.#watched.set(key, watched);
    return watched;
  }

  async #tryWriting(alias: string, { system, oid, address }: DatabaseIdentity): Promise<void> {
    if (performance.now() - this.#wroteAtMs < TRY_WRITING_EVERY_MS) return;
    await assertWritable(this.#deps.elasticsearch, alias, [system, oid, address].join(' '));
    this.#wroteAtMs = performance.now();
  }

  /**
   * Two network paths to one database have two addresses, and so has a database before and after a failover. A copy of
   * the data folder gets no beat by itself: if a beat that is new since the watch began is also in the owner's record,
   * its writer uses this database. A process that has owned the index before needs no new beat.
   */
  async #isWrittenHere(owner: DatabaseIdentity, beat: string | null): Promise<boolean> {
    if (beat === null || !this.#storedAtStart) return false;
    if (this.#storedAtStart.includes(beat) && !this.#held.has(JSON.stringify(owner))) return false;
    return (await this.#readStoredBeats())?.includes(beat) ?? false;
  }

  /** @returns undefined on a standby, which gets the beats of its primary */
  async #readStoredBeats(): Promise<StoredBeats | undefined> {
    const [row] = await this.#deps.database.query<{ beats: StoredBeats }>(
      `select array[beat, previous_beat]::text[] as beats from index_control where not pg_is_in_recovery()`,
    );
    return row?.beats;
  }
}

function partToWatch(self: DatabaseIdentity, owner: DatabaseIdentity, moved: boolean): number {
  return !moved && haveSameOrigin(self, owner) ? SILENT_PART : 1;
}
