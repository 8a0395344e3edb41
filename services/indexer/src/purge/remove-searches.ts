import { SEARCH_INSIGHT_DAYS, TODAY } from '@ugc/shared/contracts/retention';
import type { IndexDeps } from '../indices/target-indices.ts';

const ROWS_PER_SLICE = 5_000;

/** What is removed of each table, also after SEARCH_INSIGHTS was switched off. */
const OLD = [
  ['search_insight_user', `day < ${TODAY}`],
  ['search_insight', `day < ${TODAY} and prompt is null`],
  ['search_insight', `day <= ${TODAY} - ${SEARCH_INSIGHT_DAYS}`],
] as const;

export async function* removeOldSearches({ database, signal }: Pick<IndexDeps, 'database' | 'signal'>): AsyncGenerator<void> {
  for (const [table, isOld] of OLD) {
    for (let removed = ROWS_PER_SLICE; removed === ROWS_PER_SLICE; yield) {
      signal.throwIfAborted();
      const slice = `select ctid from ${table} where ${isOld} limit ${ROWS_PER_SLICE}`;
      const [row] = await database.query<{ count: number }>(
        `with removed as (delete from ${table} where ctid = any(array(${slice})) and ${isOld} returning 1) select count(*) from removed`,
      );
      removed = row?.count ?? 0;
    }
  }
}
