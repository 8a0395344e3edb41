import type {
  ComparisonStatus,
  CurrentRound,
  DifferenceCounts,
  LastRound,
  OperationsStatus,
} from '@ugc/shared/contracts/operations-status';
import { formatDay, formatNumber } from '../status/format.ts';
import { Card, Figures, PartOf, type Figure } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';
import { countDifferences } from '../status/findings.ts';

export function ComparisonCard({ status: { comparison } }: { status: OperationsStatus }) {
  return (
    <Card title="Comparison" commands={[COMMANDS.audit, COMMANDS.repair]}>
      <PartOf part={comparison}>{(value) => <Rounds {...value} />}</PartOf>
    </Card>
  );
}

function Rounds({ lastRound, currentRound }: ComparisonStatus) {
  return (
    <>
      <p class="muted">
        {lastRound
          ? `All items were compared with the searched index by ${formatDay(lastRound.completedAt)}.`
          : 'Not all items have been compared with the searched index yet.'}
      </p>
      {lastRound && <Figures figures={figuresOf(lastRound)} />}
      {currentRound && <p class="muted">{describe(currentRound)}</p>}
    </>
  );
}

const KINDS: Record<keyof DifferenceCounts, string> = {
  missing: 'Missing',
  stale: 'Stale',
  ahead: 'Ahead',
  orphaned: 'Orphaned',
  dropped: 'Dropped',
};

function figuresOf({ differences, repaired }: LastRound): Figure[] {
  const kinds = Object.entries(KINDS).map(([kind, label]) => ({ label, value: formatNumber(differences[kind as keyof DifferenceCounts]) }));
  return [...kinds, { label: 'Repaired', value: formatNumber(repaired) }];
}

function describe({ startedAt, comparedTo, differences }: CurrentRound): string {
  const found = formatNumber(countDifferences(differences));
  return `Since ${formatDay(startedAt)}: compared to item ${formatNumber(comparedTo)}, ${found} differences.`;
}
