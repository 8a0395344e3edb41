import type { OperationsStatus, RequestSample } from '@ugc/shared/contracts/operations-status';
import { formatNumber } from '../status/format.ts';
import { Chart } from '../chart/chart.tsx';
import { roundUpCount } from '../chart/scale.ts';
import { Card, Figures } from '../parts/card.tsx';

type Kind = Exclude<keyof RequestSample, 'time'>;

/** The totals of the hour as figures, and what is most asked for as a chart. */
export function RequestsCard({ status: { requests, time } }: { status: OperationsStatus }) {
  const total = (kind: Kind): string => formatNumber(requests.reduce((sum, sample) => sum + sample[kind], 0));
  const points = (kind: Kind) => requests.map((sample) => ({ time: Date.parse(sample.time), value: sample[kind] }));
  const chart = { now: Date.parse(time), roundUp: roundUpCount, format: formatNumber };
  return (
    <Card title="Requests of the last hour">
      <Figures
        figures={[
          { label: 'Searches', value: total('searches') },
          { label: 'Uploads', value: total('uploads') },
          { label: 'Failures (5xx)', value: total('failures') },
        ]}
      />
      <Chart title="Searches a minute" points={points('searches')} {...chart} />
      <Chart title="Failures a minute" points={points('failures')} {...chart} />
    </Card>
  );
}
