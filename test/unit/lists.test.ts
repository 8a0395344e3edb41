import { NO_FIELDS } from '@ugc/fields/definition';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLE_ITEM } from '@ugc/api/endpoints/items';
import type { ApiEnv } from '@ugc/api/env';
import { badRequest, Problem } from '@ugc/items/problems/problem';
import { Caller } from '@ugc/api/limits/caller';
import type { StoreAnswers } from '@ugc/api/limits/store-answers';
import { createTraffic, SMALL_RESPONSE_BYTES, type Traffic } from '@ugc/api/limits/traffic';
import { listWithheld } from '@ugc/api/search/list-withheld';
import { listContent } from '@ugc/api/search/list';
import { toPage } from '@ugc/api/search/page';
import { createKnownLists } from '@ugc/api/search/pages/read-page';
import type { ListParameters } from '@ugc/api/search/parameters';
import { createPromptMemory } from '@ugc/api/search/prompt/prompt-memory';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import { SearchFailed } from '@ugc/api/search/response';
import { Session } from '@ugc/api/search/session';
import { SharedLists } from '@ugc/api/search/shared-lists';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { DatabaseUnavailable } from '@ugc/shared/postgres/errors';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { until } from '../support/jest/until.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { callerWithoutLimits } from '../support/search/searching.ts';
import { startHttpServer, type HttpServer } from '../support/servers/http-server.ts';
import { newestIndex } from '../support/search/newest-index.ts';

type Input = [number: number, size: number, total: number, found: number];
type Envelope = { totalPages: number; offset: number; first: boolean; last: boolean; empty: boolean };

const SORTED = { empty: false, sorted: true, unsorted: false };

const items = (count: number) => Array.from({ length: count }, (_, position) => ({ ...EXAMPLE_ITEM, contentId: position + 1 }));

describe('toPage', () => {
  // The expected values are the responses of a Spring Data service to the same parameters.
  it.each<[...Input, Envelope]>([
    [0, 2, 53, 2, { totalPages: 27, offset: 0, first: true, last: false, empty: false }],
    [2, 20, 53, 13, { totalPages: 3, offset: 40, first: false, last: true, empty: false }],
    [3, 20, 53, 0, { totalPages: 3, offset: 60, first: false, last: true, empty: true }],
    [99, 20, 53, 0, { totalPages: 3, offset: 1_980, first: false, last: true, empty: true }],
    [0, 20, 0, 0, { totalPages: 0, offset: 0, first: true, last: true, empty: true }],
    [5, 20, 0, 0, { totalPages: 0, offset: 100, first: false, last: true, empty: true }],
    [0, 20, 3, 3, { totalPages: 1, offset: 0, first: true, last: true, empty: false }],
    [1, 2, 3, 1, { totalPages: 2, offset: 2, first: false, last: true, empty: false }],
    [1, 1, 3, 1, { totalPages: 3, offset: 1, first: false, last: false, empty: false }],
    [2_147_483_646, 20, 3, 0, { totalPages: 1, offset: 42_949_672_920, first: false, last: true, empty: true }],
    [0, 20, 45, 0, { totalPages: 3, offset: 0, first: true, last: false, empty: true }],
  ])('returns the fields of a Spring Data page for page %i of size %i of %i items', (...input) => expectEnvelope(...input));

  // Spring's own arithmetic overflows here.
  it('computes the offset of the maximum page number without overflow', () =>
    expectEnvelope(2_147_483_647, 20, 3, 0, { totalPages: 1, offset: 42_949_672_940, first: false, last: true, empty: true }));

  it.each([1, 7, 10, 53, 200])('marks only the last page as the last one with pages of %i items', (size) => {
    const total = 53;
    const pages = Math.ceil(total / size);
    for (let number = 0; number < pages; number += 1) {
      const content = items(Math.min(size, total - number * size));
      expect(toPage(content, { number, size, total })).toMatchObject({ last: number === pages - 1, totalPages: pages, empty: false });
    }
  });
});

function expectEnvelope(...[number, size, total, found, { offset, ...rest }]: [...Input, Envelope]): void {
  const content = items(found);
  const page = toPage(content, { number, size, total });
  expect(page).toEqual({
    content,
    pageable: { pageNumber: number, pageSize: size, sort: SORTED, offset, paged: true, unpaged: false },
    ...rest,
    totalElements: total,
    size,
    number,
    sort: SORTED,
    numberOfElements: found,
  });
  expect(JSON.parse(JSON.stringify(page))).toEqual(page);
}

const ALICE = 1;
const BORIS = 2;
const NEVER = new AbortController().signal;
/** Larger than what is rendered in the main thread, and than what is received without a turn. */
const LARGE_BYTES = 300 * 1_024;

/** Responds to lookups of words: there is no word, but a proposal for each. */
function respondToLookups(lines: string[]): string {
  const searches = lines.filter((line) => line.includes('"query"')).map((line) => JSON.parse(line));
  const responses = searches.map(({ suggest }) => ({
    ...COMPLETE,
    hits: { total: { value: 0, relation: 'eq' }, hits: [] },
    ...(suggest && { suggest: { proposals: [{ text: suggest.proposals.text, options: [{ text: 'lighthouse', freq: 1 }] }] } }),
    aggregations: {},
    status: 200,
  }));
  return JSON.stringify({ took: 1, responses });
}

const COMPLETE = { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0, skipped: 0 } };

/** Responds like Elasticsearch: with one item, which is large if ten are asked for, or with none. */
function respond(size: number): string {
  const createdAt = '2026-11-25T00:00:00.000Z';
  const _source = { contentId: 1, data: size === 10 ? 'x'.repeat(LARGE_BYTES) : '', tags: [], createdAt, updatedAt: createdAt };
  const found = size === 0 ? [] : [{ _id: '1', _source }];
  const hits = { total: { value: found.length, relation: 'eq' }, hits: found };
  return JSON.stringify({ ...COMPLETE, hits });
}

describe('a list beside those of other users', () => {
  let server: HttpServer;
  let elasticsearch: Elasticsearch;
  let env: ApiEnv;
  let onSearch = (): void => undefined;
  let isEmpty = false;
  const traffics: Traffic[] = [];
  const trafficOf = (): Traffic => {
    traffics.push(createTraffic(env));
    return traffics.at(-1)!;
  };
  beforeAll(async () => {
    env = { ...defaultEnv(), LIST_TIMEOUT_MS: 1_500 };
    server = await startHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' });
        if (request.url?.includes('_msearch')) return response.end(respondToLookups(body.split('\n')));
        onSearch();
        return response.end(respond(isEmpty ? 0 : (JSON.parse(body) as { size: number }).size));
      });
    });
    elasticsearch = connectElasticsearch(server.url, 30_000);
  });
  afterAll(async () => {
    for (const { threads, longThread } of traffics) for (const each of [threads, longThread]) await each.close();
    await elasticsearch.close();
    await server.stop();
  });

  type Reading = {
    disconnected?: AbortSignal;
    page?: number;
    prompt?: string;
    memory?: ReturnType<typeof createPromptMemory>;
    data?: string;
  };
  /** @param data of the item in PostgreSQL; undefined if the index has it */
  function read(traffic: Traffic, userId: number, size: number, reading: Reading = {}) {
    const { disconnected = NEVER, page = 0, prompt = '', memory = createPromptMemory(), data } = reading;
    const index = { ...newestIndex('content-v5'), hasData: data === undefined };
    const searchedIndex = { find: async () => index, forget: () => undefined } as never;
    const deps = {
      elasticsearch,
      alias: 'content',
      limits: env,
      searchedIndex,
      database: { query: async () => [{ contentId: 1, bytes: data?.length, data }] } as never,
      ...memory,
      knownLists: createKnownLists(),
      synonyms: new Synonyms([]),
    };
    const parameters = {
      prompt,
      match: 'any',
      correct: 'true',
      page,
      size,
      sort: [{ field: 'contentId', direction: 'asc' }],
      include: [],
    } as unknown as ListParameters;
    const caller = new Caller(traffic, userId, disconnected);
    return listContent(deps, parameters, caller).finally(() => caller.release());
  }
  /** A page with one hidden item. */
  function readHidden(traffic: Traffic, { data, description }: { data: string; description: string }) {
    const at = new Date('2026-11-25');
    const row = { contentId: 1, description, tags: [], createdAt: at, updatedAt: at, hiddenAt: at, reason: 'a reason' };
    const responses = [[{ count: 1 }], [{ contentId: 1, bytes: description.length }], [row]];
    const query = async (statement: unknown) => {
      // Data that is read together with the other texts is decoded and encoded on the event loop.
      expect(statement).not.toEqual(expect.stringContaining('c.data'));
      return responses.shift() ?? [{ contentId: 1, bytes: data.length, data }];
    };
    const caller = new Caller(traffic, ALICE, NEVER);
    const deps = { database: { query } as never, limits: env };
    return listWithheld(deps, { ...HIDDEN, size: 10, creatorId: ALICE }, caller).finally(() => caller.release());
  }
  const askOnce = async (store: StoreAnswers): Promise<void> => store.to(() => setImmediate());
  async function askAllTheTime(store: StoreAnswers, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await store.to(() => delay(5));
  }
  const expectNothingHeld = ({ lists, searches, threads, unread }: Traffic): void =>
    expect([lists.used, searches.used, threads.used, unread.bytes.used]).toEqual([0, 0, 0, 0]);

  it('waits for a thread only if it is large, with its response counted as unread before it is made', async () => {
    const traffic = trafficOf();
    const threads = [traffic.threads.take(ALICE, 1), traffic.threads.take(BORIS, 1)];
    const large = read(traffic, ALICE, 10);
    await until('it waits for a thread', () => traffic.threads.waitingOf(ALICE) === 1);
    expect(traffic.unread.bytes.usedBy(ALICE)).toBeGreaterThan(LARGE_BYTES);
    expect(traffic.lists.usedBy(ALICE)).toBeLessThan(2 * LARGE_BYTES);
    expect(JSON.parse((await read(traffic, ALICE, 1)).body.toString()).numberOfElements).toBe(1);
    for (const thread of threads) thread.release();
    expect(JSON.parse((await large).body.toString()).content[0].data.length).toBe(LARGE_BYTES);
    expectNothingHeld(traffic);
  });

  it('waits for a thread also if it is large because of what PostgreSQL has of its items', async () => {
    const traffic = trafficOf();
    const thread = traffic.threads.take(ALICE, 1);
    const large = read(traffic, ALICE, 1, { data: 'x'.repeat(LARGE_BYTES) });
    await Promise.race([large, until('it waits for a thread', () => traffic.threads.waitingOf(ALICE) === 1)]);
    expect(traffic.threads.waitingOf(ALICE)).toBe(1);
    thread.release();
    expect(JSON.parse((await large).body.toString()).content[0].data.length).toBe(LARGE_BYTES);
    expectNothingHeld(traffic);
  });

  it.each([
    ['the data', { data: 'x'.repeat(LARGE_BYTES), description: '' }],
    ['the descriptions', { data: '', description: 'x'.repeat(LARGE_BYTES) }],
  ])('of hidden items waits for a thread if %s are large, with its response counted as unread before it is made', async (_, texts) => {
    const traffic = trafficOf();
    const thread = traffic.threads.take(ALICE, 1);
    const large = readHidden(traffic, texts);
    await Promise.race([large, until('it waits for a thread', () => traffic.threads.waitingOf(ALICE) === 1)]);
    expect(traffic.threads.waitingOf(ALICE)).toBe(1);
    expect(traffic.unread.bytes.usedBy(ALICE)).toBeGreaterThan(LARGE_BYTES);
    thread.release();
    expect(JSON.parse((await large).toString())).toMatchObject({
      content: [{ ...texts, hidden: { since: '2026-11-25T00:00:00.000+00:00', reason: 'a reason' } }],
      totalElements: 1,
    });
    expectNothingHeld(traffic);
  });

  it('leaves the line for a thread when its client leaves', async () => {
    const traffic = trafficOf();
    const thread = traffic.threads.take(ALICE, 1);
    const leaving = new AbortController();
    const left = read(traffic, ALICE, 10, { disconnected: leaving.signal });
    await until('it waits for a thread', () => traffic.threads.waitingOf(ALICE) === 1);
    leaving.abort(new Error('the client left'));
    await expect(left).rejects.toThrow('the client left');
    expect(traffic.threads.waitingOf(ALICE)).toBe(0);
    thread.release();
    expectNothingHeld(traffic);
  });

  it('is 429 if its turn does not come before its deadline, whatever it waits for', async () => {
    const full = (shares: Traffic['lists'] | Traffic['searches']) => shares.record(BORIS, shares.limits.process);
    const all = [trafficOf(), trafficOf(), trafficOf()];
    const [threads, lists, searches] = all;
    full(threads!.threads);
    full(lists!.lists);
    full(searches!.searches);
    const ending = new AbortController();
    for (const { answers } of all) void askAllTheTime(answers.elasticsearch, ending.signal);
    for (const outcome of await Promise.allSettled(all.map((traffic) => read(traffic, ALICE, 10))))
      expect(outcome).toMatchObject({ reason: { name: 'Problem', status: 429 } });
    ending.abort();
  });

  it.each(['elasticsearch', 'postgres'] as const)(
    'fails, and is no 429, if %s answered nobody for a while of its wait for others, whatever it answered before and after',
    async (store) => {
      const [lists, searches, deep, threads] = [trafficOf(), trafficOf(), trafficOf(), trafficOf()];
      lists.lists.record(BORIS, lists.lists.limits.process);
      searches.searches.record(ALICE, searches.searches.limits.user);
      deep.deepPages.record(BORIS, deep.deepPages.limits.process);
      threads.threads.record(BORIS, threads.threads.limits.process);
      const all = [lists, searches, deep, threads];
      const [ending, answer] = [new AbortController(), Promise.withResolvers<void>()];
      for (const { answers } of all) await askOnce(answers[store]);
      const reading = all.map((traffic) => read(traffic, ALICE, 10, { page: traffic === deep ? 200 : 0 }));
      for (const { answers } of all) void answers[store].to(() => answer.promise);
      await until('they are silent', () => all.every(({ answers }) => answers[store].isSilent));
      answer.resolve();
      for (const { answers } of all) void askAllTheTime(answers[store], ending.signal);
      const outcomes = await Promise.allSettled(reading);
      ending.abort();
      const failed = { reason: { name: 'SearchFailed' } };
      // No store is asked for while a thread is held.
      expect(outcomes).toMatchObject([failed, failed, failed, { reason: { status: 429 } }]);
    },
  );

  it('that could only wait learns at its deadline whether a store that was asked a moment before answers', async () => {
    const { answers } = trafficOf();
    await askOnce(answers.elasticsearch);
    const beganAtMs = performance.now();
    expect(await answers.wereSilentSince(beganAtMs)).toBe(false);
    const answer = Promise.withResolvers<void>();
    void answers.elasticsearch.to(() => answer.promise);
    expect(await answers.wereSilentSince(beganAtMs)).toBe(true);
    answer.resolve();
  });

  it('is received without a turn if it is small, while large ones hold all that they may', async () => {
    const traffic = trafficOf();
    const { process, small } = traffic.lists.limits;
    const large = traffic.lists.record(BORIS, process - (small?.keptOfProcess ?? 0));
    const waiting = read(traffic, ALICE, 10);
    await until('a large one waits', () => traffic.lists.waitingOf(ALICE) === 1);
    await read(traffic, ALICE, 1);
    large.release();
    await waiting;
    expectNothingHeld(traffic);
  });

  it('gives the memory of an empty page back before it searches again', async () => {
    const traffic = trafficOf();
    const used: number[] = [];
    const memory = createPromptMemory();
    // It is remembered, but does not occur any more.
    memory.knownWords.set('content-v5 lighthouse', { occurs: true, ways: [], forms: [], proposals: [] });
    onSearch = () => void used.push(traffic.lists.usedBy(ALICE));
    isEmpty = true;
    await read(traffic, ALICE, 10, { prompt: 'lighthouse', memory });
    expect(used).toEqual([expect.any(Number), SMALL_RESPONSE_BYTES]);
    expectNothingHeld(traffic);
  });
});

describe('shared lists', () => {
  const list = (parameters: Partial<ListParameters> = {}) =>
    ({ prompt: '', page: 0, size: 10, include: [], ...parameters }) as unknown as ListParameters;
  const NEVER = new AbortController().signal;

  /** Counts the searches. Each result is the number of its search; the first ones fail with the given errors. */
  function countedReads(...failures: Error[]) {
    const lists = new SharedLists<number>();
    let searches = 0;
    const search = async (): Promise<number> => {
      const failure = failures[searches++];
      return failure ? Promise.reject(failure) : Promise.resolve(searches);
    };
    return { read: (parameters = list()) => lists.read(parameters, { search, disconnected: NEVER }), searches: () => searches };
  }

  /** Searches that end on demand. */
  function heldReads() {
    const lists = new SharedLists<string>();
    const begun: { end: (result: string) => void; fail: (error: Error) => void; abandoned: AbortSignal }[] = [];
    const search = (abandoned: AbortSignal): Promise<string> => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      begun.push({ end: resolve, fail: reject, abandoned });
      return promise;
    };
    const read = async (disconnected = NEVER): Promise<string> => lists.read(list(), { search, disconnected });
    return { begun, read };
  }

  describe('equal lists without a prompt', () => {
    it('share a search when they arrive together', async () => {
      const { read, searches } = countedReads();
      expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
      expect(searches()).toBe(1);
    });

    it('do not share a search that began before one of them arrived: of those that arrive later, one waits for its end', async () => {
      const { begun, read } = heldReads();
      const first = read();
      await setImmediate();
      const later = [read(), read()];
      await setImmediate();
      later.push(read());
      expect(begun.length).toBe(1);
      begun[0]?.end('first');
      expect(await first).toBe('first');
      await setImmediate();
      expect(begun.length).toBe(2);
      const last = read();
      begun[1]?.end('second');
      expect(await Promise.all(later)).toEqual(['second', 'second', 'second']);
      await setImmediate();
      begun[2]?.end('third');
      expect([await last, begun.length]).toEqual(['third', 3]);
    });

    it('end for one client that leaves, and for the others when they are read', async () => {
      const { begun, read } = heldReads();
      const leaving = new AbortController();
      const [left, stays] = [read(leaving.signal), read()];
      await setImmediate();
      leaving.abort(new Error('the client closed the connection'));
      await expect(left).rejects.toThrow('closed the connection');
      expect(begun[0]?.abandoned.aborted).toBe(false);
      begun[0]?.end('read');
      expect(await stays).toBe('read');
    });

    it('are cancelled when all clients have left, and not begun if they still wait', async () => {
      const { begun, read } = heldReads();
      const leaving = new AbortController();
      const left = [read(leaving.signal)];
      await setImmediate();
      left.push(read(leaving.signal), read(leaving.signal));
      leaving.abort(new Error('the client closed the connection'));
      for (const each of left) await expect(each).rejects.toThrow('closed the connection');
      expect(begun[0]?.abandoned.aborted).toBe(true);
      begun[0]?.fail(new Error('cancelled'));
      await setImmediate();
      await setImmediate();
      expect(begun.length).toBe(1);
      const next = read();
      await setImmediate();
      begun[1]?.end('read');
      expect(await next).toBe('read');
    });

    it.each([new SearchFailed('unavailable', { cause: new Error('no connection') }), new DatabaseUnavailable('unavailable')])(
      'that wait fail with the outage of the one that is read: %s',
      async (outage) => {
        const { begun, read } = heldReads();
        const first = read();
        await setImmediate();
        const waiting = read();
        begun[0]?.fail(outage);
        await expect(first).rejects.toThrow('unavailable');
        await expect(waiting).rejects.toThrow('unavailable');
        const next = read();
        await setImmediate();
        begun[1]?.end('read');
        expect([await next, begun.length]).toEqual(['read', 2]);
      },
    );

    it('that wait are read when the one before them has only taken too long', async () => {
      const { begun, read } = heldReads();
      const first = read();
      await setImmediate();
      const waiting = read();
      begun[0]?.fail(new SearchFailed('the search timed out'));
      await expect(first).rejects.toThrow('timed out');
      await setImmediate();
      begun[1]?.end('read');
      expect(await waiting).toBe('read');
    });

    it('share the next search if a limit of the client that the search runs for is reached', async () => {
      const error = new Problem(429, 'too-much-at-once', 'too many bytes');
      const { read, searches } = countedReads(error);
      const [first, ...others] = await Promise.allSettled([read(), read(), read()]);
      expect(first).toMatchObject({ reason: error });
      expect(others).toEqual([
        { status: 'fulfilled', value: 2 },
        { status: 'fulfilled', value: 2 },
      ]);
      expect(searches()).toBe(2);
    });

    it.each([
      ['Elasticsearch is unavailable', new SearchFailed('unavailable', { cause: new Error('no connection') })],
      ['the search takes too long', new SearchFailed('the search timed out')],
      ['PostgreSQL is unavailable', new DatabaseUnavailable('unavailable')],
      ['the page is too large', badRequest('page-too-large', 'The page is too large.', [])],
    ])('fail after one search if %s', async (_, error) => {
      const { read, searches } = countedReads(error);
      for (const outcome of await Promise.allSettled([read(), read()])) expect(outcome).toMatchObject({ reason: error });
      expect(searches()).toBe(1);
    });
  });

  describe('lists that arrive together', () => {
    it('do not share a search if any of their parameters differs', async () => {
      const { read } = countedReads();
      const others: Partial<ListParameters>[] = [
        { page: 1 },
        { size: 20 },
        { include: ['tags'] },
        { creatorId: [1] },
        { creatorId: [2] },
        { tags: ['a'] },
        { anyTags: ['a'] },
        { minRating: 4 },
        { explain: 'true' },
        { highlight: 'true' },
        { sort: [{ field: 'name', direction: 'asc' }] },
      ];
      const results = await Promise.all([read(), ...others.map((parameters) => read(list(parameters)))]);
      expect(new Set(results).size).toBe(others.length + 1);
    });

    it('do not share a search if they have a prompt', async () => {
      const { read, searches } = countedReads();
      const withPrompt = list({ prompt: 'pixel' });
      await Promise.all([read(withPrompt), read(withPrompt)]);
      expect(searches()).toBe(2);
    });
  });
});

const HIDDEN = { kind: 'moderation', order: 'newest', page: 0, include: [] as [], declared: NO_FIELDS } as const;

it('a list of hidden items that takes too long ends as other lists do', async () => {
  const database = { query: () => delay(20).then(() => []) } as never;
  const deps = { database, limits: { LIST_TIMEOUT_MS: 1, PAGE_MAX_BYTES: 1_000 } };
  const listed = listWithheld(deps, { ...HIDDEN, size: 1, creatorId: undefined }, callerWithoutLimits());
  await expect(listed).rejects.toThrow(SearchFailed);
});

it('a search whose response does not end before the deadline has a cause, so that waiting lists are told of the outage', async () => {
  // Elasticsearch behind a network that is lost while it responds.
  const server = await startHttpServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' }).write('{"took":1,');
  });
  const elasticsearch = connectElasticsearch(server.url, 30_000);
  const deadline = new AbortController();
  // The first bytes have arrived.
  const reach = async () => deadline.abort(new SearchFailed('the list timed out'));
  const caller = Object.assign(callerWithoutLimits(), { reserveResponse: async () => ({ reach, end: () => undefined }) });
  const index = newestIndex();
  const source = { elasticsearch, alias: 'content', limits: { PAGE_MAX_BYTES: 1_000, LIST_TIMEOUT_MS: 3_000 } };
  const error: unknown = await new Session(source, caller, { index, signal: deadline.signal })
    .search({})
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SearchFailed);
  expect((error as SearchFailed).cause).toBeDefined();
  await elasticsearch.close();
  await server.stop();
});
