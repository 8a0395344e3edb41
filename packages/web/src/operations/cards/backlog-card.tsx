import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { formatDay, formatDuration, formatNumber } from '../status/format.ts';
import { Card, Figures, PartOf } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';
import { valueOf } from '../status/findings.ts';
import { Chart } from '../chart/chart.tsx';
import { roundUpCount, roundUpSeconds, type Point } from '../chart/scale.ts';

export function BacklogCard({ status }: { status: OperationsStatus }) {
  const { backlog, indexing, time } = status;
  const pausedSince = valueOf(indexing)?.pausedSince;
  const now = Date.parse(time);
  const { pending: counts, age } = pointsOf(status);
  return (
    <Card title="Backlog" commands={[pausedSince ? COMMANDS.resume : COMMANDS.pause, COMMANDS.status]}>
      <PartOf part={backlog.now}>
        {({ pending, oldestPendingSeconds }) => (
          <Figures
            figures={[
              { label: 'Indexing', value: stateOf(status) },
              { label: 'Pending changes', value: formatNumber(pending) },
              { label: 'The oldest waits for', value: formatDuration(oldestPendingSeconds ?? 0) },
            ]}
          />
        )}
      </PartOf>
      <Chart title="Pending changes" now={now} points={counts} roundUp={roundUpCount} format={formatNumber} />
      <Chart title="Age of the oldest" now={now} points={age} roundUp={roundUpSeconds} format={formatDuration} />
    </Card>
  );
}

function stateOf({ indexing }: OperationsStatus): string {
  const control = valueOf(indexing);
  if (!control) return 'not known';
  return control.pausedSince ? `paused since ${formatDay(control.pausedSince)}` : 'running';
}

function pointsOf({ backlog: { lastHour } }: OperationsStatus): { pending: Point[]; age: Point[] } {
  const points = (value: (sample: (typeof lastHour)[number]) => number | null): Point[] =>
    lastHour.map((sample) => ({ time: Date.parse(sample.time), value: value(sample) }));
  return {
    pending: points(({ pending }) => pending),
    age: points(({ pending, oldestPendingSeconds }) => (pending === null ? null : (oldestPendingSeconds ?? 0))),
  };
}
