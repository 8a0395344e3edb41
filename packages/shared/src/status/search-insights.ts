import type { SearchInsight } from '../contracts/operations-status.ts';
import { SEARCH_INSIGHT_DAYS, TODAY } from '../contracts/retention.ts';
import type { Database } from '../postgres/postgres.ts';

/** Lists the prompts of the most users first. */
export async function readSearchInsights(database: Database, limit: number): Promise<SearchInsight[]> {
  const rows = await database.query<Omit<SearchInsight, 'lastAt'> & { lastAt: Date }>(
    `/* search insights: read */
     select prompt, sum(nothing_found + corrected) as searches, sum(nothing_found) as nothing_found,
       (array_agg(correction order by day desc) filter (where correction is not null))[1] as correction,
       max(users) as users, max(last_at) as last_at
     from search_insight where prompt is not null and day > ${TODAY} - ${SEARCH_INSIGHT_DAYS}
     group by prompt order by users desc, searches desc, prompt limit $1`,
    [limit],
  );
  return rows.map((row) => ({ ...row, lastAt: row.lastAt.toISOString() }));
}
