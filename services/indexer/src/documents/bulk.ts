import type { estypes } from '@elastic/elasticsearch';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { classifyItem, describeRefusal } from '@ugc/shared/elasticsearch/errors';
import type { Definitions } from '@ugc/fields/definition';
import type { TextRules } from '@ugc/text/rules/text-rules';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toDocument } from './document.ts';

/** `source` is the serialized document; null deletes the document of an item that PostgreSQL does not have. */
export type Change = { contentId: number; revision: number; source: string | null };

/** `conflict`: the target has a newer version, or has deleted one within the last minute; see resolve-conflicts.ts. */
export type WriteResult =
  { outcome: 'done'; conflict?: boolean } | { outcome: 'retry'; reason: string } | { outcome: 'reject'; reason: string };

/**
 * What the documents of an index have. Without `hasData`, Elasticsearch would receive `data` and not keep it. `definitions`:
 * the declared fields of the index.
 */
export type DocumentForm = { rules: TextRules; hasData: boolean; definitions: Definitions };

/** A document of the longest texts takes several milliseconds. */
const TURN_MS = 10;

/** Lets the rest of the process run in between, such as the response to a liveness probe. */
export async function makeChanges<Row>(rows: Row[], make: (row: Row) => Change): Promise<Change[]> {
  const changes: Change[] = [];
  let turnBeganAt = performance.now();
  for (const row of rows) {
    changes.push(make(row));
    if (performance.now() - turnBeganAt < TURN_MS) continue;
    await nextTurn();
    turnBeganAt = performance.now();
  }
  return changes;
}

/** @param form of the documents of the index that the change is written to */
export function toChange(row: IndexedContent, { rules, hasData, definitions }: DocumentForm): Change {
  const document = toDocument(row, rules, definitions);
  const source = JSON.stringify(hasData ? document : { ...document, data: undefined });
  return { contentId: row.contentId, revision: row.revision, source };
}

/** The request can be repeated: `external_gte` accepts the indexed revision and newer ones. */
export function bulkLines(changes: Change[]): string[] {
  return changes.flatMap(({ contentId, revision, source }) => {
    const action = { _id: String(contentId), version: revision, version_type: 'external_gte' };
    return source === null ? [JSON.stringify({ delete: action })] : [JSON.stringify({ index: action }), source];
  });
}

/** A change that exceeds the limit by itself is alone in its batch. */
export function splitIntoBulks(changes: Change[], limit: { bytes: number; documents: number }): Change[][] {
  const batches: Change[][] = [];
  let remainingBytes = 0;
  for (const change of changes) {
    const size = bytesOf([change]);
    if (size > remainingBytes || batches.length === 0 || batches.at(-1)?.length === limit.documents) {
      batches.push([]);
      remainingBytes = limit.bytes;
    }
    batches.at(-1)?.push(change);
    remainingBytes -= size;
  }
  return batches;
}

export function bytesOf(changes: Change[]): number {
  return changes.reduce((sum, { source }) => sum + Buffer.byteLength(source ?? ''), 0);
}

export function toWriteResult(item: estypes.BulkResponseItem): WriteResult {
  const { outcome } = classifyItem(item);
  if (outcome !== 'done') return { outcome, reason: describeRefusal(item) };
  return item.status === 409 ? { outcome, conflict: true } : { outcome };
}

export function isConflict(result: WriteResult | undefined): boolean {
  return result?.outcome === 'done' && result.conflict === true;
}

/** Also reports requests that failed or timed out. */
export function onBulkResponse({ diagnostic }: Elasticsearch, listener: (seconds: number) => void): void {
  diagnostic.on('response', (_, result) => {
    if (result?.meta.request.params.path.endsWith('/_bulk')) listener((result.meta.duration ?? 0) / 1_000);
  });
}
