import { errors, type estypes } from '@elastic/elasticsearch';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Elasticsearch } from '../elasticsearch/elasticsearch.ts';
import { DatabaseIdentity } from '../contracts/database-identity.ts';
import { WITH_SHARDS } from '../indices/missing-shards.ts';
import { storeTimeout } from '../timing/timeouts.ts';

/**
 * Which database owns an index. Each renewal changes `pulse`, which shows that the owner lives. `beat` is also stored in the
 * owner's database, which shows whose it is.
 */
const Stored = z.object({ indexName: z.string(), owner: DatabaseIdentity, beat: z.string().nullable(), pulse: z.string(), at: z.string() });
type StoredOwnerRecord = z.infer<typeof Stored>;

/** `position`: where the document was when it was read, so that a write can depend on it. */
export type OwnerRecord = StoredOwnerRecord & { position: Position };
type Position = { seqNo: number; primaryTerm: number };

/**
 * The records of an alias are documents of a small index, by the UUIDs of the indices: a document changes nothing in the
 * state of the cluster, unlike a mapping. Wildcards do not match a hidden index. Its name is within the privileges on
 * `<alias>-v*`, and no index of items has it.
 */
export function recordIndex(alias: string): string {
  return `${alias}-v0-owners`;
}

const CREATED_WITHIN_MS = 1_000;
const TRY_AGAIN_AFTER_MS = 50;

const BODY = {
  settings: { number_of_shards: 1, auto_expand_replicas: '0-1', hidden: true },
  mappings: { dynamic: false },
} as const;

/** Reads the newest state, also without a refresh. @returns the records by UUID */
export async function readOwnerRecords(elasticsearch: Elasticsearch, alias: string, uuids: string[]): Promise<Map<string, OwnerRecord>> {
  if (uuids.length === 0) return new Map();
  const docs = await readDocuments(elasticsearch, alias, uuids);
  const records = docs.map((doc) => [doc._id, toRecord(doc)] as const);
  return new Map(records.filter((record): record is [string, OwnerRecord] => record[1] !== undefined));
}

type Documents = estypes.MgetResponseItem<StoredOwnerRecord>[];

/** The shard of an index that another process has just created is not available for a moment. */
async function readDocuments(elasticsearch: Elasticsearch, alias: string, ids: string[]): Promise<Documents> {
  const untilMs = performance.now() + storeTimeout(CREATED_WITHIN_MS);
  for (;;) {
    const { docs } = await elasticsearch.mget<StoredOwnerRecord>({ index: recordIndex(alias), ids });
    const isCreated = !docs.some((doc) => 'error' in doc && doc.error.type === 'no_shard_available_action_exception');
    if (isCreated || performance.now() > untilMs) return docs;
    await delay(TRY_AGAIN_AFTER_MS);
  }
}

function toRecord(doc: estypes.MgetResponseItem<StoredOwnerRecord>): OwnerRecord | undefined {
  if ('error' in doc) {
    if (doc.error.type === 'index_not_found_exception') return undefined;
    throw new Error(`the owner of an index could not be read: ${doc.error.type}`);
  }
  const stored = Stored.safeParse(doc._source);
  if (!doc.found || !stored.success) return undefined;
  return { ...stored.data, position: { seqNo: doc._seq_no ?? 0, primaryTerm: doc._primary_term ?? 0 } };
}

/**
 * Writes the record if it has not changed since it was read.
 * @param position that of the record that was read; undefined if there was none
 * @returns false if another process has written it
 */
export async function writeOwnerRecord(
  elasticsearch: Elasticsearch,
  { alias, uuid }: { alias: string; uuid: string },
  record: StoredOwnerRecord,
  position: Position | undefined,
): Promise<boolean> {
  const condition = position ? { if_seq_no: position.seqNo, if_primary_term: position.primaryTerm } : { op_type: 'create' as const };
  return write(elasticsearch, alias, { id: uuid, document: record, ...condition });
}

/** A watcher that cannot write must not take an owner that cannot write for one that is gone. @throws if a write fails */
export async function assertWritable(elasticsearch: Elasticsearch, alias: string, watcher: string): Promise<void> {
  await write(elasticsearch, alias, { id: `watcher ${watcher}`, document: { watcher } });
}

type WriteRequest = Omit<estypes.IndexRequest, 'index'>;

async function write(elasticsearch: Elasticsearch, alias: string, request: WriteRequest, mayCreate = true): Promise<boolean> {
  try {
    await elasticsearch.index({ index: recordIndex(alias), ...request });
    return true;
  } catch (error) {
    if (statusOf(error) === 409) return false;
    if (statusOf(error) !== 404 || !mayCreate) throw error;
    await createOwnerRecords(elasticsearch, alias);
    return write(elasticsearch, alias, request, false);
  }
}

export async function createOwnerRecords(elasticsearch: Elasticsearch, alias: string): Promise<void> {
  // Another process may create it at the same time.
  await elasticsearch.indices.create({ index: recordIndex(alias), ...BODY, ...WITH_SHARDS }, { ignore: [400] });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof errors.ResponseError ? error.statusCode : undefined;
}
