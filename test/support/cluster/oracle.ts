import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { rowWasNeverPublic } from '@ugc/shared/contracts/unpublished';
import { connectProducer } from '@ugc/shared/redis/redis';
import { expect } from '@jest/globals';
import type { Cluster } from './cluster.ts';
import { fieldsOf, Uploads } from './uploads.ts';
import { until } from '../jest/until.ts';

/** A cluster, or a service within this process, which has no server processes. */
type System = Pick<Cluster, 'database' | 'elasticsearch' | 'client' | 'env' | 'indexed'> &
  Partial<Pick<Cluster, 'apis' | 'indexers' | 'redis' | 'postgres' | 'elasticsearchServer'>>;
type Item = {
  contentId: number;
  name: string;
  description: string;
  data: string;
  tags: string[];
  deleted: boolean;
  revision: number;
  wasNeverPublic: boolean;
};

/**
 * Checks all guarantees of the service after the faults have ended: every upload with response 201 is stored as it was
 * sent, no other upload is stored in part, the index contains exactly the items of PostgreSQL in their newest
 * revisions, but for those that never were public, the outbox contains only rejected changes, the queue is empty, and every process still runs.
 * @param rejected the ids of the items that Elasticsearch must reject
 * @param options `lacksDeleted`: the index may have nothing of deleted items: of drafts, or if it was restored to a state before them
 */
export async function expectNothingLost(
  system: System,
  uploads = new Uploads(),
  rejected: number[] = [],
  { lacksDeleted = false } = {},
): Promise<void> {
  await system.indexed();
  const items = await system.database.query<Item>(
    `select content_id, name, description, data, tags, deleted_at is not null as deleted, revision, ${rowWasNeverPublic('c')} as was_never_public
     from content c order by content_id`,
  );
  expectStoredAsSent(items, uploads);
  await expectRejected(system, rejected);
  const indexed = items.filter((item) => !rejected.includes(item.contentId) && !item.wasNeverPublic);
  const revisions = await indexedRevisions(system);
  const present = new Set(revisions.map(([contentId]) => contentId));
  const expected = indexed.filter(({ deleted, contentId }) => !(lacksDeleted && deleted) || present.has(contentId));
  expect(revisions).toEqual(expected.map((item) => [item.contentId, item.revision]));
  const { body } = await system.client.list({ size: 1 });
  expect(body.totalElements).toBe(indexed.filter((item) => !item.deleted).length);
  await expectQueueDrained(system);
  expectRunning(system);
}

function expectStoredAsSent(items: Item[], { accepted, notStored, unknown }: Uploads): void {
  const byId = new Map(items.map((item) => [item.contentId, item]));
  for (const [id, name] of accepted) expect(byId.get(id)).toMatchObject(fieldsOf(name));
  for (const item of items.filter(({ name }) => unknown.includes(name))) expect(item).toMatchObject(fieldsOf(item.name));
  const names = new Set(items.map((item) => item.name));
  expect(notStored.filter((name) => names.has(name))).toEqual([]);
}

async function expectRejected({ database }: System, rejected: number[]): Promise<void> {
  const rows = await database.query<{ contentId: number; rejectedReason: string | null }>(
    'select content_id, rejected_reason from index_outbox order by content_id',
  );
  expect(rows).toEqual(rejected.map((id) => ({ contentId: id, rejectedReason: expect.stringMatching(/\S/) })));
}

async function indexedRevisions({ elasticsearch, env }: System): Promise<[number, number][]> {
  const revisions: [number, number][] = [];
  for (;;) {
    const { hits } = await elasticsearch.search({
      index: env['CONTENT_ALIAS'] ?? '',
      size: 10_000,
      version: true,
      _source: false,
      query: { range: { contentId: { gt: revisions.at(-1)?.[0] ?? 0 } } },
      sort: [{ contentId: 'asc' }],
    });
    if (hits.hits.length === 0) return revisions;
    revisions.push(...hits.hits.map((hit): [number, number] => [Number(hit._id), hit._version ?? 0]));
  }
}

// The job of a killed worker stays active until its lock has expired and two checks for stalled jobs have found it.
async function expectQueueDrained({ env }: System): Promise<void> {
  const redis = connectProducer({ ...env, REDIS_URL: env['REDIS_URL'] ?? '' }, () => undefined);
  const queue = openIndexQueue(redis, env['QUEUE_PREFIX'] ?? '', () => undefined);
  try {
    await queue.waitUntilReady();
    await until('the queue is empty', async () =>
      Object.values(await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed')).every((count) => count === 0),
    );
  } finally {
    redis.disconnect();
  }
}

// Only the test restarts a process that it killed, so a process that is not running has ended by itself.
export function expectRunning({ apis = [], indexers = [], redis, postgres, elasticsearchServer }: System): void {
  const servers = [...apis, ...indexers, redis, postgres, elasticsearchServer].filter((server) => server !== undefined);
  expect(servers.filter((server) => server.pid() === undefined).map((server) => server.name)).toEqual([]);
}
