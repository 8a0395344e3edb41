import type { Database } from './postgres.ts';

/** Changes that Elasticsearch refused for the document's own fault. They wait in the outbox for a person, or for the next change. */
export type Rejected = { contentId: number; revision: number; since: Date; reason: string };

const LISTED_AT_MOST = 1_000;

/** The first thousand, by item. */
export async function listRejected(database: Database): Promise<Rejected[]> {
  return database.query<Rejected>(
    `select content_id as "contentId", revision, pending_since as since, rejected_reason as reason
     from index_outbox where rejected_reason is not null order by content_id limit ${LISTED_AT_MOST}`,
  );
}

export async function countRejected(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(`select count(*) from index_outbox where rejected_reason is not null`);
  return row?.count ?? 0;
}

/** Hands them out again. @returns the ids of those that were rejected */
export async function retryRejected(database: Database, contentIds: number[] | 'all'): Promise<number[]> {
  return idsOf(
    await database.query(
      `update index_outbox set rejected_reason = null, due_at = clock_timestamp()
       where rejected_reason is not null and ($1::bigint[] is null or content_id = any($1)) returning content_id`,
      [contentIds === 'all' ? null : contentIds],
    ),
  );
}

/** Forgets these changes for good; the items stay as they are in the index. @returns the ids of those that were rejected */
export async function dropRejected(database: Database, contentIds: number[] | 'all'): Promise<number[]> {
  return idsOf(
    await database.query(
      `delete from index_outbox where rejected_reason is not null and ($1::bigint[] is null or content_id = any($1)) returning content_id`,
      [contentIds === 'all' ? null : contentIds],
    ),
  );
}

function idsOf(rows: { content_id?: number }[]): number[] {
  return rows.map((row) => row.content_id ?? 0).toSorted((a, b) => a - b);
}
