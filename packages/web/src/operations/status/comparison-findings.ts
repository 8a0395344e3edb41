import type { ComparisonStatus, DifferenceCounts, OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { formatCount } from '../../shared/format.ts';
import { COMMANDS } from './commands.ts';
import type { Finding } from './findings.ts';

/** Dropped changes are not counted. */
export function countDifferences({ missing, stale, ahead, orphaned }: DifferenceCounts): number {
  return missing + stale + ahead + orphaned;
}

export function comparisonFindings({ comparison }: OperationsStatus): Finding[] {
  if (!comparison || 'problem' in comparison) return [];
  return [...aheadFindings(comparison.value), ...differenceFindings(comparison.value)];
}

function aheadFindings({ ahead }: ComparisonStatus): Finding[] {
  if (!ahead) return [];
  const text =
    `The index was ahead of PostgreSQL in ${formatCount(ahead.items, 'item')}, as after a restore of PostgreSQL. ` +
    'They are indexed again. Lists may show a lost state of others.';
  return [{ severity: 'warning', text, command: COMMANDS.repair }];
}

function differenceFindings({ lastRound, currentRound }: ComparisonStatus): Finding[] {
  const [last, current] = [lastRound, currentRound].map((round) => (round ? countDifferences(round.differences) : 0));
  if (!last && !current) return [];
  const count = formatCount(Math.max(last ?? 0, current ?? 0), 'item');
  const text = `The index differed from PostgreSQL in ${count}, as after a restore of a store. They are indexed again.`;
  return [{ severity: 'warning', text, command: COMMANDS.repair }];
}
