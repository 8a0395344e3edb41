import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { indexContent } from '@ugc/indexer/jobs/index-content';
import { claimDue, type Claim } from '@ugc/shared/outbox/claim';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { stopDelivery } from '../support/cluster/delivery.ts';
import { ensureIndex } from '../support/indices/index-lock.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { runs } from '../support/jest/long.ts';
import { openStores, startService, type Service, type Stores } from '../support/processes/service.ts';

/** Number of items with a random history, and with jobs that are late, repeated and reordered. */
const ITEMS = 3;
/** Deliveries of a job at the same time, each with its own connection. */
const MAX_DELIVERIES = 10;
const item = fc.nat(ITEMS - 1);
const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), item, name: fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rate' as const),
      item,
      user: fc.integer({ min: 1, max: 3 }),
      score: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('download' as const), item }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), item }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), job: fc.nat(20), times: fc.integer({ min: 1, max: MAX_DELIVERIES }) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

let service: Service;
let stores: Stores;
beforeAll(async () => {
  service = await startService();
  stores = openStores(service.env, MAX_DELIVERIES);
  await stopDelivery(service);
});
afterAll(async () => {
  await stores.close();
  await service.stop();
});

it('the index equals the database after any history and any order of deliveries', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const ids: number[] = [];
      for (let n = 0; n < ITEMS; n++) ids.push(await service.client.upload({ name: `start ${n}` }));
      const jobs: Claim[] = [];
      for (const step of commands) await perform(step, ids, jobs);
      await drain();
      await expectEqual(ids);
    }),
    { numRuns: Number(process.env['CONVERGENCE_RUNS'] ?? runs(8, 25)) },
  );
});

async function perform(step: Command, ids: number[], jobs: Claim[]): Promise<void> {
  const path = 'item' in step ? `/api/content/${ids[step.item]}` : '';
  if (step.kind === 'edit') await service.client.send('PATCH', path, { name: step.name });
  else if (step.kind === 'rate') await service.client.send('PUT', `${path}/rating`, { score: step.score }, step.user);
  else if (step.kind === 'download') await service.client.send('POST', `${path}/downloads`);
  else if (step.kind === 'delete') await service.client.send('DELETE', path);
  else if (step.kind === 'claim') jobs.push(...(await claimDue(service.database, randomUUID(), { atMost: 2 })));
  else await deliver(jobs[step.job % Math.max(jobs.length, 1)], step.times);
}

// Concurrent deliveries of a job occur when a worker loses its lock.
async function deliver(job: Claim | undefined, times: number): Promise<void> {
  if (job) await Promise.all(Array.from({ length: times }, () => indexContent(stores, job)));
}

async function drain(): Promise<void> {
  await service.database.query(`update index_outbox set job_id = null, claimed_at = null, due_at = now()`);
  for (;;) {
    const claims = await claimDue(service.database, randomUUID(), { atMost: 100 });
    if (claims.length === 0) return;
    for (const claim of claims) await indexContent(service, claim);
    await service.database.query(`update index_outbox set due_at = now() where job_id is null`);
  }
}

async function expectEqual(ids: number[]): Promise<void> {
  await ensureIndex(indexDeps(service));
  const rows = await service.database.query(
    `select content_id, revision, name, downloads_count, avg_rating, deleted_at is not null as deleted from content where content_id = any($1) order by content_id`,
    [ids],
  );
  const { docs } = await service.elasticsearch.mget({ index: alias(), ids: ids.map(String) });
  const indexed = docs.map((doc) => {
    const { _version: revision, _source: source } = doc as { _version?: number; _source?: Record<string, unknown> };
    return { revision, ...source };
  });
  expect(indexed).toMatchObject(
    rows.map((row) =>
      row['deleted']
        ? { revision: row['revision'], deleted: true }
        : {
            revision: row['revision'],
            name: row['name'],
            downloadsCount: row['downloadsCount'],
            avgRating: row['avgRating'],
            deleted: false,
          },
    ),
  );
}

function alias(): string {
  return service.env['CONTENT_ALIAS'] ?? '';
}
