import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { forgetAhead } from '@ugc/shared/outbox/ahead';
import type { Database } from '@ugc/shared/postgres/postgres';

/** The state of the round at the time of the claim. `startedAt` is text, which keeps the microseconds; null between rounds. */
export type Round = { startedAt: string | null; items: number; comparedTo: number; differences: Partial<DifferenceCounts> };

/** Longer than a range takes while its repair waits for other changes. */
const CLAIM_MS = 120_000;
const CLAIM = `clock_timestamp() + ${CLAIM_MS} * interval '1 millisecond'`;

/**
 * Both times count only if they are near: the clock may have been set back.
 * @returns undefined if no range is due or another indexer compares
 */
export async function claimRange(database: Database, claimant: string): Promise<Round | undefined> {
  const [round] = await database.query<Round>(
    `update index_comparison set claimed_by = $1::uuid, claimed_until = ${CLAIM}
     where due_at not between clock_timestamp() and clock_timestamp() + interval '2 days'
       and (claimed_by = $1::uuid or (claimed_until between clock_timestamp() and ${CLAIM}) is not true)
     returning started_at::text as started_at, items, compared_to, differences`,
    [claimant],
  );
  return round;
}

/** Lets another indexer continue at once. */
export async function releaseClaim(database: Database, claimant: string): Promise<void> {
  await database.query(`update index_comparison set claimed_by = null, claimed_until = null where claimed_by = $1::uuid`, [claimant]);
}

export async function beginRound(database: Database, claimant: string, items: number): Promise<Round | undefined> {
  const [round] = await database.query<Round>(
    `update index_comparison
     set started_at = clock_timestamp(), items = $2, compared_to = 0, differences = '{}', repaired = 0
     where claimed_by = $1::uuid
     returning started_at::text as started_at, items, compared_to, differences`,
    [claimant, items],
  );
  return round;
}

/** `comparedTo` is undefined at the end of the round. `pauseMs`: the time until the next range is due. */
type ComparedRange = { comparedTo: number | undefined; differences: DifferenceCounts; repaired: number; pauseMs: number };

/** After a delay the next ranges are due earlier, but never so many that they become a burst. */
const DUE = `least(clock_timestamp(), greatest(due_at, clock_timestamp() - interval '10 s')) + $2 * interval '1 millisecond'`;

/** Does nothing if another indexer has claimed the comparison in the meantime: it repeats the range. */
export async function recordRange(database: Database, claimant: string, range: ComparedRange): Promise<void> {
  const { comparedTo, differences, repaired, pauseMs } = range;
  const values = [claimant, pauseMs, JSON.stringify(differences), repaired];
  const update = `update index_comparison set due_at = ${DUE}, differences = $3::jsonb, repaired = repaired + $4`;
  if (comparedTo !== undefined) await database.query(`${update}, compared_to = $5 where claimed_by = $1::uuid`, [...values, comparedTo]);
  else await database.transaction((tx) => endRound(tx, update, values));
}

async function endRound(tx: Pick<Database, 'query'>, update: string, values: unknown[]): Promise<void> {
  const [round] = await tx.query<{ startedAt: string }>(
    `${update}, compared_to = 0, started_at = null, last_round = jsonb_build_object(
       'startedAt', started_at, 'completedAt', clock_timestamp(), 'differences', $3::jsonb, 'repaired', repaired + $4::bigint)
     where claimed_by = $1::uuid returning last_round->>'startedAt' as started_at`,
    values,
  );
  if (round) await forgetAhead(tx, round.startedAt);
}
