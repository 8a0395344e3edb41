import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { Card } from '../parts/card.tsx';

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

export function StoresCard({ status: { stores } }: { status: OperationsStatus }) {
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
    </Card>
  );
}
