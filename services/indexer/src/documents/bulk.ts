import type { estypes } from '@elastic/elasticsearch';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import { toDocument } from './document.ts';

/**
 * A document ready to be sent: serialized once, with the revision that is its external version. Without a source it is to go: the
 * item is not in PostgreSQL, so nothing can ever write it again.
 */
export type Change = { contentId: number; revision: number; source: string | null };

/** What became of one change in one index. */
export type Outcome =
  | { kind: 'written' }
  /** Not this document's fault. It goes again, for ever. */
  | { kind: 'retry'; reason: string }
  /** This document's own fault: no repetition can help. */
  | { kind: 'rejected'; reason: string };

export function toChange(row: IndexedContent): Change {
  return { contentId: row.content_id, revision: row.revision, source: JSON.stringify(toDocument(row)) };
}

/** The lines of a bulk request. `external_gte` refuses what is older than the index holds, and takes the same revision again. */
export function bulkLines(changes: Change[]): string[] {
  return changes.flatMap(({ contentId, revision, source }) => {
    const action = { _id: String(contentId), version: revision, version_type: 'external_gte' };
    return source === null ? [JSON.stringify({ delete: action })] : [JSON.stringify({ index: action }), source];
  });
}

/** Cuts changes into runs of at most `limitBytes`; a single change above the limit is a run of its own. */
export function cutByBytes(changes: Change[], limitBytes: number): Change[][] {
  const runs: Change[][] = [];
  let room = 0;
  for (const change of changes) {
    const size = bytesOf([change]);
    if (size > room || runs.length === 0) {
      runs.push([]);
      room = limitBytes;
    }
    runs.at(-1)?.push(change);
    room -= size;
  }
  return runs;
}

export function bytesOf(changes: Change[]): number {
  return changes.reduce((sum, { source }) => sum + Buffer.byteLength(source ?? ''), 0);
}

// Only these say that the document itself is at fault. Others come as a 400 too, such as a closed index.
const DOCUMENT_FAULTS = new Set([
  'document_parsing_exception',
  'mapper_parsing_exception',
  'strict_dynamic_mapping_exception',
  'illegal_argument_exception',
  'action_request_validation_exception',
]);

const ALREADY_GONE = 'not_found';

/** Classifies one item of a bulk response. 409 means that the index already holds this revision or a newer one. */
export function outcomeOf(item: estypes.BulkResponseItem): Outcome {
  if (item.status < 300 || item.status === 409 || item.result === ALREADY_GONE) return { kind: 'written' };
  const { type = `status ${item.status}`, reason = 'no reason given' } = item.error ?? {};
  const atFault = item.status === 400 && DOCUMENT_FAULTS.has(type);
  return { kind: atFault ? 'rejected' : 'retry', reason: `${type}: ${withoutContents(reason ?? '')}${rootCause(item.error)}` };
}

// Its type only: what it says may quote the document.
function rootCause(error: estypes.ErrorCause | undefined): string {
  let cause = error?.caused_by;
  while (cause?.caused_by) cause = cause.caused_by;
  return cause ? ` (${cause.type})` : '';
}

// Elasticsearch quotes what it could not parse, and the reason goes into logs.
function withoutContents(reason: string): string {
  return reason.replace(/ ?Preview of field's value: .*/s, '');
}
