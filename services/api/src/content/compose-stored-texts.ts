import { insertPending } from '@ugc/shared/outbox/mark-pending';
import { BULK_BATCH_SIZE, bulkBackpressure } from '@ugc/shared/outbox/backlog';
import { getTypeParser, textOf, type Row, type Statement } from '@ugc/shared/postgres/statements';
import type pg from 'pg';

type Client = Pick<pg.Client, 'query'>;

/** Perhaps no indexer runs. */
const MAX_WAIT_MS = 1_000;

const COMPOSED_TAGS = `array(select tag from (
  select normalize(t.tag, nfc) as tag, min(t.position) as position from unnest(c.tags) with ordinality as t (tag, position) group by 1
) as distinct_tags order by position)`;

const COMPOSED_NAME = `case when char_length(normalize(c.name, nfc)) <= 1000 then normalize(c.name, nfc) else c.name end`;

/** `last` is null if there are no more items. */
type Batch = { read: number; last: number | null; changed: number };

/**
 * Brings names and tags that earlier releases have stored as they were sent to normalization form NFC, and indexes these
 * items again. After a stop, the next call finds those that are left. A name that would be too long stays.
 * @param onProgress gets the number of items that were read, and of all
 */
export async function composeStoredTexts(client: Client, onProgress: (done: number, total: number) => void): Promise<void> {
  const query = async <R extends Row>(statement: Statement, values: unknown[] = []): Promise<R[]> =>
    (await client.query<R>({ text: textOf(statement), values, types: { getTypeParser } })).rows;
  const waitForBacklog = bulkBackpressure({ query }, { maxWaitMs: MAX_WAIT_MS });
  const [{ total } = { total: 0 }] = await query<{ total: number }>('select count(*) as total from content where deleted_at is null');
  const next = async (after: number): Promise<Batch | undefined> => (await query<Batch>(COMPOSE_BATCH, [after]))[0];
  let done = 0;
  for (let batch = await next(0); batch && batch.last !== null; batch = await next(batch.last)) {
    done += batch.read;
    onProgress(done, Math.max(done, total));
    if (batch.changed > 0) await waitForBacklog();
  }
}

/** `edits` stays: an editor's copy is not outdated. */
const COMPOSE_BATCH = `with batch as (
    select content_id from content where content_id > $1 and deleted_at is null order by content_id limit ${BULK_BATCH_SIZE}
  ), decomposed as (
    select c.content_id from content c join batch using (content_id)
    where c.name <> ${COMPOSED_NAME} or exists (select from unnest(c.tags) as t (tag) where t.tag is not nfc normalized)
    order by c.content_id for no key update of c
  ), changed as (
    update content c set name = ${COMPOSED_NAME}, tags = ${COMPOSED_TAGS}, revision = c.revision + 1
    from decomposed where c.content_id = decomposed.content_id and c.deleted_at is null
    returning c.content_id, c.revision
  ), pending as (${insertPending('changed', { delayMs: '0', traceparent: 'null' })})
  select count(*) as read, max(content_id) as last, (select count(*) from changed) as changed from batch`;
