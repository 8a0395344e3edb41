import { dayOf, IDEMPOTENCY_KEY_RETENTION, SEARCH_INSIGHT_DAYS, TOMBSTONE_RETENTION } from '../contracts/retention.ts';
import type { Database } from '../stores/postgres.ts';

const DAY_OF_LAST_PURGE = dayOf(`now() - $1 * interval '1 ms'`);

export type DueWork = { paused: boolean; purge: boolean; comparison: boolean };

/**
 * What an indexer has to do without a pending change. A running indexer purges at this interval, so older rows than these
 * mean that none did. A comparison is due a day after the last one: a new index was compared when it was filled. A time in
 * the future, from before the clock was set back, does not count as one.
 */
export async function readDueWork(database: Database, purgeEveryMs: number): Promise<DueWork> {
  const [due] = await database.query<DueWork>(
    `select paused_at is not null as paused,
       exists (select from idempotency_key where created_at < now() - ${IDEMPOTENCY_KEY_RETENTION} - $1 * interval '1 ms')
       or exists (select from content t where deleted_at < now() - ${TOMBSTONE_RETENTION} - $1 * interval '1 ms'
         and not exists (select from index_outbox o where o.content_id = t.content_id))
       or exists (select from search_insight_user where day < ${DAY_OF_LAST_PURGE})
       or exists (select from search_insight where day <= ${DAY_OF_LAST_PURGE} - ${SEARCH_INSIGHT_DAYS}) as purge,
       not exists (select from (
           select (last_round->>'completedAt')::timestamptz as compared_at from index_comparison
           union all select role_since from index_target where role = 'search'
         ) c where compared_at between now() - interval '1 day' and now() + interval '1 minute') as comparison
     from index_control`,
    [purgeEveryMs],
  );
  return due ?? { paused: false, purge: false, comparison: false };
}
