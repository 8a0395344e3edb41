import { aliasOf } from '../contracts/content-index.ts';
import { inspectIndices, type InspectDeps, type InspectedTarget, type Inspection } from './inspect-indices.ts';
import type { Log } from '../process/log.ts';
import { repeat, type Repetition } from '../timing/repeat.ts';
import { throttle } from '../timing/intervals.ts';
import { unlessAborted } from '../timing/timeouts.ts';
import { countForeignBeat, FOREIGN_BEATS_OF_A_TWIN, renewBeat, writeBeat, type Beat, type OwnIndex } from './heartbeat.ts';
import { describeDatabase } from '../contracts/database-identity.ts';
import { RENEW_EVERY_MS } from './owner-watch.ts';

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
  #beat: Beat = { beat: null, previous: null };
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
      if (performance.now() - this.#wroteAtMs >= RENEW_EVERY_MS) await this.#write();
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const beat = await renewBeat(this.#deps);
    if (!beat) return;
    this.#beat = beat;
    const isForeign = await this.#write();
    const count = await countForeignBeat(this.#deps, isForeign);
    if (count >= FOREIGN_BEATS_OF_A_TWIN && this.#owned[0]) this.#reportTwin(this.#owned[0]);
  }

  async #write(): Promise<boolean> {
    this.#wroteAtMs = performance.now();
    return writeBeat(this.#deps, this.#beat, this.#owned);
  }
}

function toOwnIndex({ indexName, verdict, owner }: InspectedTarget, { states }: Inspection): OwnIndex[] {
  const uuid = states.get(indexName)?.uuid;
  const alias = aliasOf(indexName);
  return verdict === 'own' && owner && uuid !== undefined && alias !== undefined ? [{ indexName, alias, uuid, owner }] : [];
}
