import { errors } from '@elastic/elasticsearch';
import { describeUnsupported } from '@ugc/shared/failures/describe-elasticsearch';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { describeMissing, NotSearchable, searchedIndex, type SearchableIndex } from '@ugc/shared/indices/searched-index';
import { describeWithheld } from '@ugc/shared/indices/index-history';
import type { KeptIdentity } from '@ugc/shared/ownership/kept-identity';
import { describeForeign, type Ownership } from '@ugc/shared/ownership/ownership';
import type { Log } from '@ugc/shared/process/log';
import { withTimeout } from '@ugc/shared/timing/timeouts';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { PublicDownloads } from '@ugc/items/changes/content-item';
import { knowsUserDownloads } from './downloads.ts';
import type { KnownRestores } from './known-restores.ts';
import { SearchFailed } from './response.ts';

/**
 * The index behind the alias. `fields`: those of its mapping, which may be older than this code. `hasData`: whether its
 * documents have `data` of the items. `publicDownloads`: which of their numbers its lists show, all if it lacks the other.
 */
export type SearchedIndex = {
  name: string;
  mappingVersion: number;
  fields: ReadonlySet<string>;
  shards: number;
  hasData: boolean;
  publicDownloads: PublicDownloads;
};

/** Sends a request to Elasticsearch, for whoever knows whether it answers. */
type Ask = <T>(request: () => Promise<T>) => Promise<T>;

const MAX_AGE_MS = 1_000;
const OWNER_TIMEOUT_MS = 1_000;

type LookupDeps = {
  log: Log;
  elasticsearch: Elasticsearch;
  alias: string;
  ownership: Pick<Ownership, 'isForeign'>;
  /** The database of this service. */
  identity: Pick<KeptIdentity, 'latest' | 'refresh'>;
  restores: Pick<KnownRestores, 'isWithheld'>;
  publicDownloads: PublicDownloads;
};

/** @returns what an operator has to know or to do; undefined if Elasticsearch is merely unavailable */
function problemOf(error: unknown, alias: string): string | undefined {
  if (error instanceof errors.ResponseError && error.statusCode === 404) return describeMissing(alias);
  return error instanceof NotSearchable ? error.message : describeUnsupported(error);
}

/** Elasticsearch is asked, and not PostgreSQL, whose list of targets changes a moment later than the alias. */
export class IndexLookup {
  readonly #deps: LookupDeps;
  #found: Promise<SearchedIndex> | undefined;
  #latest: SearchedIndex | undefined;
  #problem: string | undefined;
  #askedAtMs = 0;

  constructor(deps: LookupDeps) {
    this.#deps = deps;
  }

  /**
   * Concurrent calls, and calls within a second, share a result. After an error the next call asks again, with its `ask`.
   * @throws SearchFailed if the alias has not exactly one index of this service, or that of another database that runs ·
   * errors of Elasticsearch
   */
  find(ask: Ask = (request) => request()): Promise<SearchedIndex> {
    if (!this.#found || performance.now() - this.#askedAtMs > MAX_AGE_MS) {
      this.#askedAtMs = performance.now();
      this.#found = this.#ask(ask);
    }
    return this.#found;
  }

  /** The next call of `find` asks again, unless this has happened since `outdated` was found. */
  forget(outdated: SearchedIndex): void {
    if (this.#latest === outdated) this.#found = undefined;
  }

  async #ask(ask: Ask): Promise<SearchedIndex> {
    const { elasticsearch, alias } = this.#deps;
    try {
      const found = searchedIndex(await ask(() => readIndexStates(elasticsearch, { names: [alias], mustExist: true })), alias);
      await this.#assertOwn(found);
      await this.#assertNotWithheld(found);
      const { name, mappingVersion, state } = found;
      const { shards, data: hasData } = state.settings;
      this.#report(undefined);
      const publicDownloads = knowsUserDownloads(state) ? this.#deps.publicDownloads : 'all';
      return (this.#latest = { name, mappingVersion, fields: state.fields, shards, hasData, publicDownloads });
    } catch (error) {
      this.#found = undefined;
      throw this.#toFailure(error);
    }
  }

  /** What is wrong with the alias is a state, not a fault: it is logged when it changes, not for each list. */
  #toFailure(error: unknown): unknown {
    const problem = problemOf(error, this.#deps.alias);
    if (problem === undefined) return error;
    this.#report(problem);
    return new SearchFailed(problem, { forOperators: true, cause: error });
  }

  /** @param problem undefined if there is none */
  #report(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem === undefined) this.#deps.log.info('the index behind the alias can be searched');
    else this.#deps.log.warn({ problem }, 'lists cannot be answered');
  }

  /** Lists do not depend on PostgreSQL: without it every index is searched. */
  async #assertOwn(found: SearchableIndex): Promise<void> {
    // The database may have been restored a moment ago, and have another identity since.
    if (await this.#describeOwner(found)) await withTimeout(OWNER_TIMEOUT_MS, this.#deps.identity.refresh());
    const problem = await this.#describeOwner(found);
    if (problem !== undefined) throw new NotSearchable(problem);
  }

  /** After a restore, until what is hidden and deleted is out of the index again. */
  async #assertNotWithheld({ name, state }: SearchableIndex): Promise<void> {
    if (await this.#deps.restores.isWithheld(name, state)) throw new NotSearchable(describeWithheld(name));
  }

  /** @returns undefined if the index may be searched */
  async #describeOwner({ name, state }: SearchableIndex): Promise<string | undefined> {
    const self = this.#deps.identity.latest();
    const judged = self && (await withTimeout(OWNER_TIMEOUT_MS, this.#deps.ownership.isForeign(self, name, state)));
    if (!judged) return undefined;
    return `${describeForeign(self, name, judged)}. Set another CONTENT_ALIAS (now ${this.#deps.alias}), or run npx pnpm index:adopt`;
  }
}
