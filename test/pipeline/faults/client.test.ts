/** @store-timeout-factor 1 */
import { expect, it } from '@jest/globals';
import { UgcClient } from '../../../packages/client/src/index.ts';
import { startCluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { png } from '../../support/database/images.ts';
import { tokenOf } from '../../support/http/tokens.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { until } from '../../support/jest/until.ts';

const STORES = ['postgres', 'elasticsearch', 'redis'] as const;
const ITEMS = 6;

const cluster = forAllTests(() => startCluster({ proxied: [...STORES] }));

it('a client that walks, uploads, edits, deletes and reads pictures beside an outage of each store goes on to its end, and does each once', async () => {
  const { client, database } = cluster;
  const failed: number[] = [];
  const observed = async (...args: Parameters<typeof fetch>): Promise<Response> => {
    const response = await fetch(...args);
    if (response.status >= 500) failed.push(response.status);
    return response;
  };
  const token = await tokenOf(1);
  const ugc = new UgcClient({ baseUrl: client.baseUrl, token, fetch: observed, maxWaitSeconds: 10 });
  const thumbnail = png({ width: 8, height: 8 });
  const item = { creatorId: 1, description: '', version: 1, data: '', thumbnail };
  const ids: number[] = [];
  for (let n = 0; n < ITEMS; n += 1) ids.push((await ugc.upload({ ...item, name: 'edited' })).contentId);
  await cluster.indexed();

  const done = { walks: 0, uploads: 0, edits: 0, pictures: 0, deletions: 0 };
  let isOver = false;
  const during = async (what: keyof typeof done, work: () => Promise<void>): Promise<void> => {
    for (; !isOver; done[what] += 1) await work();
  };
  const workers = Promise.all([
    during('walks', async () => {
      const read: number[] = [];
      for await (const { contentId, name } of ugc.items({ size: 1, prompt: 'edited' })) if (name.startsWith('edited')) read.push(contentId);
      expect(read.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    }),
    during('uploads', async () => void (await ugc.upload({ ...item, name: `uploaded ${done.uploads}` }))),
    during('edits', async () => void (await ugc.edit(ids[0] ?? 0, ({ version }) => ({ version: version + 1 })))),
    during('pictures', async () => expect((await ugc.thumbnail(ids[1] ?? 0)).size).toBeGreaterThan(0)),
    during('deletions', async () => ugc.delete((await ugc.upload({ ...item, name: 'deleted' })).contentId)),
  ]);
  const outages = async (): Promise<void> => {
    for (const store of STORES) {
      failed.length = 0;
      const uploads = done.uploads;
      cluster.proxies[store]?.reset();
      // Uploads and reads need no Redis.
      await until(`${store} is out`, () => (store === 'redis' ? done.uploads > uploads + 2 : failed.length > 3));
      cluster.proxies[store]?.restore();
      const before = { ...done };
      await until(`each goes on after ${store}`, () =>
        Object.entries(before).every(([what, count]) => done[what as keyof typeof done] > count),
      );
    }
  };
  await Promise.race([workers, outages()]);
  isOver = true;
  await workers;

  const names = await database.query<{ name: string }>(`select name from content where name like 'uploaded %'`);
  expect(names.map(({ name }) => name).toSorted()).toEqual(Array.from({ length: done.uploads }, (_, n) => `uploaded ${n}`).toSorted());
  const [edited] = await database.query<{ version: number }>('select version from content where content_id = $1', [ids[0]]);
  expect(edited?.version).toBe(1 + done.edits);
  expect(await database.query(`select 1 from content where name = 'deleted' and deleted_at is null`)).toEqual([]);
  await expectNothingLost(cluster);
});
