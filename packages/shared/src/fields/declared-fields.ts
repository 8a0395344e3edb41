import { isDeepStrictEqual } from 'node:util';
import { fromStored, NO_FIELDS, toStored, type Definitions, type StoredDefinitions } from '@ugc/fields/definition';
import type { Database, Query } from '../postgres/postgres.ts';
import type { Log } from '../process/log.ts';
import { RepeatedReading } from '../process/repeated-reading.ts';

/** An array of `StoredDefinitions`: the fields that are declared now. */
export const DECLARED_FIELDS = `(select coalesce(json_agg(jsonb_build_object('name', name) || definition order by position), '[]')
  from declared_field where removed_at is null)`;

export async function readDeclaredFields({ query }: { query: Query }): Promise<Definitions> {
  const [row] = await query<{ fields: StoredDefinitions }>({ name: 'declared-fields', text: `select ${DECLARED_FIELDS} as fields` });
  return fromStored(row?.fields);
}

/** The declared fields, which this process reads again all the time. */
export class DeclaredFields {
  readonly #reading: RepeatedReading<Definitions>;

  constructor({ database, log }: { database: Pick<Database, 'query'>; log: Log }) {
    let latest: Definitions | undefined;
    const read = async (): Promise<Definitions> => {
      const definitions = await readDeclaredFields(database);
      if (!latest || !isDeepStrictEqual(toStored(definitions), toStored(latest))) latest = definitions;
      return latest;
    };
    const warn = (err: unknown): void => log.warn({ err }, 'the declared fields could not be read; those before stay');
    this.#reading = new RepeatedReading({ read, warn });
  }

  start(): void {
    this.#reading.start();
  }

  stop(): Promise<void> {
    return this.#reading.stop();
  }

  /** @returns the same object until a definition changes @throws the error of the database if they were never read */
  async find(): Promise<Definitions> {
    const definitions = await this.#reading.find();
    if (!definitions && this.#reading.failure) throw this.#reading.failure as Error;
    return definitions ?? NO_FIELDS;
  }

  /** The same without waiting: none before they are read for the first time. */
  get known(): Definitions {
    return this.#reading.known ?? NO_FIELDS;
  }
}
