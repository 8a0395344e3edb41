import { isDeepStrictEqual } from 'node:util';
import { fromStored, NO_FIELDS, toStored, type Definitions, type StoredDefinitions } from '@ugc/fields/definition';
import type { Database, Query } from '../postgres/postgres.ts';
import type { Log } from '../process/log.ts';
import { throttle } from '../timing/intervals.ts';
import { repeat, type Repetition } from '../timing/repeat.ts';

/** Definitions take effect in every process within 5 s. */
const READ_EVERY_MS = 2_000;
const WARN_EVERY_MS = 60_000;

/** An array of `StoredDefinitions`: the fields that are declared now. */
export const DECLARED_FIELDS = `(select coalesce(json_agg(jsonb_build_object('name', name) || definition order by position), '[]')
  from declared_field where removed_at is null)`;

export async function readDeclaredFields({ query }: { query: Query }): Promise<Definitions> {
  const [row] = await query<{ fields: StoredDefinitions }>({ name: 'declared-fields', text: `select ${DECLARED_FIELDS} as fields` });
  return fromStored(row?.fields);
}

/** The declared fields, which this process reads again all the time. If they cannot be read, those before stay. */
export class DeclaredFields {
  readonly #database: Pick<Database, 'query'>;
  readonly #log: Log;
  #latest: Definitions | undefined;
  /** Why they could not be read yet. */
  #failure: unknown;
  /** Undefined before the start. */
  #first: Promise<void> | undefined;
  #repetition: Repetition | undefined;

  constructor({ database, log }: { database: Pick<Database, 'query'>; log: Log }) {
    this.#database = database;
    this.#log = log;
  }

  start(): void {
    const warn = throttle(WARN_EVERY_MS, (err: unknown) =>
      this.#log.warn({ err }, 'the declared fields could not be read; those before stay'),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#first = promise;
    const onError = (err: unknown): void => {
      this.#failure = err;
      warn(err);
    };
    this.#repetition = repeat(() => this.#read().finally(resolve), { everyMs: READ_EVERY_MS, onError });
  }

  async stop(): Promise<void> {
    await this.#repetition?.stop();
  }

  /** @returns the same object until a definition changes @throws the error of the database if they were never read */
  async find(): Promise<Definitions> {
    await this.#first;
    if (!this.#latest && this.#failure) throw this.#failure as Error;
    return this.#latest ?? NO_FIELDS;
  }

  /** The same without waiting: none before they are read for the first time. */
  get known(): Definitions {
    return this.#latest ?? NO_FIELDS;
  }

  async #read(): Promise<void> {
    const definitions = await readDeclaredFields(this.#database);
    if (!this.#latest || !isDeepStrictEqual(toStored(definitions), toStored(this.#latest))) this.#latest = definitions;
  }
}
