import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { valueOf } from './findings.ts';

/** Documents per second that were written to the index between two statuses; undefined if it is not known. */
export function writtenPerSecond(indexName: string, status: OperationsStatus, previous: OperationsStatus | undefined): number | undefined {
  if (!previous) return undefined;
  const seconds = (Date.parse(status.time) - Date.parse(previous.time)) / 1_000;
  const [now, before] = [written(indexName, status), written(indexName, previous)];
  if (now === undefined || before === undefined || seconds <= 0) return undefined;
  // A restarted Elasticsearch counts from 0 again.
  return Math.max(0, Math.round((now - before) / seconds));
}

function written(indexName: string, { targets }: OperationsStatus): number | undefined {
  return valueOf(targets)?.list.find((target) => target.indexName === indexName)?.index?.written;
}
