import type { EmbeddingsStatus, OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { formatDuration, formatNumber } from '../status/format.ts';
import { Card, Figures, PartOf, type Figure } from '../parts/card.tsx';
import { Meter } from '../parts/meter.tsx';
import { COMMANDS } from '../status/commands.ts';

/** Without EMBEDDINGS_URL there is none. */
export function VectorsCard({ status: { embeddings } }: { status: OperationsStatus }) {
  if (!embeddings) return null;
  return (
    <Card title="Ranking by meaning" commands={[COMMANDS.rebuildVectors]}>
      <PartOf part={embeddings}>{(value) => (value ? <Vectors {...value} /> : <p>No indexer has embedded items yet.</p>)}</PartOf>
    </Card>
  );
}

function Vectors(embeddings: EmbeddingsStatus) {
  const { model, filling, searchedModel, items, embedded } = embeddings;
  return (
    <>
      <Meter label={model} text={`${formatNumber(embedded)} of ${formatNumber(items)} items`} used={embedded} limit={items} />
      {filling && (
        <p class="muted">{searchedModel === null ? UNTIL_COMPLETE : `Until it is complete, lists are ranked by ${searchedModel}.`}</p>
      )}
      <Figures figures={figuresOf(embeddings)} />
    </>
  );
}

const UNTIL_COMPLETE = 'Until it is complete, lists are ranked by words.';

function figuresOf({ waiting, oldestWaitingSeconds, refused }: EmbeddingsStatus): Figure[] {
  return [
    { label: 'Texts that wait', value: formatNumber(waiting) },
    { label: 'Oldest waits for', value: oldestWaitingSeconds === null ? '–' : formatDuration(oldestWaitingSeconds) },
    { label: 'Refused texts', value: formatNumber(refused) },
  ];
}
