import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentPage } from '@ugc/api/search/page';
import { addHeat, HEAT_ORIGIN_MS, heatOfRecent, recentOf } from '@ugc/items/changes/popularity';
import { EVENTS_OF_DAY_MAX, EventsOfDay } from '@ugc/api/limits/events-of-day';
import { createLog } from '@ugc/shared/process/log';
import { connectProducer } from '@ugc/shared/redis/redis';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { storeContent } from '../support/database/stored-content.ts';
import { expectProblem } from '../support/http/problems.ts';
import { createOlderIndex } from '../support/indices/older-index.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { rows, runs } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { apiCommand, indexCommand } from '../support/processes/command.ts';
import { createEnvironment, USERS, type Environment } from '../support/processes/environment.ts';
import { createImports, itemsOf, NONE } from '../support/processes/imports.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { withRedis } from '../support/servers/redis.ts';

const DAY = 86_400_000;
const { ada, boris } = USERS;
/** Users who only download and rate need no row until they rate. */
const VISITOR = 1_000;

type Stored = { downloads: number; byUsers: number; heatDay: number | null; heatWeek: number | null };

async function read({ database }: Pick<Service, 'database'>, id: number): Promise<Stored> {
  const [row] = await database.query<Stored>(
    `select downloads_count as downloads, downloads_count - other_downloads as by_users, heat_day, heat_week from content where content_id = $1`,
    [id],
  );
  if (!row) throw new Error('no such item');
  return row;
}

describe('what counts', () => {
  const service = forAllTests(() => startService());
  const download = (id: number, user: number) => service.client.send('POST', `/api/content/${id}/downloads`, undefined, user);
  const rate = (id: number, user: number, score: number) => service.client.send('PUT', `/api/content/${id}/rating`, { score }, user);
  const stored = (id: number) => read(service, id);
  /** What is counted of the last days, with the event of the upload. Nothing of it has become older in a test. */
  const recent = async (id: number): Promise<number> => Math.round(recentOf((await stored(id)).heatWeek, Date.now()) * 100) / 100;

  it('of a user are, for an item and a day, one download and the weightiest event', async () => {
    const id = await service.client.upload({}, ada);
    expect(await recent(id)).toBe(1);
    for (const status of [204, 204, 204]) expect((await download(id, VISITOR)).status).toBe(status);
    expect(await stored(id)).toMatchObject({ downloads: 3, byUsers: 1 });
    expect(await recent(id)).toBe(2);
    await download(id, VISITOR + 1);
    expect(await stored(id)).toMatchObject({ downloads: 4, byUsers: 2 });
    expect(await recent(id)).toBe(3);
  });

  it.each<[string, ('download' | number | 'unrate')[], number]>([
    ['a rating after a download', ['download', 5], 3],
    ['a download after a rating', [4, 'download'], 3],
    ['a rating of less than 4', [3], 0],
    ['a further rating', [3, 5], 0],
    ['a rating that is taken back and given again', [5, 'unrate', 5, 'unrate'], 3],
    ['a download after a further rating', [2, 4, 'download'], 1],
  ])('%s', async (_, events, weight) => {
    const id = await service.client.upload({}, ada);
    for (const event of events) {
      if (event === 'download') await download(id, boris);
      else if (event === 'unrate') await service.client.send('DELETE', `/api/content/${id}/rating`, undefined, boris);
      else expect((await rate(id, boris, event)).status).toBe(204);
    }
    expect(await recent(id)).toBe(1 + weight);
    expect((await stored(id)).byUsers).toBe(events.includes('download') ? 1 : 0);
  });

  it('are neither downloads by the creator nor the publication of what is imported or edited', async () => {
    const id = await service.client.upload({}, ada);
    await download(id, ada);
    await service.client.send('PATCH', `/api/content/${id}`, { name: 'another name' }, ada);
    expect(await stored(id)).toMatchObject({ downloads: 1, byUsers: 0 });
    expect(await recent(id)).toBe(1);
  });

  it('are not those that were refused: the first one after them counts', async () => {
    const item = { creatorId: ada, name: 'Unlisted', description: '', version: 1, data: '', visibility: 'unlisted' };
    const { content_id: id, key } = (await service.client.send('POST', '/content', item, ada)).body;
    expect((await service.client.send('POST', `/api/content/${id}/downloads`, undefined, boris)).status).toBe(404);
    expect((await service.client.send('POST', `/api/content/${id}/downloads?key=${key}`, undefined, boris)).status).toBe(204);
    expect(await stored(id)).toMatchObject({ downloads: 1, byUsers: 1 });
  });

  it('an account with a script moves an item of others by one event a day, and its own by none', async () => {
    const others = await service.client.upload({ name: 'Honest lighthouse lamp', tags: ['lighthouse lamp'] }, boris);
    for (const visitor of [1, 2, 3]) await download(others, VISITOR + visitor);
    const rival = await service.client.upload({ name: 'Rival lighthouse lamp' }, boris);
    const own = await service.client.upload({ name: 'Cheap lighthouse pills', tags: ['lighthouse pills'] }, ada);
    const before = await stored(own);
    await Promise.all(Array.from({ length: 60 }, (_, n) => download(n % 2 ? own : rival, ada)));
    expect(await stored(own)).toEqual({ ...before, downloads: 30, byUsers: 0 });
    expect(await stored(rival)).toMatchObject({ downloads: 30, byUsers: 1 });
    await service.indexed();
    const { completions } = (await service.client.get('/api/content/suggest?prompt=lightho')).body;
    const names = completions.filter(({ type }: { type: string }) => type === 'name').map(({ text }: { text: string }) => text);
    expect(names).toEqual(['Honest lighthouse lamp', 'Rival lighthouse lamp', 'Cheap lighthouse pills']);
    const first = async (sort: string): Promise<string[]> => service.client.search('lighthouse', { sort });
    for (const sort of ['trending', 'hot']) expect(await first(sort)).toEqual(names);
    const list = (await service.client.get('/api/content?tags=lighthouse+lamp&tags=&anyTags=lighthouse+pills&anyTags=lighthouse+lamp&sort=best')).body as ContentPage; // prettier-ignore
    expect(list.content.map(({ name }) => name)).toEqual(['Honest lighthouse lamp']);
    expect(await service.client.search('lighthouse', { sort: 'downloadsCount,desc' })).toEqual(['Cheap lighthouse pills', 'Rival lighthouse lamp', 'Honest lighthouse lamp']); // prettier-ignore
    const best = (await service.client.list({ sort: 'best', size: 100 })).body.content.map(({ name }) => name);
    expect(best.indexOf('Honest lighthouse lamp')).toBeLessThan(best.indexOf('Cheap lighthouse pills'));
  });

  it('an item without an event for three years is downloaded as before', async () => {
    const id = await service.client.upload({}, ada);
    for (const years of [3, -3, 1_000]) {
      const distance = years * 365;
      await service.database.query(
        'update content set heat_day = heat_day - $2::float8, heat_week = heat_week - $2::float8 / 7 where content_id = $1',
        [id, distance],
      );
      const before = await stored(id);
      expect((await download(id, VISITOR + years)).status).toBe(204);
      const after = await stored(id);
      if (years > 0) expect(after.heatDay).toBeGreaterThan((before.heatDay ?? 0) + 300);
      else expect(after.heatDay).toBe(before.heatDay);
    }
  });

  it('is counted with the version that it is of, and a deleted item has none of it', async () => {
    const id = await service.client.upload({ version: 1 }, ada);
    const latest = async () =>
      (
        await service.database.query('select latest_downloads_count - latest_other_downloads as count from content where content_id = $1', [
          id,
        ])
      )[0];
    for (const user of [ada, boris]) await download(id, user);
    expect(await latest()).toEqual({ count: 1 });
    await service.client.send('PATCH', `/api/content/${id}`, { version: 2 }, ada);
    expect(await latest()).toEqual({ count: 0 });
    for (const user of [ada, VISITOR]) await download(id, user);
    expect(await latest()).toEqual({ count: 1 });
    await service.client.send('DELETE', `/api/content/${id}`, undefined, ada);
    expect(await stored(id)).toEqual({ downloads: 0, byUsers: 0, heatDay: null, heatWeek: null });
  });

  it('a process of 1.0.0 beside counts as before, and leaves nothing of a deleted item', async () => {
    const id = await service.client.upload({}, ada);
    await download(id, ada);
    const count = 'update content set downloads_count = downloads_count + 1, latest_downloads_count = latest_downloads_count + 1 where content_id = $1'; // prettier-ignore
    await service.database.query(count, [id]);
    expect(await stored(id)).toMatchObject({ downloads: 2, byUsers: 1 });
    await service.database.query(
      `update content set name = '', downloads_count = 0, latest_downloads_count = 0, deleted_at = now(), revision = revision + 1 where content_id = $1`,
      [id],
    );
    expect(await stored(id)).toEqual({ downloads: 0, byUsers: 0, heatDay: null, heatWeek: null });
  });
});

describe('the stored heat', () => {
  const service = forAllTests(async () => {
    const { close: stop, ...stores } = openStores(await createEnvironment());
    return { ...stores, stop };
  });

  /** Milliseconds from the origin: years before it and after it, at the same time, and back again as a clock that steps. */
  const anyTime = fc.oneof(
    fc.integer({ min: -2 * 365 * DAY, max: 12 * 365 * DAY }),
    fc.integer({ min: 0, max: 20 * DAY }),
    fc.constantFrom(0, 1, -1, 3 * 365 * DAY, 744 * DAY, 745 * DAY, 746 * DAY),
  );
  const anyEvents = fc.array(fc.record({ item: fc.nat(4), time: anyTime, weight: fc.constantFrom(0, 1, 2, 3) }), { maxLength: 60 });

  /** The events are in the order in which they are counted, which is not that of their times. */
  async function count(
    events: { item: number; time: number; weight: number }[],
  ): Promise<{ heatDay: number | null; heatWeek: number | null }[]> {
    return service.database.transaction(async (tx) => {
      await tx.query(`create temp table counted (id bigint, heat_day float8, heat_week float8) on commit drop`);
      await tx.query(`insert into counted select generate_series(0, 4)`);
      for (const { item, time, weight } of events)
        await tx.query(`update counted set ${addHeat({ weight: '$2::float8', at: '$3::timestamptz' })} where id = $1`, [
          item,
          weight,
          new Date(HEAT_ORIGIN_MS + time),
        ]);
      return tx.query(`select heat_day, heat_week from counted order by id`);
    });
  }

  it.each([
    ['heatDay', DAY],
    ['heatWeek', 7 * DAY],
  ] as const)('%s has the order of the sums at any later time, whatever the events are', async (heat, tauMs) => {
    await fc.assert(
      fc.asyncProperty(anyEvents, fc.nat(5_000 * DAY), async (events, later) => {
        const counted = await count(events);
        const now = Math.max(0, ...events.map(({ time }) => time)) + later;
        // The sums themselves would be too small for a number: each is compared by the terms above its greatest one.
        const logarithm = (item: number): number | undefined => {
          const terms = events.filter((event) => event.item === item && event.weight > 0).map(({ time, weight }) => Math.log(weight) - (now - time) / tauMs); // prettier-ignore
          const greatest = Math.max(...terms);
          return terms.length === 0 ? undefined : greatest + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - greatest), 0));
        };
        for (const one of counted.keys())
          for (const other of counted.keys()) {
            const [of, than] = [logarithm(one), logarithm(other)];
            const [heatOf, heatThan] = [counted[one]?.[heat], counted[other]?.[heat]];
            if (of === undefined) expect(heatOf).toBeNull();
            if (of === undefined || than === undefined || of - than <= 1e-9) continue;
            expect(heatOf).toBeGreaterThan(heatThan ?? Infinity);
          }
      }),
      { numRuns: runs(60, 600) },
    );
  });

  it('is near the sum itself, and says how much of it is left', () => {
    const heat = heatOfRecent(120, HEAT_ORIGIN_MS + 10 * DAY);
    expect(recentOf(heat, HEAT_ORIGIN_MS + 10 * DAY)).toBeCloseTo(120, 9);
    expect(recentOf(heat, HEAT_ORIGIN_MS + 17 * DAY)).toBeCloseTo(120 / Math.E, 9);
    expect(recentOf(null, HEAT_ORIGIN_MS)).toBe(0);
  });
});

describe('the events of a day', () => {
  const silent = createLog('test', 'silent');
  let redis: Redis;
  let url: string;
  beforeAll(async () => {
    url = (await createEnvironment())['REDIS_URL'] ?? '';
    redis = connectProducer({ REDIS_URL: url }, () => undefined);
    await until('Redis is connected', () => Promise.resolve(redis.status === 'ready'));
  });
  afterAll(() => redis.disconnect());
  let prefixes = 0;
  const eventsOf = (now?: () => number) => {
    const queuePrefix = `events-of-day-${Date.now()}-${(prefixes += 1)}`;
    return { queuePrefix, events: new EventsOfDay({ redis, queuePrefix, log: silent, ...(now && { now }) }) };
  };

  it('are counted once, whatever their order and however many come at once, also if the clock steps back', async () => {
    let time = Date.UTC(2026, 5, 1, 12);
    const { events } = eventsOf(() => time);
    const same = await Promise.all(Array.from({ length: 20 }, () => events.count(5, 7, 'download')));
    expect(same.filter(({ isFirst }) => isFirst)).toEqual([{ isFirst: true, weight: 1 }]);
    time += DAY;
    expect(await events.count(5, 7, 'download')).toEqual({ isFirst: true, weight: 1 });
    time -= DAY;
    expect(await events.count(5, 7, 'download')).toEqual({ isFirst: false, weight: 0 });
    expect(await events.count(5, 7, 'liked')).toEqual({ isFirst: true, weight: 2 });
    expect(await events.count(5, 7, 'liked')).toEqual({ isFirst: false, weight: 0 });
    expect(await events.count(5, 8, 'liked')).toEqual({ isFirst: true, weight: 3 });
    expect(await events.count(5, 8, 'download')).toEqual({ isFirst: true, weight: 0 });
    for (const user of [6, -5]) expect(await events.count(user, 7, 'download')).toEqual({ isFirst: true, weight: 1 });
  });

  it('are bounded for each user, take little memory, and are gone after two days', async () => {
    const { events, queuePrefix } = eventsOf();
    const counted = await Promise.all(
      Array.from({ length: EVENTS_OF_DAY_MAX + 50 }, (_, n) =>
        events.count(5, Number.MAX_SAFE_INTEGER - n, n % 3 === 0 ? 'liked' : 'download'),
      ),
    );
    expect(counted.filter(({ isFirst }) => isFirst)).toHaveLength(EVENTS_OF_DAY_MAX);
    expect((await events.count(6, 1, 'download')).isFirst).toBe(true);
    await withRedis(url, async (client) => {
      const keys = await client.keys(`${queuePrefix}:*`);
      expect(keys).toHaveLength(2);
      for (const key of keys) {
        const ttl = await client.ttl(key);
        expect([ttl > 0, ttl <= 2 * 86_400]).toEqual([true, true]);
        expect(await client.memory('USAGE', key)).toBeLessThan(6_000);
      }
    });
  });

  it('are none of users without Redis, which is asked no more for a while', async () => {
    const errors: Error[] = [];
    const gone = connectProducer({ REDIS_URL: 'redis://127.0.0.1:1' }, (error) => errors.push(error));
    const logged: string[] = [];
    const log = createLog('test', 'info', { write: (line) => void logged.push(line) });
    const events = new EventsOfDay({ redis: gone, queuePrefix: 'gone', log });
    for (let n = 0; n < 10; n++) expect(await events.count(5, n + 1, 'download')).toEqual({ isFirst: false, weight: 0 });
    expect(logged.filter((line) => line.includes('Redis failed'))).toHaveLength(1);
    gone.disconnect();
  });
});

it('downloads count without Redis, though not as those by users', async () => {
  const api = await startApiAlone({ REDIS_URL: 'redis://127.0.0.1:1' });
  try {
    const [id = NaN] = await storeContent(api.database, [{ creatorId: ada, downloads: 5 }]);
    for (let n = 0; n < 6; n++)
      expect((await api.client.send('POST', `/api/content/${id}/downloads`, undefined, VISITOR + n)).status).toBe(204);
    expect((await api.client.send('PUT', `/api/content/${id}/rating`, { score: 5 }, boris)).status).toBe(204);
    expect(await read(api, id)).toEqual({ downloads: 11, byUsers: 5, heatDay: null, heatWeek: null });
  } finally {
    await api.stop();
  }
});

const now = (): number => Date.now();
const weekOf = (recent: number): number => heatOfRecent(recent, now());

describe('lists', () => {
  const service = forAllTests(() => startService());
  const names = (query: string): Promise<string[]> => namesOf(service, query);

  it('by trending and hot have the items without an event last, and no page repeats an item of one that was read earlier', async () => {
    const heats = [null, 3, -2_000, 3, null, 900, 0, -0.5];
    await storeContent(
      service.database,
      heats.map((heat, n) => ({ name: `n${n}`, tags: ['heat'], heatWeek: heat, heatDay: heat === null ? null : -heat })),
    );
    await service.indexed();
    expect(await names('tags=heat&sort=trending')).toEqual(['n5', 'n3', 'n1', 'n6', 'n7', 'n2', 'n4', 'n0']);
    expect(await names('tags=heat&sort=trending,desc')).toEqual(await names('tags=heat&sort=trending'));
    expect(await names('tags=heat&sort=trending,asc')).toEqual(['n2', 'n7', 'n6', 'n1', 'n3', 'n5', 'n0', 'n4']);
    expect(await names('tags=heat&sort=hot')).toEqual(['n2', 'n7', 'n6', 'n3', 'n1', 'n5', 'n4', 'n0']);
    const all = await names('tags=heat&sort=trending');
    const read: string[] = [];
    const { now } = Date;
    try {
      for (let page = 0; page < 4; page++) {
        read.push(...(await names(`tags=heat&sort=trending&size=2&page=${page}`)));
        Date.now = () => now() + (page + 1) * 60_000;
      }
    } finally {
      Date.now = now;
    }
    expect(read).toEqual(all);
  });

  it('say with include=recent about how many downloads there were, and filter by it', async () => {
    const items = [120, 11.6, 3, 0.6, 0.2].map((recent) => ({ name: `about ${recent}`, tags: ['lately'], heatWeek: weekOf(recent) }));
    const ids = await storeContent(service.database, [...items, { name: 'never', tags: ['lately'] }]);
    await service.indexed();
    const list = (await service.client.get('/api/content?tags=lately&sort=trending&include=recent')).body as ContentPage;
    expect(list.content.map(({ recent }) => recent)).toEqual([120, 12, 3, 1, 0, 0]);
    for (const [least, found] of [
      [0, 6],
      [1, 4],
      [3, 3],
      [4, 2],
      [12, 2],
      [13, 1],
      [121, 0],
      [Number.MAX_SAFE_INTEGER, 0],
    ] as const)
      // prettier-ignore
      expect([least, (await names(`tags=lately&minRecent=${least}`)).length]).toEqual([least, found]);
    expect((await service.client.get('/api/content/facets?tags=lately&minRecent=3')).body.totalElements).toBe(3);
    const [id = NaN] = ids;
    const item = await service.client.get(`/api/content/${id}?include=recent`);
    expect(item.body).toMatchObject({ recent: 120 });
    const tag = { 'If-None-Match': item.headers.get('etag') ?? '' };
    expect((await service.client.send('GET', `/api/content/${id}?include=recent`, undefined, 1, tag)).status).toBe(200);
    expect((await service.client.send('GET', `/api/content/${id}`, undefined, 1, tag)).status).toBe(304);
    expect((await service.client.get(`/api/content/${id}`)).body).not.toHaveProperty('recent');
    for (const query of ['minRecent=-1', 'minRecent=1.5', 'minRecent=many'])
      expect((await service.client.get(`/api/content?${query}`)).status).toBe(400);
  });

  it('have the same order after a rebuild', async () => {
    await service.indexed();
    const before = await Promise.all(['trending', 'hot', 'best'].map((sort) => names(`sort=${sort}&size=100`)));
    expect(await indexCommand(service.env, 'index-rebuild')).toMatchObject({ code: 0 });
    expect(await Promise.all(['trending', 'hot', 'best'].map((sort) => names(`sort=${sort}&size=100`)))).toEqual(before);
  });
});

async function namesOf({ client }: Pick<Service, 'client'>, query: string): Promise<string[]> {
  const { status, body, text } = await client.get(`/api/content?${query}`);
  if (status !== 200) throw new Error(text);
  return (body as ContentPage).content.map(({ name }) => name);
}

describe('an export', () => {
  const service = forAllTests(() => startService());

  it('has what is popular, which an import takes for new items, so that a move makes no download one by users', async () => {
    const { importOf } = await createImports();
    const moved = await service.client.upload({ name: 'moved', tags: ['moved'] }, ada);
    for (const user of [ada, ada, boris]) await service.client.send('POST', `/api/content/${moved}/downloads`, undefined, user);
    await storeContent(service.database, [{ name: 'as before', downloads: 7, latestDownloads: 3 }]);
    const items = async (env: Environment) => itemsOf(await apiCommand(env, 'export'));
    const exported = await items(service.env);
    const { heatDay: day, heatWeek: week } = await read(service, moved);
    expect(exported).toMatchObject([
      { name: 'moved', downloadsCount: 3, userDownloads: 1, heat: { day, week } },
      { name: 'as before', downloadsCount: 7, latestDownloadsCount: 3 },
    ]);
    for (const field of ['userDownloads', 'latestUserDownloads', 'heat']) expect(exported[1]).not.toHaveProperty(field);
    const other = await createEnvironment();
    // The databases of the tests have one identity: their own ids would be those of items that are gone.
    const lines = exported.map((line, n) => ({ ...line, externalId: `moved/${n}` }));
    const imported = await importOf(other, lines);
    expect(imported.json).toEqual([{ ...NONE, created: 2 }]);
    const popularity = (of: Record<string, unknown>[]) =>
      of.map(({ name, downloadsCount, userDownloads, latestUserDownloads, heat }) => ({ name, downloadsCount, userDownloads, latestUserDownloads, heat })); // prettier-ignore
    expect(popularity(await items(other))).toEqual(popularity(exported));
    // What has happened since is no news of the line. A hotter line is, and is not taken.
    const line: Record<string, unknown> = { ...lines[0] };
    const hotter = { ...line, description: 'hotter', heat: { day, week: (week ?? 0) + 1 } };
    expect((await importOf(other, [hotter])).json).toEqual([{ ...NONE, changed: 1, ignoredFields: { heat: 1 } }]);
    const colder = { ...line, description: 'colder', heat: { day, week: (week ?? 0) - 1 }, userDownloads: 2 };
    expect((await importOf(other, [colder])).json).toEqual([{ ...NONE, changed: 1, ignoredFields: { userDownloads: 1 } }]);
    expect((await importOf(other, [colder], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1 }]);
    expect((await items(other))[0]).toMatchObject({ downloadsCount: 3, userDownloads: 2, latestUserDownloads: 1 });
    // Downloads of a file that does not tell them apart: as many as before are not by users.
    const { userDownloads: _, latestUserDownloads: __, heat: ___, ...plain } = line;
    expect((await importOf(other, [{ ...plain, downloadsCount: 10, latestDownloadsCount: 10 }], '--update', 'counters')).json).toEqual([{ ...NONE, changed: 1 }]); // prettier-ignore
    expect((await items(other))[0]).toMatchObject({ downloadsCount: 10, userDownloads: 9, latestUserDownloads: 8 });
  });
});

describe('with DOWNLOADS_COUNT=users', () => {
  const service = forAllTests(() => startService({ DOWNLOADS_COUNT: 'users' }));
  const names = (query: string): Promise<string[]> => namesOf(service, query);

  it('the downloads by users are those that clients read, sort by, filter by and count', async () => {
    const [loud = NaN, quiet = NaN] = await storeContent(service.database, [
      { name: 'loud', creatorId: ada, downloads: 5, latestDownloads: 2 },
      { name: 'quiet', creatorId: ada, downloads: 7, latestDownloads: 2 },
    ]);
    for (let n = 0; n < 20; n++) await service.client.send('POST', `/api/content/${loud}/downloads`, undefined, n < 10 ? ada : boris);
    await service.indexed();
    const counts = { downloadsCount: 6, latestDownloadsCount: 3 };
    expect((await service.client.get(`/api/content/${loud}`)).body).toMatchObject(counts);
    const listed = (await service.client.get('/api/content?sort=downloadsCount,desc')).body as ContentPage;
    expect(listed.content).toMatchObject([
      { name: 'quiet', downloadsCount: 7, latestDownloadsCount: 2 },
      { name: 'loud', ...counts },
    ]);
    expect(await names('sort=latestDownloadsCount,desc')).toEqual(['loud', 'quiet']);
    expect(await names('minDownloads=7')).toEqual(['quiet']);
    expect(await names('maxDownloads=6')).toEqual(['loud']);
    const { facets } = (await service.client.get('/api/content/facets')).body;
    expect(facets.downloads.values).toEqual([{ min: 1, max: 9, count: 2 }]);
    const edited = await service.client.send('PATCH', `/api/content/${loud}`, { name: 'louder' }, ada);
    expect(edited.body).toMatchObject(counts);
    expect((await service.client.send('PATCH', `/api/content/${loud}`, { version: 9 }, ada)).body).toMatchObject({ downloadsCount: 6, latestDownloadsCount: 0 }); // prettier-ignore
    const moderator = { sub: String(ada), scope: 'content:moderate' };
    await service.client.send('PUT', `/api/content/${loud}/hidden`, { reason: 'x' }, moderator);
    expect((await service.client.send('GET', '/api/content/hidden', undefined, moderator)).body.content).toMatchObject([
      { downloadsCount: 6 },
    ]);
    expect((await service.client.send('GET', `/api/content/${loud}`, undefined, moderator)).body).toMatchObject({ downloadsCount: 6 });
    expect(quiet).not.toBe(loud);
  });
});

describe('an index of an earlier release', () => {
  it.each(rows(1, ['users', 'all']))('orders by all downloads until it is rebuilt, with DOWNLOADS_COUNT=%s', async (DOWNLOADS_COUNT) => {
    const env = await createEnvironment({ DOWNLOADS_COUNT });
    const { close, ...stores } = openStores(env);
    await storeContent(stores.database, [
      { name: 'harbour wall', downloads: 50, heatWeek: 1 },
      { name: 'harbour light', downloads: 80, heatWeek: 2 },
    ]);
    await stores.database.query(`update content set other_downloads = 79 where name = 'harbour light'`);
    await createOlderIndex(stores);
    await close();
    const service = await startService(env);
    try {
      const names = (query: string): Promise<string[]> => namesOf(service, query);
      const all = ['harbour light', 'harbour wall'];
      for (const sort of ['best', 'downloadsCount,desc']) expect(await names(`sort=${sort}`)).toEqual(all);
      expect(await names('minDownloads=60')).toEqual(['harbour light']);
      const suggested = async () =>
        (await service.client.get('/api/content/suggest?prompt=harb')).body.completions.map(({ text }: { text: string }) => text);
      expect(await suggested()).toEqual(all);
      const list = (await service.client.get('/api/content')).body as ContentPage;
      expect(new Set(list.content.map(({ downloadsCount }) => downloadsCount))).toEqual(new Set([50, 80]));
      for (const [query, parameter] of [
        ['sort=trending', 'sort'],
        ['sort=hot,asc', 'sort'],
        ['minRecent=1', 'minRecent'],
        ['include=recent', 'include'],
      ] as const) {
        // prettier-ignore
        const refused = await service.client.get(`/api/content?${query}`);
        expectProblem(refused, 503, 'rebuild-due');
        expect(refused.body.errors).toMatchObject([{ parameter }]);
      }
      expect((await service.client.get('/api/content/1?include=recent')).body).toHaveProperty('recent');
      expect((await service.client.get('/api/content/1/similar?include=recent')).status).toBe(503);
      expect(await indexCommand(env, 'index-rebuild')).toMatchObject({ code: 0 });
      await until(
        'lists are answered by the new index',
        async () => (await service.client.get('/api/content?sort=trending')).status === 200,
      );
      expect(await names('sort=trending')).toEqual(all);
      for (const sort of ['best', ...(DOWNLOADS_COUNT === 'users' ? ['downloadsCount,desc'] : [])]) expect(await names(`sort=${sort}`)).toEqual(all.toReversed()); // prettier-ignore
      expect(await suggested()).toEqual(all.toReversed());
    } finally {
      await service.stop();
    }
  });
});
