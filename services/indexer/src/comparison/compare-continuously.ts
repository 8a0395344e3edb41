import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { NO_DIFFERENCES } from '@ugc/shared/indices/comparison';
import type { Database } from '@ugc/shared/postgres/postgres';
import { findTarget } from '@ugc/shared/indices/targets';
import { BULK_BATCH_SIZE, bulkBackpressure } from '@ugc/shared/outbox/backlog';
import { randomUUID } from 'node:crypto';
import { confirmDifferences, idsOfWithheld, reportStrays, type Difference } from './compare.ts';
import { countContent, readRange } from './read-range.ts';
import type { IndexDeps } from '../targets/target-indices.ts';
import { repairItems } from '../conflicts/resolve-conflicts.ts';
import { beginRound, claimRange, recordRange, releaseClaim, type Round } from './round.ts';

export type ComparisonOptions = {
  rangeSize: number;
  /** The duration of a round over this number of items. */
  roundMs: (items: number) => number;
  /** The process compares nothing before this time. */
  firstAfterMs: number;
  onRange?: () => void;
};

const MINUTE_MS = 60_000;
const MS_PER_ITEM = 10;

/** A hundred items per second; more only if a round would otherwise take longer than a day, with time for its growth. */
const DEFAULTS: ComparisonOptions = {
  rangeSize: 1_000,
  roundMs: (items) => Math.min(Math.max(items * MS_PER_ITEM, 10 * MINUTE_MS), 20 * 60 * MINUTE_MS),
  firstAfterMs: 10 * MINUTE_MS,
};

/** The longest time that a pass takes, except for the last range. */
const PASS_MS = 1_000;

type Comparing = IndexDeps & { options: ComparisonOptions; claimant: string };

/**
 * Finds what no change of an item would find: an Elasticsearch or a PostgreSQL that was restored, or lost something.
 * One indexer compares a range of ids at a time, and repairs the differences with the pace of bulk work.
 * @returns a pass: it compares the ranges that are due
 */
export function createComparison(deps: IndexDeps, changed: Partial<ComparisonOptions> = {}): () => Promise<void> {
  const options = { ...DEFAULTS, ...changed };
  const comparing = { ...deps, options, claimant: randomUUID() };
  let nextAt = performance.now() + options.firstAfterMs;
  return async () => {
    if (performance.now() < nextAt) return;
    try {
      await compareDueRanges(comparing);
    } catch (err) {
      nextAt = performance.now() + MINUTE_MS;
      await releaseClaim(deps.database, comparing.claimant).catch(() => undefined);
      if (!deps.signal.aborted) deps.log.warn({ err }, 'could not compare PostgreSQL and the index; the next attempt is in a minute');
    }
  };
}

async function compareDueRanges(comparing: Comparing): Promise<void> {
  const untilMs = performance.now() + PASS_MS;
  while (performance.now() < untilMs && (await compareDueRange(comparing))) comparing.options.onRange?.();
}

/** @returns false if none is due, and at the end of a round */
async function compareDueRange(comparing: Comparing): Promise<boolean> {
  const { database, claimant, signal } = comparing;
  signal.throwIfAborted();
  const search = await findTarget(comparing, 'search');
  if (!search) return false;
  const claimed = await claimRange(database, claimant);
  const round = claimed?.startedAt === null ? await beginRound(database, claimant, await countOrEstimate(database)) : claimed;
  if (!round) return false;
  return compareRange(comparing, search.indexName, round);
}

/** An estimate if the count exceeds the statement timeout. */
async function countOrEstimate(database: Database): Promise<number> {
  const items = await countContent(database);
  if (items > 0) return items;
  const [estimate] = await database.query<{ items: number }>(
    `select greatest(reltuples, 0)::bigint as items from pg_class where oid = 'content'::regclass`,
  );
  return estimate?.items ?? 0;
}

/** @returns false at the end of the round */
async function compareRange(comparing: Comparing, indexName: string, round: Round): Promise<boolean> {
  const { database, claimant, options } = comparing;
  const { last, suspects, strays, size } = await readRange(comparing, indexName, round.comparedTo, options.rangeSize);
  if (strays.length > 0) reportStrays(comparing.log)(indexName, strays);
  const found = await confirmDifferences(comparing, indexName, suspects);
  const repaired = await repair(comparing, found);
  const share = round.items === 0 ? 1 : size / Math.max(size, round.items);
  await recordRange(database, claimant, {
    comparedTo: last,
    differences: addCounts(round.differences, found),
    repaired,
    pauseMs: share * options.roundMs(round.items),
  });
  return last !== undefined;
}

/** @returns the number of items that were put into the outbox */
async function repair(comparing: Comparing, found: Difference[]): Promise<number> {
  const waitForBacklog = bulkBackpressure(comparing.database, { signal: comparing.signal });
  const faults = found.filter(({ difference }) => difference !== 'dropped');
  for (let first = 0; first < faults.length; first += BULK_BATCH_SIZE) {
    await waitForBacklog();
    await repairItems(comparing, faults.slice(first, first + BULK_BATCH_SIZE));
  }
  if (faults[0]) {
    const { contentId, difference } = faults[0];
    comparing.log.warn(
      { itemCount: faults.length, contentId, difference },
      'the index differed from PostgreSQL; the items are indexed again',
    );
    warnOfWithheld(comparing, faults);
  }
  return faults.length;
}

/** After a restore of PostgreSQL. */
function warnOfWithheld({ log }: Comparing, differences: Difference[]): void {
  const contentIds = idsOfWithheld(differences);
  if (contentIds.length > 0)
    log.warn({ contentIds }, 'these items were deleted, hidden or not published in a state that PostgreSQL has lost, and are public again');
}

function addCounts(counts: Partial<DifferenceCounts>, found: Difference[]): DifferenceCounts {
  const sum = { ...NO_DIFFERENCES, ...counts };
  for (const { difference } of found) sum[difference] += 1;
  return sum;
}
