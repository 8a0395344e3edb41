import type { StoredDefinitions } from '@ugc/fields/definition';
import { INDEXED_CONTENT, precedingBytes, type IndexedContent } from '../contracts/content.ts';
import { DATABASE_IDENTITY, type DatabaseIdentity } from '../contracts/database-identity.ts';
import type { Database } from '../postgres/postgres.ts';

/** The newest change that a row of the outbox stands for. `traceparent`: null outside of a trace. */
export type TracedChange = { traceparent: string | null; changedSecondsAgo: number };

/** A row of the outbox with its item; `contentId` is null when the item does not exist. */
type PendingRow = { pendingId: number; pendingRevision: number } & TracedChange & (IndexedContent | { contentId: null });

type PendingRows = {
  generation: number;
  /** The database that the rows are from. */
  database: DatabaseIdentity;
  targets: {
    indexName: string;
    role: 'search' | 'next' | 'previous';
    mappingVersion: number;
    uuid: string | null;
    fields: StoredDefinitions;
  }[];
  rows: PendingRow[];
};

type ReadRow = Omit<PendingRows, 'rows'> & (PendingRow | { pendingId: null });

/**
 * One statement, so that rows, targets, generation and database are of the same moment. No rows while indexing is paused.
 * The index of a rebuild is written as soon as its shards have started: until then it has no UUID in the list.
 * @returns rows in content_id order, as many of the first as have about `limitBytes` of text, and at least one
 */
export async function readPendingChanges(database: Database, contentIds: number[], limitBytes: number): Promise<PendingRows> {
  const rows = await database.query<ReadRow>(
    `/* outbox: read pending changes */ select g.generation, ${DATABASE_IDENTITY} as database, t.targets, o.*
     from index_control g
     cross join (
       select coalesce(json_agg(json_build_object('indexName', index_name, 'role', role, 'mappingVersion', mapping_version, 'uuid', uuid,
         'fields', fields)), '[]') as targets
       from index_target where rejected_reason is null and (uuid is not null or role <> 'next')
     ) t
     left join (
       select o.content_id as pending_id, o.revision as pending_revision, o.traceparent,
         extract(epoch from clock_timestamp() - coalesce(o.changed_at, o.pending_since))::float8 as changed_seconds_ago, ${INDEXED_CONTENT}, ${precedingBytes('o.content_id')} as preceding_bytes
       from index_outbox o left join (content c join users u on u.user_id = c.creator_id) on c.content_id = o.content_id
       where o.content_id = any($1::bigint[]) and o.rejected_reason is null
     ) o on g.paused_at is null and o.preceding_bytes < $2
     order by o.pending_id`,
    [contentIds, limitBytes],
  );
  const [first] = rows;
  if (!first) throw new Error('the table index_control has no row');
  return {
    generation: first.generation,
    database: first.database,
    targets: first.targets,
    rows: rows.filter((row): row is ReadRow & PendingRow => row.pendingId !== null),
  };
}
