import type { OperationsStatus, RejectedItem } from '@ugc/shared/contracts/operations-status';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { formatCount, formatDay, formatNumber } from '../status/format.ts';
import { Card, PartOf } from '../parts/card.tsx';
import { COMMANDS } from '../status/commands.ts';
import { valueOf } from '../status/findings.ts';

export function RejectedCard({ status: { rejected } }: { status: OperationsStatus }) {
  const isAny = (valueOf(rejected)?.total ?? 0) > 0;
  const commands = isAny ? [COMMANDS.listRejected, COMMANDS.retryRejected, COMMANDS.dropRejected] : [];
  return (
    <Card title="Rejected items" commands={commands}>
      <PartOf part={rejected}>
        {({ total, dropped, items }) => (
          <>
            {total === 0 && <p class="muted">No item is rejected.</p>}
            <RejectedRows items={items} />
            {total > items.length && (
              <p class="muted">
                The page has the first {items.length} of {formatNumber(total)} items.
              </p>
            )}
            {dropped > 0 && <p class="muted">{formatCount(dropped, 'change')} dropped, until the next change of the item.</p>}
          </>
        )}
      </PartOf>
    </Card>
  );
}

const SHOWN_FIRST = 5;

function RejectedRows({ items }: { items: RejectedItem[] }) {
  const [isExpanded, setExpanded] = useState(false);
  const more = items.length - SHOWN_FIRST;
  return (
    <>
      <ul class="rows">
        {items.slice(0, isExpanded ? items.length : SHOWN_FIRST).map((item) => (
          <RejectedRow key={item.contentId} item={item} />
        ))}
      </ul>
      {more > 0 && (
        <Button kind="link" isExpanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? `Show ${SHOWN_FIRST} only` : `Show ${more} more`}
        </Button>
      )}
    </>
  );
}

function RejectedRow({ item: { contentId, revision, since, reason } }: { item: RejectedItem }) {
  return (
    <li>
      <p class="row-head">
        <strong>Item {contentId}</strong>
        <span class="muted">
          revision {revision}, {formatDay(since)}
        </span>
      </p>
      <p class="reason">{reason}</p>
    </li>
  );
}
