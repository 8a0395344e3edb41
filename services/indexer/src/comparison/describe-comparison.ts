import type { ComparisonStatus, CurrentRound, DifferenceCounts, LastRound } from '@ugc/shared/contracts/operations-status';
import { countDifferences } from '@ugc/shared/indices/comparison';

/** Rows of index:status: a name and what an operator should know. */
export function describeComparison({ lastRound, currentRound, ahead }: ComparisonStatus): [string, string][] {
  return [
    ...(lastRound ? [['compared', describeLast(lastRound)] as [string, string]] : []),
    ...(currentRound ? [['comparing', describeCurrent(currentRound)] as [string, string]] : []),
    ...(ahead ? [['ahead', describeAhead(ahead)] as [string, string]] : []),
  ];
}

function describeLast({ completedAt, differences, repaired }: LastRound): string {
  const found = countDifferences(differences);
  return `all items by ${completedAt}: ${found === 0 ? 'no differences' : `${listKinds(differences)}; ${formatted(repaired)} repaired`}`;
}

function describeCurrent({ startedAt, comparedTo, differences }: CurrentRound): string {
  const found = countDifferences(differences) === 0 ? 'no differences' : `${listKinds(differences)}, repaired`;
  return `since ${startedAt}, to item ${formatted(comparedTo)}: ${found}`;
}

function describeAhead({ items }: { items: number }): string {
  return `${formatted(items)} items were newer in the index, as after a restore of PostgreSQL; run npx pnpm index:audit --repair`;
}

function listKinds(differences: DifferenceCounts): string {
  const found = Object.entries(differences).filter(([, count]) => count > 0);
  return found.map(([kind, count]) => `${formatted(count)} ${kind}`).join(', ');
}

function formatted(count: number): string {
  return count.toLocaleString('en');
}
