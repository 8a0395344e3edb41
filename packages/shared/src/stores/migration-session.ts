import pg from 'pg';

/**
 * While a migration waits for a lock of a table, every later statement on the table waits behind it. The API gives a
 * statement 1.5 s, so no request fails that waits for this long.
 */
const LOCK_TIMEOUT = '1s';

/** What the migrations rely on, whatever the server, the database or the role have set. Older servers do not know all of them. */
const SETTINGS = {
  lock_timeout: LOCK_TIMEOUT,
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Whether the migration may succeed when other transactions have ended. */
export function isLockConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && [LOCK_NOT_AVAILABLE, DEADLOCK].includes(error.code ?? '');
}

/** Nobody waits behind such a statement. It waits for other transactions, and leaves an invalid index if it is stopped. */
const CONCURRENTLY = /^(?:create\s+(?:unique\s+)?index|drop\s+index|reindex\s+(?:\([^)]*\)\s*)?(?:index|table))\s+concurrently\s/i;
const CREATED = /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?)\s+on\s/i;

const LEADING_COMMENTS = /^(?:\s|--.*\n|\/\*[\s\S]*?\*\/)+/;

/** The session of the migrations, as node-pg-migrate needs it. */
export class MigrationSession {
  readonly #client: pg.Client;

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async prepare(): Promise<void> {
    await this.#set(SETTINGS);
  }

  readonly query = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
    const statement = text.replace(LEADING_COMMENTS, '');
    if (!CONCURRENTLY.test(statement)) return this.#client.query(text, values);
    await this.#dropInvalid(CREATED.exec(statement)?.[1]);
    await this.#set({ lock_timeout: '0' });
    const result = await this.#client.query(text, values);
    await this.#set({ lock_timeout: LOCK_TIMEOUT });
    return result;
  };

  /** A migration that was killed has left it, and `if not exists` would accept it. */
  async #dropInvalid(indexName: string | undefined): Promise<void> {
    const { rows } = await this.#client.query(`select from pg_index where indexrelid = to_regclass($1) and not indisvalid`, [indexName]);
    if (rows.length > 0) await this.query(`drop index concurrently ${indexName}`);
  }

  async #set(settings: Record<string, string>): Promise<void> {
    await this.#client.query(
      `select set_config(name, value, false) from unnest($1::text[], $2::text[]) s (name, value) where current_setting(name, true) is not null`,
      [Object.keys(settings), Object.values(settings)],
    );
  }
}
