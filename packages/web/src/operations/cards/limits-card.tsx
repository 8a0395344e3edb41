import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { Card } from '../parts/card.tsx';
import { Meter } from '../parts/meter.tsx';
import { formatUsage, isNearlyUsedUp, nameOf } from '../status/resources.ts';

export function LimitsCard({ status: { resources } }: { status: OperationsStatus }) {
  return (
    <Card title="Limits">
      <div class="meters">
        {resources.map((resource) => (
          <Meter
            key={resource.resource}
            label={nameOf(resource.resource)}
            text={formatUsage(resource)}
            used={resource.used}
            limit={resource.limit}
            isHigh={isNearlyUsedUp(resource)}
          />
        ))}
      </div>
    </Card>
  );
}
