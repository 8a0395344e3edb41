import { INDEX_QUEUE } from '@ugc/shared/contracts/index-queue';
import { expect } from '@jest/globals';
import { Queue } from 'bullmq';
import type { Cluster } from './cluster.ts';
import { fieldsOf, Uploads } from './uploads.ts';
import { until } from './until.ts';

/** A whole cluster, or a service within this process, which has no processes and no servers of its own. */
type World = Pick<Cluster, 'database' | 'elasticsearch' | 'client' | 'env' | 'indexed'> &
  Partial<Pick<Cluster, 'apis' | 'indexers' | 'redis' | 'postgres' | 'elasticsearchServer'>>;
type Item = { content_id: number; name: string; description: string; data: string; tags: string[]; deleted: boolean; revision: number };

/**
 * The promise as a whole, once everything is healed: every item answered 201 is stored as it was sent, no other is stored by half,
 * the index holds exactly PostgreSQL's items, each once and in its newest revision, nothing is left to do in outbox or queue but
 * what is rejected, and every process still runs.
 * @param rejected the items that the index has to refuse
 */
export async function expectNothingLost(world: World, uploads = new Uploads(), rejected: number[] = []): Promise<void> {
  await world.indexed();
  const items = await world.database.query<Item>(
    `select content_id, name, description, data, tags, deleted_at is not null as deleted, revision from content order by content_id`,
  );
  expectStoredAsSent(items, uploads);
  await expectRejected(world, rejected);
  const indexed = items.filter((item) => !rejected.includes(item.content_id));
  expect(await indexedRevisions(world)).toEqual(indexed.map((item) => [item.content_id, item.revision]));
  const { body } = await world.client.list({ size: 1 });
  expect(body.totalElements).toBe(indexed.filter((item) => !item.deleted).length);
  await expectQueueDrained(world);
  expectRunning(world);
}

function expectStoredAsSent(items: Item[], { taken, refused, unknown }: Uploads): void {
  const byId = new Map(items.map((item) => [item.content_id, item]));
  for (const [id, name] of taken) expect(byId.get(id)).toMatchObject(fieldsOf(name));
  for (const item of items.filter(({ name }) => unknown.includes(name))) expect(item).toMatchObject(fieldsOf(item.name));
  const names = new Set(items.map((item) => item.name));
  expect(refused.filter((name) => names.has(name))).toEqual([]);
}

async function expectRejected({ database }: World, rejected: number[]): Promise<void> {
  const rows = await database.query<{ content_id: number; rejected_reason: string | null }>(
    'select content_id, rejected_reason from index_outbox order by content_id',
  );
  expect(rows).toEqual(rejected.map((id) => ({ content_id: id, rejected_reason: expect.stringMatching(/\S/) })));
}

async function indexedRevisions({ elasticsearch, env }: World): Promise<[number, number][]> {
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

// A killed worker's job stays until its lock has run out and two looks for stalled jobs have found it.
async function expectQueueDrained({ env }: World): Promise<void> {
  const queue = new Queue(INDEX_QUEUE, { connection: { url: env['REDIS_URL'] ?? '' }, prefix: env['QUEUE_PREFIX'] ?? '' });
  queue.on('error', () => undefined);
  try {
    await until('the queue is empty', async () =>
      Object.values(await queue.getJobCounts('wait', 'active', 'delayed')).every((count) => count === 0),
    );
  } finally {
    await queue.close();
  }
}

// Nothing starts a process again but the test that killed it, so one that ended by itself is missing.
export function expectRunning({ apis = [], indexers = [], redis, postgres, elasticsearchServer }: World): void {
  const servers = [...apis, ...indexers, redis, postgres, elasticsearchServer].filter((server) => server !== undefined);
  expect(servers.filter((server) => server.pid() === undefined).map((server) => server.name)).toEqual([]);
}
