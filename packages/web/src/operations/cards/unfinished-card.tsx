import type { JobState, OperationsStatus, Unfinished } from '@ugc/shared/contracts/operations-status';
import { formatCount, formatDuration, formatNumber } from '../status/format.ts';
import { Card, PartOf } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';
import { valueOf } from '../status/findings.ts';

const STATES: Record<JobState, string> = {
  waiting: 'waits for an indexer',
  active: 'is run by an indexer',
  missing: 'is lost; its changes are claimed again',
  unknown: 'Redis does not tell its state',
};

export function UnfinishedCard({ status: { unfinished } }: { status: OperationsStatus }) {
  const { jobCount = 0, isolated = [] } = valueOf(unfinished) ?? {};
  const isAny = jobCount + isolated.length > 0;
  return (
    <Card title="Jobs that do not end" commands={isAny ? [COMMANDS.status] : []}>
      <PartOf part={unfinished}>
        {(value) => (isAny ? <Lists unfinished={value} /> : <p class="muted">No job is older than 30 seconds.</p>)}
      </PartOf>
    </Card>
  );
}

function Lists({ unfinished: { jobs, jobCount, isolated } }: { unfinished: Unfinished }) {
  return (
    <ul class="rows">
      {jobs.map(({ jobId, items, claimedSeconds, state }) => (
        <li key={jobId}>
          <p class="row-head">
            <strong>{formatCount(items, 'item')}</strong>
            <span class="muted">for {formatDuration(claimedSeconds)}</span>
          </p>
          <p class="muted">
            Job <code translate={false}>{jobId}</code> {STATES[state]}.
          </p>
        </li>
      ))}
      {jobCount > jobs.length && (
        <li class="muted">
          These are the oldest {jobs.length} of {formatNumber(jobCount)} jobs.
        </li>
      )}
      {isolated.map(({ contentId, claims, pendingSeconds }) => (
        <li key={contentId}>
          <p class="row-head">
            <strong>Item {contentId}</strong>
            <span class="muted">for {formatDuration(pendingSeconds)}</span>
          </p>
          <p class="muted">{formatCount(claims, 'job')} ended without a result. Edit or delete the item if it crashes indexers.</p>
        </li>
      ))}
    </ul>
  );
}
