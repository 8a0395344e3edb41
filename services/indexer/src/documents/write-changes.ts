import { errors, type estypes } from '@elastic/elasticsearch';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { bulkLines, bytesOf, cutByBytes, outcomeOf, type Change, type Outcome } from './bulk.ts';

export type Outcomes = Map<number, Outcome>;

/** Well below Elasticsearch's default http.max_content_length of 100 MB, and its advice for bulk requests. */
const BULK_LIMIT_BYTES = 8 * 1024 * 1024;

/** A connection that breaks under a request of this size may be a refusal, too: the break can overtake the 413. */
const LARGE_BYTES = 512 * 1024;

const UNREADABLE = 400;
const TOO_LARGE = 413;

/** Writes full documents to one concrete index and says of each what became of it. Does not throw for what Elasticsearch answers. */
export async function writeChanges(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  for (const run of cutByBytes(changes, BULK_LIMIT_BYTES)) {
    for (const [contentId, outcome] of await writeRun(elasticsearch, indexName, run)) outcomes.set(contentId, outcome);
  }
  return outcomes;
}

async function writeRun(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<Outcomes> {
  try {
    const { items } = await elasticsearch.bulk({ index: indexName, operations: bulkLines(changes) });
    return pairUp(changes, items);
  } catch (error) {
    if (changes.length > 1 && mayBeOneOf(changes, error)) return writeHalves(elasticsearch, indexName, changes);
    // Only its size is certainly its own fault: what cannot be read may as well come from another version or from a proxy.
    return everyOne(changes, { kind: statusOf(error) === TOO_LARGE ? 'rejected' : 'retry', reason: describe(error) });
  }
}

// One of the documents may be why the request is refused as a whole, and halving finds it.
function mayBeOneOf(changes: Change[], error: unknown): boolean {
  const status = statusOf(error);
  return status === TOO_LARGE || status === UNREADABLE || (error instanceof errors.ConnectionError && bytesOf(changes) > LARGE_BYTES);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof errors.ResponseError ? error.statusCode : undefined;
}

async function writeHalves(elasticsearch: Elasticsearch, indexName: string, changes: Change[]): Promise<Outcomes> {
  const middle = Math.ceil(changes.length / 2);
  const first = await writeRun(elasticsearch, indexName, changes.slice(0, middle));
  const second = await writeRun(elasticsearch, indexName, changes.slice(middle));
  return new Map([...first, ...second]);
}

function pairUp(changes: Change[], items: Partial<Record<string, estypes.BulkResponseItem>>[]): Outcomes {
  if (items.length !== changes.length)
    return everyOne(changes, { kind: 'retry', reason: `${items.length} answers for ${changes.length} documents` });
  return new Map(
    changes.map((change, position) => {
      const item = items[position]?.['index'] ?? items[position]?.['delete'];
      return [change.contentId, item ? outcomeOf(item) : { kind: 'retry', reason: 'an answer is missing' }];
    }),
  );
}

function everyOne(changes: Change[], outcome: Outcome): Outcomes {
  return new Map(changes.map((change) => [change.contentId, outcome]));
}

function describe(error: unknown): string {
  if (error instanceof errors.ResponseError) return `HTTP ${error.statusCode ?? '?'}: ${error.message.slice(0, 500)}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
