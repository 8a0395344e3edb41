import type { LastBackup, OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { Card, PartOf } from '../parts/card.tsx';
import { formatDay } from '../status/format.ts';

const STORES = [
  ['postgres', 'PostgreSQL', 'stores every item'],
  ['redis', 'Redis', 'brings jobs to the indexers'],
  ['elasticsearch', 'Elasticsearch', 'is searched'],
] as const;

const STATES = {
  up: 'up',
  down: 'down',
  outdated: 'has an older schema',
  evicts: 'may delete jobs',
  eviction_unknown: 'up; maxmemory-policy not known',
  refuses: 'refuses what is needed',
  read_only: 'is read-only',
};

const WELL = new Set<string>(['up', 'eviction_unknown']);

export function StoresCard({ status: { stores, lastBackup } }: { status: OperationsStatus }) {
  return (
    <Card title="Stores">
      <ul class="stores">
        {STORES.map(([name, label, task]) => (
          <li key={name}>
            <span class="store-name">{label}</span>
            <span class="muted">{task}</span>
            <span class={`state state-${WELL.has(stores[name]) ? 'good' : 'danger'}`}>{STATES[stores[name]]}</span>
          </li>
        ))}
      </ul>
      <PartOf part={lastBackup}>{(backup) => <p class="muted">{describe(backup)}</p>}</PartOf>
    </Card>
  );
}

function describe(backup: LastBackup | null): string {
  return backup ? `The last backup was made by ${formatDay(backup.completedAt)}.` : 'No backup has been recorded yet.';
}
