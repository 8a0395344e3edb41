import { toStored, type Definitions } from '@ugc/fields/definition';
import type { Tx } from '../postgres/postgres.ts';

/**
 * Replaces the declared fields. A field that is removed stays known, and so do the values that items have of it.
 * @param unfitting how many items have a value that does not fit, by field; undefined if nobody has counted
 */
export async function storeDefinitions(tx: Tx, definitions: Definitions, unfitting?: ReadonlyMap<string, number>): Promise<void> {
  // Two commands at the same time would mix theirs. Processes read meanwhile.
  await tx.query('lock table declared_field in share row exclusive mode');
  await tx.query('update declared_field set removed_at = now() where removed_at is null and name <> all($1::text[])', [
    [...definitions.keys()],
  ]);
  const rows = toStored(definitions).map(({ name, ...definition }, position) => ({
    ...{ name, position, definition },
    unfitting: unfitting && (unfitting.get(name) ?? 0),
  }));
  await tx.query(
    `insert into declared_field (name, position, definition, unfitting, counted_at)
     select name, position, definition, unfitting, case when unfitting is not null then clock_timestamp() end
     from jsonb_to_recordset($1::jsonb) as t (name text, position integer, definition jsonb, unfitting bigint)
     on conflict (name) do update set position = excluded.position, definition = excluded.definition, removed_at = null,
       unfitting = excluded.unfitting, counted_at = excluded.counted_at`,
    [JSON.stringify(rows)],
  );
}
