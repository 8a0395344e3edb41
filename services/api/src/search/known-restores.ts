import { isWithheld } from '@ugc/shared/indices/index-history';
import type { IndexState } from '@ugc/shared/indices/read-index-states';
import { listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import type { Database } from '@ugc/shared/postgres/postgres';
import { withTimeout } from '@ugc/shared/timing/timeouts';

const READ_TIMEOUT_MS = 1_000;
/** After a failure, lists do not wait for PostgreSQL for this time. */
const WAIT_AGAIN_AFTER_MS = 10_000;

/**
 * Which histories of indices the indexers know, and what they have not repaired. Lists do not depend on PostgreSQL: while it
 * does not respond, what was known last counts, and a process that has never known it answers lists.
 */
export class KnownRestores {
  readonly #database: Database;
  #targets: IndexTarget[] = [];
  #failedAtMs = -Infinity;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Whether the index may show what is hidden or deleted. @param state was read just before */
  async isWithheld(indexName: string, { history }: IndexState): Promise<boolean> {
    const reading = this.#read();
    if (performance.now() - this.#failedAtMs > WAIT_AGAIN_AFTER_MS && !(await withTimeout(READ_TIMEOUT_MS, reading)))
      this.#failedAtMs = performance.now();
    return this.#targets.some((target) => target.indexName === indexName && isWithheld(target, history));
  }

  /** @returns whether PostgreSQL has responded */
  async #read(): Promise<boolean> {
    try {
      this.#targets = await listTargets(this.#database);
      return true;
    } catch {
      return false;
    }
  }
}
