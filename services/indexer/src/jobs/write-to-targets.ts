import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import type { IndexTarget } from '@ugc/shared/indices/targets';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import type { Change, WriteResult } from '../documents/bulk.ts';
import { confirmRejections, writeChanges, type WriteResults } from '../documents/write-changes.ts';

/** `refusal`: why this process does not write to the index. */
export type Target = Pick<IndexTarget, 'indexName' | 'role'> & { mappingVersion: number; hasData: boolean; refusal: string | undefined };
export type TargetResult = WriteResult & { target: Target };
/** The results of each target, by the id of the item. */
export type Written = Map<number, TargetResult[]>;
/** The changes as they are written to a target. */
export type ChangesFor = (target: Pick<Target, 'mappingVersion' | 'hasData'>) => Change[];

/** Writes to the searched index last, and only what no other target has to retry, so a swap shows no older state. */
export async function writeToTargets(elasticsearch: Elasticsearch, targets: Target[], changesFor: ChangesFor): Promise<Written> {
  const written: Written = new Map();
  for (const target of targets.toSorted((a, b) => Number(a.role === 'search') - Number(b.role === 'search'))) {
    const changes = changesFor(target).filter(({ contentId }) => !mustBeRetried(written.get(contentId)));
    for (const [contentId, result] of await writeToTarget(elasticsearch, target, changes)) {
      written.set(contentId, [...(written.get(contentId) ?? []), { ...result, target }]);
    }
  }
  await confirmAll(elasticsearch, written, changesFor);
  return written;
}

async function writeToTarget(elasticsearch: Elasticsearch, { indexName, refusal }: Target, changes: Change[]): Promise<WriteResults> {
  if (refusal === undefined) return writeChanges(elasticsearch, indexName, changes);
  return new Map(changes.map(({ contentId }) => [contentId, { outcome: 'retry', reason: refusal }]));
}

function mustBeRetried(results: TargetResult[] = []): boolean {
  return results.some(({ outcome }) => outcome === 'retry');
}

/**
 * Which rejection makes an item a rejected one: that of a target with this code's mapping, the searched one before
 * others. None does if the searched index holds the item: then the other target is at fault.
 */
export function decidingRejection(results: TargetResult[]): (TargetResult & { outcome: 'reject' }) | undefined {
  if (mustBeRetried(results) || results.some(({ outcome, target }) => outcome === 'done' && target.role === 'search')) return undefined;
  const rejections = results.filter((result) => result.outcome === 'reject');
  return rejections.findLast(({ target }) => target.mappingVersion === MAPPING_VERSION);
}

async function confirmAll(elasticsearch: Elasticsearch, written: Written, changesFor: ChangesFor): Promise<void> {
  const deciding = [...written].flatMap(([contentId, results]) => {
    const target = decidingRejection(results)?.target;
    return target ? [{ contentId, target }] : [];
  });
  for (const [target, rejected] of Map.groupBy(deciding, (decided) => decided.target)) {
    const ids = new Set(rejected.map(({ contentId }) => contentId));
    const changes = changesFor(target).filter(({ contentId }) => ids.has(contentId));
    for (const [contentId, result] of await confirmRejections(elasticsearch, target, changes)) {
      const others = written.get(contentId)?.filter((other) => other.target !== target) ?? [];
      written.set(contentId, [...others, { ...result, target }]);
    }
  }
}
