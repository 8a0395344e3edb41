import type { Database } from '../postgres/postgres.ts';
import { readIdentity, type DatabaseIdentity } from '../contracts/database-identity.ts';

const READ_EVERY_MS = 10_000;

/** The identity of the database, for what must not wait for PostgreSQL. It is read again every 10 s while it is used. */
export class KeptIdentity {
  readonly #database: Database;
  #latest: DatabaseIdentity | undefined;
  #readAtMs = -Infinity;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns undefined until PostgreSQL has responded for the first time */
  latest(): DatabaseIdentity | undefined {
    if (performance.now() - this.#readAtMs > READ_EVERY_MS) void this.refresh();
    return this.#latest;
  }

  /** Reads it again at once, for example because another database seems to own the index. */
  async refresh(): Promise<void> {
    this.#readAtMs = performance.now();
    await readIdentity(this.#database).then(
      (identity) => (this.#latest = identity),
      () => (this.#readAtMs = -Infinity),
    );
  }
}
