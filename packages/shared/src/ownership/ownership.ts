import { aliasOf } from '../contracts/content-index.ts';
import { readIndexStates, type IndexState } from '../indices/read-index-states.ts';
import type { IndexTarget } from '../indices/targets.ts';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import type { Database } from '../postgres/postgres.ts';
import { describeDatabase, haveSameOrigin, isSameDatabase, type DatabaseIdentity } from '../contracts/database-identity.ts';
import { readOwnerRecords, type OwnerRecord } from './owner-records.ts';
import { GONE_AFTER_MS, OwnerWatch, type Verdict } from './owner-watch.ts';

/** `missing`: there is no such index. An index that names no owner is foreign. */
export type TargetVerdict = Verdict | 'missing';
/**
 * `owner`: that of the record, or without one that of the mapping. `hasData`: see `PresentSettings`; true if it is not
 * known.
 */
export type Judged = {
  verdict: TargetVerdict;
  owner: DatabaseIdentity | undefined;
  record: OwnerRecord | undefined;
  hasData: boolean;
};
type Listed = Pick<IndexTarget, 'indexName'>;
type States = Map<string, IndexState>;
type OwnershipDeps = { database: Database; elasticsearch: Elasticsearch };

/** A write that is under way when another database takes the index over cannot be stopped; later ones end within this time. */
const JUDGED_FOR_MS = 5_000;
const UNKNOWN: Judged = { verdict: 'undecided', owner: undefined, record: undefined, hasData: true };

/**
 * Which of the listed indices belong to this database. Only those are written, swapped, purged and deleted: the list is
 * copied with the database, and its indices are not.
 */
export class Ownership {
  readonly #deps: OwnershipDeps;
  readonly #alias: string;
  readonly #watch: OwnerWatch;
  readonly #judged = new Map<string, Judged & { atMs: number }>();

  constructor(deps: OwnershipDeps & { alias: string }, options: { goneAfterMs?: number } = {}) {
    this.#deps = deps;
    this.#alias = deps.alias;
    this.#watch = new OwnerWatch(deps, options);
  }

  /** @param states the present states of the indices @returns the verdicts by the names of the indices */
  async judge(self: DatabaseIdentity, indices: Listed[], states: States): Promise<Map<string, Judged>> {
    await this.#watch.begin();
    const records = await this.#readRecords(indices, states);
    for (const index of indices) {
      const judged = await this.#judgeOne(self, index, states.get(index.indexName), records);
      this.#judged.set(keyOf(self, index), { ...judged, atMs: performance.now() });
    }
    return this.#latest(self, indices);
  }

  /** @returns verdicts that are at most 5 s old; `undecided` if they cannot be made, so that nothing is written */
  async judgeRecently(self: DatabaseIdentity, indices: Listed[]): Promise<Map<string, Judged>> {
    const isOutdated = (index: Listed) => performance.now() - (this.#judged.get(keyOf(self, index))?.atMs ?? -Infinity) > JUDGED_FOR_MS;
    const outdated = indices.filter(isOutdated);
    if (outdated.length === 0) return this.#latest(self, indices);
    try {
      const states = await readIndexStates(this.#deps.elasticsearch, { names: outdated.map(({ indexName }) => indexName) });
      await this.judge(self, outdated, states);
      return this.#latest(self, indices);
    } catch {
      return new Map(indices.map(({ indexName }) => [indexName, UNKNOWN]));
    }
  }

  /**
   * Whether lists must not show an index, because it belongs to another database that runs. Until it has been watched
   * for long enough, the time in the record decides, and a database of the same origin, perhaps after a failover, may. A
   * standby shows the index of its primary.
   */
  async isForeign(self: DatabaseIdentity, indexName: string, state: IndexState): Promise<Judged | undefined> {
    if (!state.owner || isSameDatabase(state.owner, self)) return undefined;
    const judged = (await this.judge(self, [{ indexName }], new Map([[indexName, state]]))).get(indexName);
    const isForeign = judged?.verdict === 'foreign' || (judged?.verdict === 'undecided' && seemsForeign(self, judged));
    return isForeign && !(await this.#isStandbyOf(judged.owner, self)) ? judged : undefined;
  }

  async #isStandbyOf(owner: DatabaseIdentity | undefined, self: DatabaseIdentity): Promise<boolean> {
    if (!owner || !haveSameOrigin(owner, self)) return false;
    const [row] = await this.#deps.database.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
    return row?.standby === true;
  }

  /** Must be called after the owner of an index has changed. */
  forget(): void {
    this.#judged.clear();
  }

  #latest(self: DatabaseIdentity, indices: Listed[]): Map<string, Judged> {
    return new Map(indices.map((index) => [index.indexName, this.#judged.get(keyOf(self, index)) ?? UNKNOWN]));
  }

  /** @returns the records by UUID */
  async #readRecords(indices: Listed[], states: States): Promise<Map<string, OwnerRecord>> {
    const present = indices.filter(({ indexName }) => states.get(indexName)?.uuid !== undefined);
    const records = new Map<string, OwnerRecord>();
    for (const [alias, ofAlias] of Map.groupBy(present, ({ indexName }) => aliasOf(indexName) ?? this.#alias)) {
      const uuids = ofAlias.map(({ indexName }) => states.get(indexName)?.uuid ?? '');
      for (const [uuid, record] of await readOwnerRecords(this.#deps.elasticsearch, alias, uuids)) records.set(uuid, record);
    }
    return records;
  }

  async #judgeOne(
    self: DatabaseIdentity,
    { indexName }: Listed,
    state: IndexState | undefined,
    records: Map<string, OwnerRecord>,
  ): Promise<Judged> {
    if (state?.uuid === undefined) return { ...UNKNOWN, verdict: 'missing' };
    const record = records.get(state.uuid);
    const owner = record?.owner ?? state.owner;
    const found = { owner, record, hasData: state.settings.data };
    const alias = aliasOf(indexName) ?? this.#alias;
    if (!owner) return { verdict: 'foreign', ...found };
    return { verdict: await this.#watch.judge(self, { uuid: state.uuid, alias, owner, record }), ...found };
  }
}

function seemsForeign(self: DatabaseIdentity, { owner, record }: Judged): boolean {
  const ageMs = Math.abs(Date.now() - Date.parse(record?.at ?? ''));
  return owner !== undefined && !haveSameOrigin(owner, self) && ageMs < GONE_AFTER_MS;
}

function keyOf({ id, system, oid, address }: DatabaseIdentity, { indexName }: Listed): string {
  return [id, system, oid, address, indexName].join('/');
}

/** A write to an index that does not exist fails by itself. */
function mayWrite(verdict: TargetVerdict): boolean {
  return verdict === 'own' || verdict === 'missing';
}

const STATES: Record<TargetVerdict, string> = {
  own: 'which is this one',
  missing: '',
  foreign: 'which is running',
  undecided: 'and is watched for up to a minute, to see whether that is running',
  gone: 'which is not running any more',
};

/** @returns why this database must not write to the index; undefined if it may */
export function refusalOf(self: DatabaseIdentity, indexName: string, judged: Judged | undefined): string | undefined {
  return judged && !mayWrite(judged.verdict) ? describeForeign(self, indexName, judged) : undefined;
}

/** @returns why nothing is written to the index, with both databases */
export function describeForeign(self: DatabaseIdentity, indexName: string, { verdict, owner }: Pick<Judged, 'verdict' | 'owner'>): string {
  if (verdict === 'foreign' && !owner) return `${indexName} names no database that it belongs to`;
  if (!owner) return `it is not known which database ${indexName} belongs to, because Elasticsearch does not say so`;
  const isPerhapsSelf = verdict === 'undecided' && haveSameOrigin(self, owner);
  const state = isPerhapsSelf ? 'perhaps this one at another address, which is known in half a minute' : STATES[verdict];
  return `${indexName} belongs to the database ${describeDatabase(owner)}, ${state}; this is ${describeDatabase(self)}`;
}
