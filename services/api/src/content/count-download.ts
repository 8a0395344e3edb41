import { insertPending } from '@ugc/shared/outbox/mark-pending';
import type { Database } from '@ugc/shared/stores/postgres';
import { activeTraceparent } from '@ugc/shared/tracing/spans';
import { noSuchContent } from './get-content.ts';
import { COUNTER_INDEX_DELAY_MS } from './rate-content.ts';

/** A single statement, so that the row is locked as briefly as possible. @throws Problem 404 */
export async function countDownload(database: Database, contentId: number): Promise<void> {
  const counted = await database.write(
    `with counted as (
       update content
       set downloads_count = downloads_count + 1, latest_downloads_count = latest_downloads_count + 1, revision = revision + 1
       where content_id = $1 and deleted_at is null
       returning content_id, revision
     )
     ${insertPending('counted', { delayMs: '$2', traceparent: '$3' })} returning 1`,
    [contentId, COUNTER_INDEX_DELAY_MS, activeTraceparent()],
  );
  if (counted.length === 0) throw noSuchContent();
}
