import type { estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { unlessAborted } from '@ugc/shared/timing/timeouts';
import type { Session } from '../session.ts';

/** Tags and creators, whose distinct values grow with the collection. */
export const COUNTED_BY_ORDINALS = ['tagKeys', 'facets.creatorId'];

/** The ordinals of fewer distinct values are built in about 25 ms. */
const FREE_VALUES = 100_000;
/** Two million values take 200 ms to build, so this is half a percent of a core; with several processes, of each. */
const HELD_MS_PER_VALUE = 1 / 50;
const MAX_HELD_MS = 60_000;
const COUNTED_EVERY_MS = 30_000;
/** A search of the held index may begin at the end of its time. */
const KEPT_AFTER_MS = 30_000;

/** A point in time of an index. */
type Held = { index: string; id: string; openedAt: Date; openedAtMs: number };

/** The session in which facets are counted. `countedAt`: the time of the items that it sees, if it is not the present. */
export type Counting = { session: Session; countedAt?: Date };

type Deps = { elasticsearch: Elasticsearch; freeValues?: number; heldMsPerValue?: number };

/**
 * Elasticsearch counts tags and creators by global ordinals. The first search after a refresh builds them, in a time that
 * grows with the number of distinct values, and the others wait for it in search threads. While items are uploaded, there is
 * a refresh each second. So facets of an index with many values are counted in a point in time, whose ordinals stay. It is
 * renewed beside the requests, the less often the more values there are: only an idle process makes a request wait.
 * A server that does not say how many values there are, such as OpenSearch, is counted as it is.
 */
export class HeldIndex {
  readonly #deps: Required<Deps>;
  #held: Held | undefined;
  #renewal: Promise<void> | undefined;
  #values = { index: '', count: 0, countedAtMs: -Infinity };

  constructor({ elasticsearch, freeValues = FREE_VALUES, heldMsPerValue = HELD_MS_PER_VALUE }: Deps) {
    this.#deps = { elasticsearch, freeValues, heldMsPerValue };
  }

  /** The distinct tags and creators of the searched index, of the shard with most; 0 before they were counted. */
  get values(): number {
    return this.#values.count;
  }

  /** @throws the reason of the session's signal */
  async for(session: Session): Promise<Counting> {
    const index = session.index.name;
    if (!this.#hasMany(index)) return { session };
    if (this.#ageOf(index) > this.#heldMs / 2) this.#renewal ??= this.#renew(index).finally(() => (this.#renewal = undefined));
    if (this.#ageOf(index) > this.#heldMs) await unlessAborted(session.signal, this.#renewal ?? Promise.resolve());
    const held = this.#held;
    if (held?.index !== index || this.#ageOf(index) > this.#heldMs) return { session };
    return { session: session.in(held.id), countedAt: held.openedAt };
  }

  /** After a search of it failed: the node that held it may have been restarted. */
  forget(): void {
    this.#held = undefined;
  }

  /** Has the values counted now and then, beside the requests. */
  #hasMany(index: string): boolean {
    const isKnown = this.#values.index === index;
    if (!isKnown || performance.now() - this.#values.countedAtMs > COUNTED_EVERY_MS) void this.#countValues(index);
    return isKnown && this.#values.count > this.#deps.freeValues;
  }

  get #heldMs(): number {
    return Math.min(this.#values.count * this.#deps.heldMsPerValue, MAX_HELD_MS);
  }

  #ageOf(index: string): number {
    return this.#held?.index === index ? performance.now() - this.#held.openedAtMs : Infinity;
  }

  /** Elasticsearch knows them of fields whose ordinals have been built. */
  async #countValues(index: string): Promise<void> {
    this.#values = { index, count: this.#values.index === index ? this.#values.count : 0, countedAtMs: performance.now() };
    const request = { index, metric: 'fielddata', fields: COUNTED_BY_ORDINALS, filter_path: '_all.total.fielddata.global_ordinals' };
    const stats = await this.#deps.elasticsearch.indices.stats(request as estypes.IndicesStatsRequest).catch(() => undefined);
    const { fields = {} } = (stats as Statistics | undefined)?._all?.total?.fielddata?.global_ordinals ?? {};
    const count = Object.values(fields).reduce((sum, { shard_max_value_count: values = 0 }) => sum + values, 0);
    // A restarted node has built none yet.
    if (this.#values.index === index && count > 0) this.#values.count = count;
  }

  /** Opens it, and has the ordinals built before a request needs them. If that fails, the former one is used for its time. */
  async #renew(index: string): Promise<void> {
    const { elasticsearch } = this.#deps;
    const keepAlive = `${Math.ceil(this.#heldMs) + KEPT_AFTER_MS}ms`;
    const [openedAt, openedAtMs] = [new Date(), performance.now()];
    const opened = await elasticsearch.openPointInTime({ index, keep_alive: keepAlive }).catch(() => undefined);
    if (!opened) return;
    const terms = COUNTED_BY_ORDINALS.map((field) => [field, { terms: { field, size: 1 } }]);
    const search = { pit: { id: opened.id }, size: 0, terminate_after: 1, aggregations: Object.fromEntries(terms) };
    const isBuilt = await elasticsearch.search(search).then(
      () => true,
      () => false,
    );
    if (isBuilt) this.#held = { index, id: opened.id, openedAt, openedAtMs };
  }
}

type Ordinals = { fields?: Record<string, { shard_max_value_count?: number }> };
/** Without `_all` from a server that has nothing of what `filter_path` names. */
type Statistics = { _all?: { total?: { fielddata?: { global_ordinals?: Ordinals } } } };
