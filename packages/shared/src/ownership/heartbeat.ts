import { randomUUID } from 'node:crypto';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import { type DatabaseIdentity, describeDatabase } from '../contracts/database-identity.ts';
import { readOwnerRecords, writeOwnerRecord } from './owner-records.ts';
import { RENEW_EVERY_MS } from './owner-watch.ts';
import { aliasOf } from '../contracts/content-index.ts';
import { inspectIndices, type InspectDeps, type InspectedTarget, type Inspection } from './inspect-indices.ts';
import type { Log } from '../process/log.ts';
import { repeat, type Repetition } from '../timing/repeat.ts';
import { throttle } from '../timing/intervals.ts';
import { unlessAborted } from '../timing/timeouts.ts';

type HeartbeatDeps = { database: Database; elasticsearch: Elasticsearch };

/** An index that this database owns, and the identity under which it does. */
type OwnIndex = { indexName: string; alias: string; uuid: string; owner: DatabaseIdentity };

type Beat = { beat: string; previous: string | null };

/** Renewals in a row that found an unknown beat. A process that ends or is paused between its two writes leaves up to two. */
export const FOREIGN_BEATS_OF_A_TWIN = 3;

/**
 * Every 5 s one of the processes of this database gets a new beat, which it must write into the records.
 * @returns undefined if another process has had one within this time
 */
export async function renewBeat({ database }: HeartbeatDeps): Promise<Beat | undefined> {
  // The clock of PostgreSQL may have been set back.
  const [row] = await database.query<Beat>(
    `update index_control set previous_beat = beat, beat = gen_random_uuid(), beat_at = clock_timestamp()
     where beat_at is null or abs(extract(epoch from clock_timestamp() - beat_at)) >= $1
     returning beat, previous_beat as previous`,
    [RENEW_EVERY_MS / 1_000],
  );
  return row;
}

/**
 * Writes the beat into the records of these indices, unless another process writes them at the same time. Without one, only
 * the pulse is new: the beat of another process must not be replaced by an older one.
 * @returns whether a record had a beat that this database has never had: a running copy of the data folder has the same
 * identity, and writes to the same indices
 */
export async function writeBeat({ elasticsearch }: HeartbeatDeps, renewed: Beat | undefined, indices: OwnIndex[]): Promise<boolean> {
  let isForeign = false;
  for (const { indexName, alias, uuid, owner } of indices) {
    const record = (await readOwnerRecords(elasticsearch, alias, [uuid])).get(uuid);
    if (record && JSON.stringify(record.owner) !== JSON.stringify(owner)) continue;
    const found = record?.beat ?? null;
    isForeign ||= isUnknown(found, renewed);
    const written = { indexName, owner, beat: renewed?.beat ?? found, pulse: randomUUID(), at: new Date().toISOString() };
    await writeOwnerRecord(elasticsearch, { alias, uuid }, written, record?.position);
  }
  return isForeign;
}

function isUnknown(beat: string | null, renewed: Beat | undefined): boolean {
  return renewed !== undefined && beat !== null && beat !== renewed.beat && beat !== renewed.previous;
}

/** @returns how many renewals in a row have found a foreign beat */
async function countForeignBeat({ database }: HeartbeatDeps, isForeign: boolean): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `update index_control set foreign_beats = case when $1 then foreign_beats + 1 else 0 end returning foreign_beats as count`,
    [isForeign],
  );
  return row?.count ?? 0;
}

const PASS_EVERY_MS = 5_000;
const WARN_EVERY_MS = 60_000;

type KeepDeps = InspectDeps & { log: Log };

/**
 * Renews the records of the indices that this database owns. Every process does it, so that the owner lives also while no
 * indexer runs, and while PostgreSQL is down.
 */
export function keepHeartbeat(deps: KeepDeps): Pick<Repetition, 'stop'> {
  const heartbeat = new Heartbeat(deps);
  const stopping = new AbortController();
  const onError = throttle(WARN_EVERY_MS, (err: unknown) => deps.log.warn({ err }, 'could not renew the records of the owned indices'));
  // A stop does not wait for a store that hangs.
  const pass = (): Promise<void> => unlessAborted(stopping.signal, heartbeat.pass());
  return repeat(pass, { everyMs: PASS_EVERY_MS, onError, stopping });
}

class Heartbeat {
  readonly #deps: KeepDeps;
  readonly #reportTwin: (owned: OwnIndex) => void;
  #owned: OwnIndex[] = [];
  #wroteAtMs = -Infinity;

  constructor(deps: KeepDeps) {
    this.#deps = deps;
    this.#reportTwin = throttle(WARN_EVERY_MS, ({ owner, indexName }) =>
      deps.log.error(
        { indexName, database: describeDatabase(owner) },
        'another database with the same identity writes to the same indices',
      ),
    );
  }

  async pass(): Promise<void> {
    try {
      const inspection = await inspectIndices(this.#deps);
      this.#owned = inspection.targets.flatMap((target) => toOwnIndex(target, inspection));
      if (this.#owned.length > 0) await this.#renew();
    } catch (error) {
      // Without PostgreSQL there is no new beat. A new pulse shows that the owner lives.
      if (performance.now() - this.#wroteAtMs >= RENEW_EVERY_MS) await this.#write(undefined);
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const beat = await renewBeat(this.#deps);
    if (!beat) return;
    const isForeign = await this.#write(beat);
    const count = await countForeignBeat(this.#deps, isForeign);
    if (count >= FOREIGN_BEATS_OF_A_TWIN && this.#owned[0]) this.#reportTwin(this.#owned[0]);
  }

  async #write(beat: Beat | undefined): Promise<boolean> {
    this.#wroteAtMs = performance.now();
    return writeBeat(this.#deps, beat, this.#owned);
  }
}

function toOwnIndex({ indexName, verdict, owner }: InspectedTarget, { states }: Inspection): OwnIndex[] {
  const uuid = states.get(indexName)?.uuid;
  const alias = aliasOf(indexName);
  return verdict === 'own' && owner && uuid !== undefined && alias !== undefined ? [{ indexName, alias, uuid, owner }] : [];
}
