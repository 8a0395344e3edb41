import type { ComparisonStatus, CurrentRound, DifferenceCounts, LastRound } from '../contracts/operations-status.ts';
import { IS_REPAIRED } from '../contracts/ahead.ts';
import type { Database } from '../postgres/postgres.ts';

export const NO_DIFFERENCES: DifferenceCounts = { missing: 0, stale: 0, ahead: 0, orphaned: 0, dropped: 0 };

type Stored = Omit<CurrentRound, 'startedAt'> & {
  startedAt: Date | null;
  lastRound: LastRound | null;
  aheadItems: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
};

export async function readComparison(database: Database): Promise<ComparisonStatus> {
  const [row] = await database.query<Stored>(
    `select started_at, c.items, compared_to, differences, repaired, last_round,
       case when ${IS_REPAIRED} then 0 else a.items end as ahead_items, first_seen_at, last_seen_at
     from index_comparison c cross join index_ahead a`,
  );
  if (!row) return { lastRound: null, currentRound: null, ahead: null };
  return { lastRound: lastRoundOf(row), currentRound: currentRoundOf(row), ahead: aheadOf(row) };
}

function lastRoundOf({ lastRound }: Stored): LastRound | null {
  if (!lastRound) return null;
  const { startedAt, completedAt, differences, repaired } = lastRound;
  return { startedAt: iso(startedAt), completedAt: iso(completedAt), differences: { ...NO_DIFFERENCES, ...differences }, repaired };
}

function currentRoundOf({ startedAt, items, comparedTo, differences, repaired }: Stored): CurrentRound | null {
  if (!startedAt) return null;
  return { startedAt: iso(startedAt), items, comparedTo, differences: { ...NO_DIFFERENCES, ...differences }, repaired };
}

function aheadOf({ aheadItems, firstSeenAt, lastSeenAt }: Stored): ComparisonStatus['ahead'] {
  return aheadItems === 0 ? null : { items: aheadItems, firstSeenAt: iso(firstSeenAt), lastSeenAt: iso(lastSeenAt) };
}

function iso(time: Date | string): string {
  return new Date(time).toISOString();
}

/** Dropped changes are not counted. */
export function countDifferences({ missing, stale, ahead, orphaned }: DifferenceCounts): number {
  return missing + stale + ahead + orphaned;
}
