import type { OperationsStatus, QueueStatus } from '@ugc/shared/contracts/operations-status';
import { formatBytes, formatNumber } from '../status/format.ts';
import { Card, Figures, PartOf, type Figure } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';
import { valueOf } from '../status/findings.ts';

export function QueueCard({ status: { queue, indexing } }: { status: OperationsStatus }) {
  const isPaused = Boolean(valueOf(indexing)?.pausedSince);
  return (
    <Card title="Queue" commands={[isPaused ? COMMANDS.resume : COMMANDS.pause]}>
      <PartOf part={queue}>{(value) => <Figures figures={figuresOf(value)} />}</PartOf>
    </Card>
  );
}

function figuresOf({ waiting, active, indexers, memory }: QueueStatus): Figure[] {
  return [
    { label: 'Jobs that wait', value: formatNumber(waiting) },
    { label: 'Jobs that run', value: formatNumber(active) },
    { label: 'Indexers', value: indexers === null ? 'not known' : formatNumber(indexers) },
    { label: 'Memory of Redis', value: memory === null ? 'not known' : formatBytes(memory.usedBytes) },
  ];
}
