import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiEnv } from '@ugc/api/env';
import { Caller } from '@ugc/api/limits/caller';
import { createTraffic, SMALL_RESPONSE_BYTES, type Traffic } from '@ugc/api/limits/traffic';
import { listContent } from '@ugc/api/search/list';
import { PageRenderer } from '@ugc/api/search/page-renderer';
import { createLongLists } from '@ugc/api/search/pages/read-page';
import type { ListParameters } from '@ugc/api/search/parameters';
import { Synonyms } from '@ugc/api/search/prompt/synonyms';
import { createKnownWords } from '@ugc/api/search/prompt/known-words';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultEnv } from '../support/processes/default-env.ts';
import { until } from '../support/jest/until.ts';

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
    ...(suggest && { suggest: { proposals: [{ text: suggest.text, options: [{ text: 'lighthouse' }] }] } }),
    aggregations: {},
    status: 200,
  }));
  return JSON.stringify({ took: 1, responses });
}

const COMPLETE = { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0, skipped: 0 } };

/** Responds like Elasticsearch: with one item, which is large if ten are asked for. */
function respond(size: number): string {
  const createdAt = '2026-11-25T00:00:00.000Z';
  const _source = { contentId: 1, data: size === 10 ? 'x'.repeat(LARGE_BYTES) : '', tags: [], createdAt, updatedAt: createdAt };
  const hits = { total: { value: 1, relation: 'eq' }, hits: [{ _id: '1', _source }] };
  return JSON.stringify({ ...COMPLETE, hits });
}

describe('a list beside those of other users', () => {
  let server: Server;
  let elasticsearch: Elasticsearch;
  let env: ApiEnv;
  let onSearch = (): void => undefined;
  const pages = new PageRenderer();
  beforeAll(async () => {
    env = defaultEnv();
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' });
        if (request.url?.includes('_msearch')) return response.end(respondToLookups(body.split('\n')));
        onSearch();
        return response.end(respond((JSON.parse(body) as { size: number }).size));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    elasticsearch = connectElasticsearch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 30_000);
  });
  afterAll(async () => {
    await pages.close();
    await elasticsearch.close();
    server.closeAllConnections();
    server.close();
  });

  function read(traffic: Traffic, userId: number, size: number, { disconnected = NEVER, prompt = '' } = {}) {
    const index = { name: 'content-v5', mappingVersion: 5, shards: 1, hasData: true };
    const searchedIndex = { find: async () => index, forget: () => undefined } as never;
    const deps = {
      elasticsearch,
      alias: 'content',
      limits: env,
      searchedIndex,
      pages,
      // The index has `data`.
      database: undefined as never,
      knownWords: createKnownWords(),
      longLists: createLongLists(),
      synonyms: new Synonyms([]),
    };
    const parameters = {
      prompt,
      match: 'any',
      correct: 'true',
      page: 0,
      size,
      sort: [{ field: 'contentId', direction: 'asc' }],
    } as unknown as ListParameters;
    const caller = new Caller(traffic, userId, disconnected);
    return listContent(deps, parameters, caller).finally(() => caller.release());
  }
  const expectNothingHeld = ({ lists, searches, rendering, unread }: Traffic): void =>
    expect([lists.used, searches.used, rendering.used, unread.bytes.used]).toEqual([0, 0, 0, 0]);

  it('waits for a thread only if it is large, with its response counted as unread before it is made', async () => {
    const traffic = createTraffic(env);
    const threads = [traffic.rendering.take(ALICE, 1), traffic.rendering.take(BORIS, 1)];
    const large = read(traffic, ALICE, 10);
    await until('it waits for a thread', () => traffic.rendering.waitingOf(ALICE) === 1);
    expect(traffic.unread.bytes.usedBy(ALICE)).toBeGreaterThan(LARGE_BYTES);
    expect(traffic.lists.usedBy(ALICE)).toBeLessThan(2 * LARGE_BYTES);
    expect(JSON.parse((await read(traffic, ALICE, 1)).body.toString()).numberOfElements).toBe(1);
    for (const thread of threads) thread.release();
    expect(JSON.parse((await large).body.toString()).content[0].data.length).toBe(LARGE_BYTES);
    expectNothingHeld(traffic);
  });

  it('leaves the line for a thread when its client leaves', async () => {
    const traffic = createTraffic(env);
    const thread = traffic.rendering.take(ALICE, 1);
    const leaving = new AbortController();
    const left = read(traffic, ALICE, 10, { disconnected: leaving.signal });
    await until('it waits for a thread', () => traffic.rendering.waitingOf(ALICE) === 1);
    leaving.abort(new Error('the client left'));
    await expect(left).rejects.toThrow('the client left');
    expect(traffic.rendering.waitingOf(ALICE)).toBe(0);
    thread.release();
    expectNothingHeld(traffic);
  });

  it('is 429 if its turn does not come before its deadline, whatever it waits for', async () => {
    const full = (shares: Traffic['lists']) => shares.record(BORIS, shares.limits.process);
    const traffics = [createTraffic(env), createTraffic(env)];
    const [rendering, lists] = traffics;
    full(rendering!.rendering);
    full(lists!.lists);
    for (const outcome of await Promise.allSettled(traffics.map((traffic) => read(traffic, ALICE, 10))))
      expect(outcome).toMatchObject({ reason: { name: 'Problem', status: 429 } });
  });

  it('is received without a turn if it is small, while large ones hold all that they may', async () => {
    const traffic = createTraffic(env);
    const { process, small } = traffic.lists.limits;
    const large = traffic.lists.record(BORIS, process - (small?.keptOfProcess ?? 0));
    const waiting = read(traffic, ALICE, 10);
    await until('a large one waits', () => traffic.lists.waitingOf(ALICE) === 1);
    await read(traffic, ALICE, 1);
    large.release();
    await waiting;
    expectNothingHeld(traffic);
  });

  it('gives the memory of a draft back before it searches again', async () => {
    const traffic = createTraffic(env);
    const used: number[] = [];
    onSearch = () => void used.push(traffic.lists.usedBy(ALICE));
    await read(traffic, ALICE, 10, { prompt: 'lighthuose' });
    expect(used).toEqual([expect.any(Number), SMALL_RESPONSE_BYTES]);
    expectNothingHeld(traffic);
  });
});
