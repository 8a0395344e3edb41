import { indexPattern } from '@ugc/shared/contracts/content-index';
import { readIdentity } from '@ugc/shared/contracts/database-identity';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { StoreFailure } from '@ugc/shared/failures/describe';
import { pausedSince } from '@ugc/shared/indices/index-control';
import { readIndexStates } from '@ugc/shared/indices/read-index-states';
import { refreshIndex } from '@ugc/shared/indices/searched-index';
import { listTargets, type IndexTarget } from '@ugc/shared/indices/targets';
import { countInOutboxOf, BULK_BATCH_SIZE } from '@ugc/shared/outbox/backlog';
import { raiseRevisions, type IndexedVersion } from '@ugc/shared/outbox/ahead';
import { inspect, unlistedIndices } from '@ugc/shared/ownership/inspect-indices';
import type { Database } from '@ugc/shared/postgres/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import { RESERVED_USER } from './erase-user.ts';
import { keepReceipt, keptUntil, listReceipts, type Receipt, type Remainder } from './kept-receipts.ts';

export type ErasureDeps = { database: Database; elasticsearch: Elasticsearch; alias: string };

const POLL_EVERY_MS = 250;

/** `waitMs`: how long to wait without any progress. */
type WaitOptions = { waitMs: number; progress?: ((done: number, total: number) => void) | undefined; signal?: AbortSignal | undefined };

/**
 * Waits until every index that is written has every tombstone of erased users and no document of these users.
 * @throws StoreFailure that says what it waits for
 */
export async function untilErasedInIndices(deps: ErasureDeps, userIds: number[], { waitMs, progress, signal }: WaitOptions): Promise<void> {
  for (let [fewest, total, deadline] = [Infinity, 0, 0]; ;) {
    const inOutbox = await countInOutboxOf(deps.database, RESERVED_USER);
    total = Math.max(total, inOutbox);
    progress?.(total - inOutbox, total);
    const erased = inOutbox === 0 && (await areErased(deps, userIds).catch((error: unknown) => error as Error));
    if (erased === true) return;
    const isCorrected = erased === 'corrected';
    if (inOutbox < fewest || isCorrected) deadline = performance.now() + waitMs;
    // What was corrected is pending from now on.
    fewest = isCorrected ? Infinity : Math.min(fewest, inOutbox);
    if (performance.now() > deadline) throw erased instanceof Error ? erased : await notErased(deps, inOutbox);
    await delay(POLL_EVERY_MS, undefined, { signal });
  }
}

async function notErased({ database }: ErasureDeps, inOutbox: number): Promise<StoreFailure> {
  const paused = await pausedSince(database);
  const why = paused ? 'indexing is paused, and npx pnpm index:resume continues it' : 'npx pnpm index:status says why';
  const what = inOutbox > 0 ? `${inOutbox} tombstones are not in every index yet` : 'an index cannot be read, or is being corrected';
  const message = `PostgreSQL holds nothing of them any more, but ${what}: ${why}. The same command continues.`;
  return new StoreFailure(message, { mayPass: true, cause: undefined });
}

/** A document that an index has nevertheless, as after a restore of Elasticsearch, is removed. */
async function areErased(deps: ErasureDeps, userIds: number[]): Promise<boolean | 'corrected'> {
  const { written } = await readIndices(deps);
  for (const { indexName, isReadable } of written) {
    if (!isReadable) return false;
    await refreshIndex(deps.elasticsearch, indexName);
    const documents = await findDocuments(deps.elasticsearch, indexName, userIds);
    if (documents.length === 0) continue;
    await raiseRevisions(deps.database, documents);
    return 'corrected';
  }
  return true;
}

type Indices = { written: (IndexTarget & { isReadable: boolean })[]; others: { indexName: string; isClosed: boolean; command: string }[] };

/** `others`: indices of this database that are not written any more. */
async function readIndices({ database, elasticsearch, alias }: ErasureDeps): Promise<Indices> {
  const self = await readIdentity(database);
  const targets = await listTargets(database);
  const names = [alias, indexPattern(alias), ...targets.map(({ indexName }) => indexName)];
  const states = await readIndexStates(elasticsearch, { names });
  const isClosed = (indexName: string): boolean => states.get(indexName)?.closed === true;
  const isReadable = (target: IndexTarget): boolean =>
    inspect(target, states.get(target.indexName), alias).intact && !isClosed(target.indexName);
  const retired = targets.filter(({ indexName, retiredReason }) => retiredReason !== null && states.has(indexName));
  const forgotten = unlistedIndices(states, targets, alias).filter(({ state }) => state.owner?.id === self.id);
  return {
    written: targets.filter(({ retiredReason }) => retiredReason === null).map((target) => ({ ...target, isReadable: isReadable(target) })),
    others: [
      ...retired.map(({ indexName, role }) => ({ indexName, option: role === 'next' ? '--cancel' : '--finish' })),
      ...forgotten.map(({ indexName }) => ({ indexName, option: `--remove ${indexName}` })),
    ].map(({ indexName, option }) => ({ indexName, isClosed: isClosed(indexName), command: `npx pnpm index:rebuild ${option}` })),
  };
}

async function findDocuments(elasticsearch: Elasticsearch, index: string, userIds: number[]): Promise<IndexedVersion[]> {
  const { hits } = await elasticsearch.search({
    index,
    size: BULK_BATCH_SIZE,
    query: { terms: { creatorId: userIds } },
    version: true,
    _source: false,
    track_total_hits: false,
    allow_partial_search_results: false,
  });
  return hits.hits.map((hit) => ({ contentId: Number(hit._id), version: hit._version ?? 0 })).filter(({ contentId }) => contentId > 0);
}

type Erasure = {
  credentialSha256: string;
  startedAt: Date;
  completedAt: Date;
  items: number;
  ratings: number;
  idempotencyKeys: number;
  hidings: number;
  externalIds: number;
  /** The SHA-256 of the credentials that stay blocked. */
  blocked: string[];
  hasSearches: boolean;
};

/** Follows `untilErasedInIndices`. @returns the receipt, which is kept from now on */
export async function makeReceipt(deps: ErasureDeps, userId: number): Promise<Receipt> {
  const receipt = await readReceipt(deps, userId);
  if (receipt) await keepReceipt(deps.database, receipt);
  const [kept] = await listReceipts(deps.database, [userId]);
  if (!kept) throw new Error(`another process has made the receipt of user ${userId}, and nothing keeps it`);
  return kept;
}

/** @returns undefined if another process has made it */
async function readReceipt(deps: ErasureDeps, userId: number): Promise<Receipt | undefined> {
  const { written, others } = await readIndices(deps);
  const [erasure] = await deps.database.query<Erasure>(
    `select encode(e.credential_hash, 'hex') as credential_sha256, started_at, clock_timestamp() as completed_at, items, ratings,
       idempotency_keys, hidings, external_ids,
       array(select encode(b.credential_hash, 'hex') from blocked_user b
         where b.credential_hash = any(e.blocked_hashes || e.credential_hash) order by b.credential_hash <> e.credential_hash) as blocked,
       exists (select from search_insight_user) as has_searches
     from user_erasure e where e.user_id = $1`,
    [userId],
  );
  if (!erasure) return undefined;
  const { items, ratings, idempotencyKeys, hidings } = erasure;
  const completedAt = erasure.completedAt.toISOString();
  return {
    userId,
    erased: true,
    credentialSha256: erasure.credentialSha256,
    startedAt: erasure.startedAt.toISOString(),
    completedAt,
    removed: { items, ratings, idempotencyKeys, hidings },
    indices: written.map(({ indexName, role }) => ({ indexName, role })),
    remains: [...inPostgres(erasure), theReceipt(userId, completedAt), ...(await inIndices(deps, userId, others)), ...OUTSIDE],
  };
}

/** The tables in which an erasure removes or changes rows that have something of the user. */
export const DEAD_ROWS = (
  'blocked_user content content_thumbnail embedding embedding_work hidden_content idempotency_key index_dropped index_outbox rating ' +
  'rename_progress unpublished_content user_erasure users'
).split(' ');

function inPostgres({ externalIds, blocked, hasSearches }: Erasure): Remainder[] {
  const where = 'PostgreSQL';
  const all: (Remainder | false)[] = [
    { where, what: 'the ids and dates of the deleted items, without texts and creator', until: 'the purge, after seven days' },
    {
      where,
      what: 'rows that were removed, in the files of the tables',
      until: 'a vacuum, and new rows in their place; a full vacuum removes them at once, and locks each table meanwhile',
      command: `psql "$DATABASE_URL" -c 'vacuum full ${DEAD_ROWS.join(', ')}'`,
    },
    hasSearches && {
      where,
      what: 'keyed hashes of the searches of this day, of all users',
      until: 'the end of the day (UTC)',
      command: `psql "$DATABASE_URL" -c 'delete from search_insight_user'`,
    },
    externalIds > 0 && {
      where,
      what: `the external ids of ${externalIds} imported items, and the SHA-256 of their lines`,
      until: 'you delete them from external_item; a later import then stores the items again',
    },
    ...blocked.map((hash) => ({
      where,
      what: `the SHA-256 of a credential, ${hash}, with the time and the reason of the block`,
      until: 'you add a user with this credential, and unblock it',
    })),
  ];
  return all.filter((each) => each !== false);
}

function theReceipt(userId: number, completedAt: string): Remainder {
  return {
    where: 'PostgreSQL',
    what: 'this receipt, with the SHA-256 of the credential, for npx pnpm users receipts',
    until: `the purge, after ${keptUntil(completedAt)}`,
    command: `psql "$DATABASE_URL" -c 'delete from erasure_receipt where user_id = ${userId}'`,
  };
}

async function inIndices({ elasticsearch }: ErasureDeps, userId: number, others: Indices['others']): Promise<Remainder[]> {
  const remainders: Remainder[] = [
    {
      where: 'Elasticsearch',
      what: 'documents that are marked as deleted, in the files of the indices',
      until: 'Elasticsearch merges their segments',
      command: 'npx pnpm index:rebuild && npx pnpm index:rebuild --finish',
    },
  ];
  for (const { indexName, isClosed, command } of others) {
    const count = async () => (await elasticsearch.count({ index: indexName, query: { term: { creatorId: userId } } })).count;
    const what = isClosed
      ? `the index ${indexName}, which is closed, so that it was not read`
      : `documents of the user (${await count()}) in the index ${indexName}, which is not written any more`;
    remainders.push({ where: 'Elasticsearch', what, until: 'the index is removed', command });
  }
  return remainders;
}

/** No command of the service reads these. */
const OUTSIDE: Remainder[] = [
  {
    where: 'backups, WAL and replicas of PostgreSQL, snapshots of Elasticsearch',
    what: 'what they held before; after a restore, erase the user again',
    until: 'you delete them',
  },
  { where: 'logs', what: 'lines with the id of the user', until: 'you delete them' },
];
