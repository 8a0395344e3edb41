import { readDefinitions, type Definitions } from '@ugc/fields/definition';
import { storeDefinitions } from '@ugc/shared/fields/store-definitions';
import type { Database } from '@ugc/shared/postgres/postgres';

/** @param file as an operator writes it */
export function declared(file: object): Definitions {
  const read = readDefinitions(file);
  if ('definitions' in read) return read.definitions;
  throw new Error(JSON.stringify(read.errors));
}

/** As `npx pnpm fields apply`. Processes read them every two seconds. */
export async function declareFields(database: Database, file: object): Promise<void> {
  await database.transaction((tx) => storeDefinitions(tx, declared(file)));
}
