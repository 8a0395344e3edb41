import type { OperationsStatus, Rebuild, Target, TargetIndex, TargetsStatus } from '@ugc/shared/contracts/operations-status';
import { formatBytes, formatNumber } from '../status/format.ts';
import { Card, Figures, PartOf } from '../parts/card.tsx';
import { Meter } from '../parts/meter.tsx';
import { COMMANDS, type CommandLine } from '../status/commands.ts';
import { valueOf } from '../status/findings.ts';
import { writtenPerSecond } from '../status/rates.ts';

type IndicesProps = { status: OperationsStatus; previous: OperationsStatus | undefined };

export function IndicesCard({ status, previous }: IndicesProps) {
  const { targets } = status;
  return (
    <Card title="Indices" commands={commandsFor(valueOf(targets))}>
      <PartOf part={targets}>
        {({ list, rebuild, mappingVersion }) => (
          <>
            {list.length === 0 && <p class="muted">There is no index yet. The indexer creates one.</p>}
            {rebuild && <RebuildProgress rebuild={rebuild} />}
            <ul class="rows">
              {list.toSorted(byRole).map((target) => (
                <IndexRow
                  key={target.indexName}
                  target={target}
                  mappingVersion={mappingVersion}
                  rate={writtenPerSecond(target.indexName, status, previous)}
                />
              ))}
            </ul>
          </>
        )}
      </PartOf>
    </Card>
  );
}

const ROLES = { search: 'searched', next: 'being filled', previous: 'previous' };
const ROLE_ORDER = Object.keys(ROLES);

function byRole(a: Target, b: Target): number {
  return ROLE_ORDER.indexOf(a.role) - ROLE_ORDER.indexOf(b.role);
}

function commandsFor(targets: TargetsStatus | undefined): CommandLine[] {
  if (!targets) return [];
  const roles = new Set(targets.list.map(({ role }) => role));
  return [
    ...(roles.has('next') ? [COMMANDS.cancelRebuild] : [COMMANDS.rebuild]),
    ...(roles.has('previous') ? [COMMANDS.rollBack, COMMANDS.finish] : []),
    ...(roles.has('search') ? [COMMANDS.audit] : []),
  ];
}

function RebuildProgress({ rebuild: { running, filledTo, lastContentId } }: { rebuild: Rebuild }) {
  const percent = lastContentId === 0 ? 100 : Math.floor((100 * filledTo) / lastContentId);
  const label = running ? 'Rebuild' : 'Rebuild, stopped';
  const text = percent === 100 ? 'filled; being compared' : `filled to item ${formatNumber(filledTo)} of ${formatNumber(lastContentId)}`;
  return <Meter label={label} text={text} used={filledTo} limit={lastContentId} />;
}

function IndexRow({ target, mappingVersion, rate }: { target: Target; mappingVersion: number; rate: number | undefined }) {
  const { indexName, role, index, foreignOwner, problem } = target;
  return (
    <li>
      <p class="row-head">
        <code translate={false}>{indexName}</code>
        <span class={`state state-${role === 'search' ? 'good' : 'plain'}`}>{ROLES[role]}</span>
      </p>
      {problem !== null && <p class="problem">{problem}</p>}
      {foreignOwner !== null && <p class="problem">It belongs to the database {foreignOwner}. Nothing is written to it.</p>}
      <Figures
        figures={[
          { label: 'Mapping', value: mappingOf(target, mappingVersion) },
          { label: 'Items', value: index ? itemsOf(index) : '–' },
          { label: 'Size', value: index ? formatBytes(index.bytes) : '–' },
          { label: 'Written per second', value: rate === undefined ? '–' : formatNumber(rate) },
        ]}
      />
    </li>
  );
}

/** A tombstone is a document, and no item. */
function itemsOf({ documents, deleted }: TargetIndex): string {
  const items = formatNumber(documents - deleted);
  return deleted === 0 ? items : `${items}, ${formatNumber(deleted)} deleted`;
}

function mappingOf({ mappingVersion }: Target, current: number): string {
  if (mappingVersion === current) return `${mappingVersion}`;
  return `${mappingVersion} (${mappingVersion < current ? 'older' : 'newer'} than ${current})`;
}
