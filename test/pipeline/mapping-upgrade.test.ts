import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAPPING_VERSION } from '@ugc/shared/contracts/content-index';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Client } from '../support/http/client.ts';
import { failureOf, indexCommand, type Result } from '../support/processes/command.ts';
import { createEnvironment, type Environment } from '../support/processes/environment.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, removeOtherIndices, rollBack } from '../support/indices/index-lock.ts';
import { createOlderIndex, OLDER_VERSION, UNKNOWN_VERSION } from '../support/indices/older-index.ts';
import { rows, runs } from '../support/jest/long.ts';
import { expectProblem } from '../support/http/problems.ts';
import { expectNothingLost } from '../support/cluster/oracle.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';
import { countOutbox } from '../support/database/outbox.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { until } from '../support/jest/until.ts';

/** Items that nobody changes. They have the lowest ids. */
const STEADY = 400;
const HOT = 10;
/** The number of requests of one user at a time. */
const VISITORS_MAX = 20;
const USERS = 2;
/** What each user does at least in each state of the index. */
const ROUNDS_PER_PHASE = runs(13, 20);
/** Without pauses, the traffic would take the processor time that the rebuild needs. */
const BETWEEN_ROUNDS_MS = 20;
/** A change that takes longer than a statement may. It is made or not. */
const BUSY = 503;

let service: Service;
let anotherApi: Awaited<ReturnType<typeof startAnotherApi>>;
let steady: number[];
let hot: number[];

async function start(): Promise<void> {
  const env = await createEnvironment();
  await leaveData(env);
  service = await startService(env);
  anotherApi = await startAnotherApi(env);
}

async function stop(): Promise<void> {
  await anotherApi.stop();
  await service.stop();
}

/** The data that an older release leaves behind when it is stopped. */
async function leaveData(env: Environment): Promise<void> {
  const { close, ...stores } = openStores(env);
  const items = Array.from({ length: STEADY }, (_, n) => ({
    name: `A quiet harbour ${n}`,
    description: 'boats at the pier',
    tags: ['steady'],
    ratings: [1 + (n % 5)],
  }));
  steady = await storeContent(stores.database, items);
  hot = await storeContent(
    stores.database,
    Array.from({ length: HOT }, () => ({ name: 'hot 0' })),
  );
  await createOlderIndex(stores);
  await close();
}

type List = (client: Client) => Promise<void>;

async function listOf(client: Client, parameters: Record<string, string | number>) {
  const { status, body, text } = await client.list(parameters);
  if (status !== 200) throw new Error(`the list ${JSON.stringify(parameters)} returned ${status}: ${text}`);
  return { total: body.totalElements, items: body.content, ids: body.content.map((item) => item.contentId) };
}

/** A list of steady items is exactly the same whatever happens. */
function steadyList(parameters: Record<string, string>): List {
  let page = 0;
  return async (client) => {
    page = (page + 3) % 10;
    const { total, ids } = await listOf(client, { sort: 'contentId,asc', size: 50, page, ...parameters });
    expect({ parameters, total, ids }).toEqual({ parameters, total: STEADY, ids: steady.slice(page * 50, (page + 1) * 50) });
  };
}

const STEADY_PARAMETERS: Record<string, string>[] = [
  { prompt: 'harbour' },
  { prompt: 'HARBOURS' },
  { prompt: 'harb' },
  { prompt: 'harbuor' },
  { prompt: '"quiet harbour" boat' },
  { prompt: 'harbour -lighthouse' },
  { prompt: 'quiet harbour', tags: 'steady', minRating: '1' },
  { tags: 'steady', creatorId: '1' },
  { anyTags: 'steady', excludeTags: 'visitor', excludeCreatorId: '2' },
  { prompt: 'harbour', maxDownloads: '0', createdFrom: '2026-01-01T00:00:00+00:00', createdTo: '2026-01-02' },
  { tags: 'steady', minDownloads: '0', updatedFrom: '2026-01-01', updatedTo: '2026-01-01T00:00:00.001Z' },
];

/** Items with lower ids than all others are first without a prompt, too. */
const listEverything: List = async (client) => {
  const { total, ids } = await listOf(client, { sort: 'contentId,asc', size: 200, page: 1 });
  expect(ids).toEqual(steady.slice(200, 400));
  expect(total).toBeGreaterThanOrEqual(STEADY + HOT);
  expect(total).toBeLessThanOrEqual(STEADY + HOT + 2 * USERS * VISITORS_MAX);
};

const listNothing: List = async (client) => {
  expect((await listOf(client, { prompt: 'xylophonist' })).total).toBe(0);
  const pastTheEnd = await listOf(client, { prompt: 'harbour', page: 1_000_000, size: 200 });
  expect(pastTheEnd).toMatchObject({ total: STEADY, items: [] });
};

/** Every list shows each hot item at the revision of the list before it, or a later one. */
function hotList(): List {
  const seen = new Map<number, number>();
  return async (client) => {
    const { total, items } = await listOf(client, { prompt: 'hot', size: 50 });
    expect(total).toBe(HOT);
    expect(items.map(({ contentId }) => contentId).toSorted((a, b) => a - b)).toEqual(hot);
    for (const { contentId, name } of items) {
      const edit = Number(name.split(' ')[1]);
      expect(edit).toBeGreaterThanOrEqual(seen.get(contentId) ?? 0);
      seen.set(contentId, edit);
    }
  };
}

/** A visitor that was listed once stays listed until it is deleted, and is never listed again once it was gone. */
function visitorList(deleting: Set<number>): List {
  const seen = new Set<number>();
  const gone = new Set<number>();
  return async (client) => {
    const { total, ids } = await listOf(client, { prompt: 'visitor', sort: 'contentId,desc', size: 200 });
    expect(new Set(ids).size).toBe(total);
    expect(ids.filter((id) => gone.has(id))).toEqual([]);
    const missing = [...seen].filter((id) => !ids.includes(id));
    expect(missing.filter((id) => !deleting.has(id))).toEqual([]);
    for (const id of missing) gone.add(id);
    for (const id of ids) seen.add(id);
    for (const id of gone) seen.delete(id);
  };
}

class Traffic {
  readonly #ended = new AbortController();
  readonly #deleting = new Set<number>();
  readonly #lists = Array.from({ length: USERS }, () => 0);
  readonly #done: Promise<unknown>;
  #writes = 0;
  /** So many changes were made for certain. */
  #made = 0;

  constructor(clients: Client[]) {
    const users = this.#lists.map((_, user) => this.#repeat(this.#use(clients, user)));
    // A failed expectation ends all traffic.
    this.#done = Promise.all(users).finally(() => this.#ended.abort());
    this.#done.catch(() => undefined);
  }

  async #repeat(action: () => Promise<void>): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await action();
      await delay(BETWEEN_ROUNDS_MS);
    }
  }

  #wasMade(status: number, ifMade: number): boolean {
    expect([ifMade, BUSY]).toContain(status);
    if (status === ifMade) this.#made += 1;
    return status === ifMade;
  }

  async #edit(client: Client): Promise<void> {
    this.#writes += 1;
    const { status } = await client.send('PATCH', `/api/content/${hot[this.#writes % HOT]}`, { name: `hot ${this.#writes}` });
    this.#wasMade(status, 200);
  }

  #exchangeVisitors(client: Client): () => Promise<void> {
    const visitors: number[] = [];
    return async () => {
      const { status, body } = await client.tryUpload({ name: `visitor ${visitors.length}`, tags: ['visitor'] });
      if (this.#wasMade(status, 201)) visitors.push(body.content_id);
      if (visitors.length < VISITORS_MAX) return;
      const [id = 0] = visitors.splice(0, 1);
      this.#deleting.add(id);
      this.#wasMade((await client.send('DELETE', `/api/content/${id}`)).status, 204);
    };
  }

  /** Each time writes two changes and takes three lists. */
  #use(clients: Client[], user: number): () => Promise<void> {
    const lists = [...STEADY_PARAMETERS.map(steadyList), listEverything, listNothing];
    const changing = [hotList(), visitorList(this.#deleting)];
    const exchangeVisitors = this.#exchangeVisitors(clients[0]!);
    return async () => {
      const count = (this.#lists[user] = (this.#lists[user] ?? 0) + 1);
      const client = clients[count % clients.length]!;
      await this.#edit(client);
      await exchangeVisitors();
      await lists[count % lists.length]!(client);
      for (const list of changing) await list(client);
    };
  }

  /** Waits until every user has taken some more lists. @throws the failed expectation of a list */
  async during(): Promise<void> {
    const before = [...this.#lists];
    const isListed = (): boolean => this.#lists.every((count, user) => count >= (before[user] ?? 0) + ROUNDS_PER_PHASE);
    await until('the lists are done', () => this.#ended.signal.aborted || isListed());
    if (this.#ended.signal.aborted) await this.#done;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#done;
    expect(this.#made).toBeGreaterThan(this.#writes);
  }
}

const command = (name: string, ...args: string[]): Promise<Result> => indexCommand(service.env, name, ...args);

async function searchedVersion(): Promise<unknown> {
  const indices = await service.elasticsearch.indices.get({ index: service.env['CONTENT_ALIAS'] ?? '' });
  return Object.values(indices).map(({ mappings }) => mappings?._meta?.['version'])[0];
}

describe('an index of an older mapping version', () => {
  beforeAll(start);
  afterAll(stop);

  it('is rebuilt, rolled back and rebuilt, and no list fails or is wrong meanwhile', async () => {
    const traffic = new Traffic([service.client, anotherApi.client]);
    await traffic.during();
    const again = [
      [rollBack, MAPPING_VERSION],
      [rollBack, OLDER_VERSION],
    ] as const;
    for (const [change, version] of [
      [rebuildIndex, MAPPING_VERSION],
      [rollBack, OLDER_VERSION],
      ...rows(0, again),
      [rebuildIndex, MAPPING_VERSION],
      [removeOtherIndices, MAPPING_VERSION],
    ] as const) {
      await change(indexDeps(service));
      expect(await searchedVersion()).toBe(version);
      await traffic.during();
    }
    await traffic.end();
    await expectNothingLost(service);
    expect(failureOf(await command('index-audit'))).toBe('');
  });
});

describe('the text rules of an index', () => {
  const STORED = ['OakenBridgeBuilder', 'Wintermantel mit Kapuze', 'Lamp'];
  const UPLOADED = 'CedarBridgePlans';

  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await storeContent(
      stores.database,
      STORED.map((name) => ({ name })),
    );
    await createOlderIndex(stores);
    await close();
    service = await startService(env);
    await service.client.upload({ name: UPLOADED });
    await service.indexed();
  });
  afterAll(() => service.stop());

  const found = async () => ({
    bridge: (await service.client.search('bridge')).toSorted(),
    coat: await service.client.search('mantel'),
    whole: await service.client.search('oakenbridgebuilder'),
  });
  const WHOLE = ['OakenBridgeBuilder'];
  const OLDER = { bridge: [], coat: [], whole: WHOLE };
  const NEWER = { bridge: [UPLOADED, 'OakenBridgeBuilder'], coat: ['Wintermantel mit Kapuze'], whole: WHOLE };

  it('are those of its mapping version, before and after a rebuild and a rollback', async () => {
    expect(await found()).toEqual(OLDER);
    await rebuildIndex(indexDeps(service));
    expect(await found()).toEqual(NEWER);
    await rollBack(indexDeps(service));
    expect(await found()).toEqual(OLDER);
  });

  it('hold for items that are uploaded while both are written', async () => {
    const id = await service.client.upload({ name: 'AspenBarrelMaker' });
    await service.indexed();
    expect(await service.client.search('barrel')).toEqual([]);
    await rollBack(indexDeps(service));
    expect(await service.client.search('barrel')).toEqual(['AspenBarrelMaker']);
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    expect(await found()).toEqual(NEWER);
  });
});

describe('an index of an older mapping version with items above the present limits', () => {
  const LIGATURE = 'ﷺ';
  const ABOVE = [
    { data: '\u0001'.repeat(262_144) },
    { name: LIGATURE.repeat(200) },
    { description: LIGATURE.repeat(10_000) },
    { tags: Array.from({ length: 20 }, (_, n) => `${n}${LIGATURE.repeat(62)}`) },
  ];
  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await storeContent(stores.database, [...ABOVE, ABOVE.reduce((all, item) => ({ ...all, ...item }), {})]);
    await createOlderIndex(stores);
    await close();
    service = await startService(env);
  });
  afterAll(() => service.stop());

  it('is rebuilt without a rejection, and lists show each item', async () => {
    await rebuildIndex(indexDeps(service));
    expect(await searchedVersion()).toBe(MAPPING_VERSION);
    expect(await countOutbox(service.database)).toBe(0);
    expect((await service.client.list({ fields: 'summary' })).body.totalElements).toBe(ABOVE.length + 1);
    expect(failureOf(await command('index-audit'))).toBe('');
  });
});

describe('an index that lacks fields of this release', () => {
  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await storeContent(stores.database, [{ name: 'kettle', ratings: [5] }, { name: 'teapot' }]);
    await createOlderIndex(stores, { lacking: ['avgRating', 'facets.stars', 'tags'] });
    await close();
    service = await startService(env);
  });
  afterAll(() => service.stop());

  const asked: [what: string, path: string, parameter: string][] = [
    ['a filter', '/api/content?minRating=1', 'minRating'],
    ['an exclusion', '/api/content?excludeTags=hot', 'excludeTags'],
    ['an order', '/api/content?sort=avgRating,desc', 'sort'],
    ['a filter of facets', '/api/content/facets?minRating=1', 'minRating'],
    ['a filter of similar items', '/api/content/1/similar?minRating=1', 'minRating'],
  ];

  it('refuses what it cannot answer with a kind of its own, which names the parameter and the command', async () => {
    for (const [what, path, parameter] of asked) {
      const response = await service.client.send('GET', path);
      const { errors, detail } = expectProblem(response, 503, 'rebuild-due');
      expect({ what, errors }).toMatchObject({ what, errors: [{ parameter }] });
      expect(detail).toContain('npx pnpm index:rebuild');
      expect(response.headers.get('retry-after')).toBe('60');
    }
  });

  it('answers everything else, and leaves out the facets that it cannot count', async () => {
    expect(await service.client.search('kettle')).toEqual(['kettle']);
    expect((await service.client.list({ sort: 'downloadsCount,desc', minDownloads: 0 })).body.totalElements).toBe(2);
    const { status, body } = await service.client.send('GET', '/api/content/facets');
    const { facets } = body as { facets: Record<string, unknown> };
    expect({ status, facets: Object.keys(facets).toSorted() }).toEqual({
      status: 200,
      facets: ['created', 'creators', 'downloads', 'tags'],
    });
  });

  it('counts these refusals apart from errors, so that no alert follows from them', async () => {
    const metrics = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    const refused = metrics
      .split('\n')
      .filter((line) => line.startsWith('ugc_http_request_duration_seconds_count{') && line.includes('status="503"'));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter((line) => !line.includes('kind="rebuild-due"'))).toEqual([]);
  });

  it('answers all of it after the rebuild', async () => {
    await rebuildIndex(indexDeps(service));
    for (const [what, path] of asked)
      expect({ what, status: (await service.client.send('GET', path)).status }).toEqual({ what, status: 200 });
  });
});

describe('an index of a mapping version that this code does not know', () => {
  it('is not searched, and the first indexer builds it anew', async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await storeContent(stores.database, [{ name: 'kettle' }]);
    await createOlderIndex(stores, { version: UNKNOWN_VERSION });
    await close();
    service = await startService(env);
    expect(await searchedVersion()).toBe(MAPPING_VERSION);
    expect(await service.client.search('kettle')).toEqual(['kettle']);
    await expectNothingLost(service);
    await service.stop();
  });
});

describe('index:status', () => {
  beforeAll(start);
  afterAll(stop);

  it('says that a rebuild is due, which versions were found and expected, and the command to run', async () => {
    await service.database.query(`update index_target set mapping_version = $1 where role = 'search'`, [OLDER_VERSION]);
    const { stdout } = await command('index-status');
    expect(stdout).toContain(`a rebuild is due: mapping ${OLDER_VERSION} is older than ${MAPPING_VERSION} of this code`);
    expect(stdout).toContain('npx pnpm index:rebuild');
    expect(await command('index-status', '--json')).toMatchObject({
      json: [{ rebuildDue: true, mappingVersion: MAPPING_VERSION, indices: [{ mappingVersion: OLDER_VERSION }] }],
    });
  });

  it('says that the indexers must be updated when the index is newer', async () => {
    await service.database.query(`update index_target set mapping_version = $1 where role = 'search'`, [MAPPING_VERSION + 1]);
    expect((await command('index-status')).stdout).toContain('update the indexers');
    expect(await command('index-status', '--json')).toMatchObject({ json: [{ rebuildDue: false }] });
  });

  it('says nothing of a rebuild when the index has the mapping of this code', async () => {
    await service.database.query(`update index_target set mapping_version = $1 where role = 'search'`, [MAPPING_VERSION]);
    expect((await command('index-status')).stdout).not.toContain('rebuild');
    expect(await command('index-status', '--json')).toMatchObject({ json: [{ rebuildDue: false }] });
  });
});
