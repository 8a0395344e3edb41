import type { Role } from '@ugc/shared/index-target';
import type { Database } from '@ugc/shared/postgres';
import { toChange, type Change } from './bulk.ts';
import { INDEXED_CONTENT, type IndexedContent } from './document.ts';

export type Target = { indexName: string; role: Role };
export type PendingChanges = { generation: number; targets: Target[]; changes: Change[] };

type ReadRow = { generation: number; targets: Target[] } & (IndexedContent | { content_id: null });

/**
 * What is true now of these items: those still in the outbox as they are in PostgreSQL, and the indices to write them to.
 * One statement, so that rows and target list are of the same moment; changes come in content_id order.
 */
export async function readChanges(database: Database, contentIds: number[]): Promise<PendingChanges> {
  const rows = await database.query<ReadRow>(
    `select g.generation, t.targets, c.*
     from index_generation g
     cross join (
       select coalesce(json_agg(json_build_object('indexName', index_name, 'role', role)), '[]') as targets
       from index_target where rejected_reason is null
     ) t
     left join (
       select ${INDEXED_CONTENT} from index_outbox o join content c using (content_id) join users u on u.user_id = c.creator_id
       where o.content_id = any($1::bigint[]) and o.rejected_reason is null
     ) c on true
     order by c.content_id`,
    [contentIds],
  );
  return {
    generation: rows[0]?.generation ?? 0,
    targets: rows[0]?.targets ?? [],
    changes: rows.filter((row): row is ReadRow & IndexedContent => row.content_id !== null).map(toChange),
  };
}
