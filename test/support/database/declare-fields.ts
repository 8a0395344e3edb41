import { readDefinitions, toStored, type Definitions } from '@ugc/fields/definition';
import type { Database } from '@ugc/shared/postgres/postgres';

/** Declares the fields of a file, and removes all others. @returns their definitions */
export async function declareFields(database: Database, file: object): Promise<Definitions> {
  const read = readDefinitions(file);
  if ('errors' in read) throw new Error(JSON.stringify(read.errors));
  await database.transaction(async (tx) => {
    await tx.query('update declared_field set removed_at = clock_timestamp()');
    for (const [position, { name, ...definition }] of toStored(read.definitions).entries()) {
      await tx.query(
        `insert into declared_field (name, position, definition) values ($1, $2, $3)
         on conflict (name) do update set position = excluded.position, definition = excluded.definition, removed_at = null`,
        [name, position, JSON.stringify(definition)],
      );
    }
  });
  return read.definitions;
}
