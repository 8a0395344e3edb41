import { afterEach, describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@ugc/api/endpoints/openapi';
import { RANGES as API_RANGES } from '@ugc/api/search/filters';
import { RANGES } from '../../packages/client/src/instantsearch-filters.ts';
import { PROBLEM_KINDS } from '@ugc/items/problems/problem-kinds';
import { NotSearchableError, placeOf, ProblemError, UgcClient, type ListQuery, type Upload } from '../../packages/client/src/index.ts';
import { repetitionOf } from '../../packages/client/src/repetition.ts';
import { secondsToWait } from '../../packages/client/src/retrying-fetch.ts';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { defaultEnv } from '../support/processes/default-env.ts';
import { startHttpServer } from '../support/servers/http-server.ts';

const UPLOAD: Upload = { creatorId: 1, name: 'x', description: '', version: 1, data: '' };
const NOW = { 'retry-after': '0' };

/** A response of the stub, or a connection that is lost instead. */
type Reply = { status: number; headers?: Record<string, string>; body?: unknown } | 'lost' | 'broken';
type Received = { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers']; body: string };

const problem = (status: number, headers = {}, body = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: { type: '/docs#the-kind', title: 'Title', status, detail: 'Detail.', instance: '/x', requestId: 'id', ...body },
});
/** @param code the kind */
const kind = (code: string, status: number): Reply => problem(status, NOW, { type: `/docs#${code}` });
const STORE_500 = kind('store-unavailable', 500);
const README = readFileSync(new URL('../../packages/client/README.md', import.meta.url), 'utf8');
const json = (body: unknown, status = 200, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});
const DATES = { content_id: 7, created_at: '2026-11-20T09:30:00.000+00:00', updated_at: '2026-11-20T09:30:00.000+00:00' };
const FIELDS = { name: 'x', description: '', version: 1, data: '' };
const CREATOR = { user_id: 1, username: 'Ada', credential: 'local|1' };
const uploaded = (headers = {}, marks = {}): Reply =>
  json({ content_id: 7, ...FIELDS, creator: CREATOR, contentDates: DATES, ...marks }, 201, headers);
const UPLOADED = { contentId: 7, creatorId: 1, creatorName: 'Ada', ...FIELDS, createdAt: DATES.created_at, updatedAt: DATES.updated_at };
/** A list that has the item as it was then, or without it. */
const listed = (updatedAt?: string): Reply => json({ content: updatedAt === undefined ? [] : [{ contentId: 7, updatedAt }] });
const indexStatus = (status: string, more = {}): Reply => json({ contentId: 7, revision: 1, status, ...more });

describe('the client', () => {
  let replies: Reply[] = [];
  let received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: await text(request) });
    const reply = replies.shift() ?? { status: 599 };
    if (reply === 'lost') return void request.socket.destroy();
    if (reply === 'broken') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      return void response.write('{"half":', () => request.socket.destroy());
    }
    response.writeHead(reply.status, reply.headers).end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  };
  const server = forAllTests(() => startHttpServer((request, response) => void respond(request, response)));
  afterEach(() => {
    expect(replies).toEqual([]);
    received = [];
  });

  const connect = (options: object = {}): UgcClient => new UgcClient({ baseUrl: server.url, token: 'a-token', ...options });
  const statusOf = (sent: Promise<unknown>): Promise<unknown> =>
    sent.then(() => 'done').catch((error: unknown) => (error as ProblemError).status);

  describe('repeats', () => {
    it('an upload with the same body and key after a lost connection, a 503 and a 429', async () => {
      replies = ['lost', problem(503, NOW), problem(429, NOW), uploaded()];
      expect(await connect().upload(UPLOAD)).toEqual(UPLOADED);
      const keys = received.map(({ headers }) => headers['idempotency-key']);
      expect({ attempts: keys.length, keys: new Set(keys).size }).toEqual({ attempts: 4, keys: 1 });
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
      for (const { body, headers } of received)
        expect({ body: JSON.parse(body), token: headers.authorization }).toEqual({ body: UPLOAD, token: 'Bearer a-token' });
    });

    it.each<[string, (ugc: UgcClient) => Promise<unknown>]>([
      ['a read', (ugc) => ugc.getContent({ path: { id: 1 } })],
      ['a rating', (ugc) => ugc.rateContent({ path: { id: 1 }, body: { score: 5 } })],
      ['an edit', (ugc) => ugc.editContent({ path: { id: 1 }, body: {} })],
    ])('%s after a 502, a 503 and a 504', async (_, send) => {
      replies = [{ status: 502, headers: NOW }, problem(503, NOW), { status: 504, headers: NOW }, json({})];
      expect(await statusOf(send(connect()))).toBe('done');
    });

    it('a request without a valid Retry-After too, after less than its time of 1, 2, 4 s', async () => {
      replies = [problem(503), json({}), problem(429, { 'retry-after': 'soon' }), json({})];
      for (let n = 0; n < 2; n += 1) expect(await statusOf(connect().getContent({ path: { id: 1 } }))).toBe('done');
    });

    it.each([
      [1, undefined, 0.5, 1],
      [3, undefined, 2, 4],
      [30, undefined, 30, 60],
      [1, 0, 0, 0],
      [3, 60, 60, 75],
    ])(
      'for the time %i with the Retry-After %s after %f to %f s, so that not all clients come back at once',
      (tries, retryAfter, min, max) => {
        const waits = Array.from({ length: 100 }, () => secondsToWait(tries, retryAfter, 60));
        for (const seconds of waits) expect(seconds >= min && seconds <= max).toBe(true);
        expect(new Set(waits).size).toBe(max > min ? 100 : 1);
      },
    );

    it.each<[string, (ugc: UgcClient) => Promise<unknown>]>([
      ['a download', (ugc) => ugc.countDownload({ path: { id: 1 } })],
      ['an edit with If-Match', (ugc) => ugc.editContent({ path: { id: 1 }, body: {}, headers: { 'If-Match': '"0.1"' } })],
    ])('%s after a 429, and neither after a 503 nor after a lost connection', async (_, send) => {
      replies = [problem(429, NOW), problem(503, NOW), { status: 502, headers: NOW }, 'lost'];
      expect(await statusOf(send(connect()))).toBe(503);
      expect(await statusOf(send(connect()))).toBe(502);
      await expect(send(connect())).rejects.toThrow(/^fetch failed: P[A-Z]+ http.*\/api\/content\/1(\/downloads)?, 1 try: /);
    });

    it.each(['store-unavailable', 'keys-unavailable', 'overloaded', 'work-too-long'])(
      'any request after a 503 of the kind %s, with which nothing was done, and a read after its 500',
      async (code) => {
        replies = [kind(code, 503), { status: 204 }, kind(code, 503), json({}), kind(code, 503), uploaded()];
        const ugc = connect();
        await ugc.countDownload({ path: { id: 1 } });
        await ugc.editContent({ path: { id: 1 }, body: {}, headers: { 'If-Match': '"0.1"' } });
        await ugc.uploadContent({ body: UPLOAD });
        if (code === 'overloaded' || code === 'work-too-long') return;
        replies = [kind(code, 500), json({})];
        expect(await statusOf(ugc.getContent({ path: { id: 1 } }))).toBe('done');
      },
    );

    it('a read whose connection breaks off in its body', async () => {
      replies = ['broken', json({ contentId: 7 })];
      expect((await connect().getContent({ path: { id: 7 } })).data).toEqual({ contentId: 7 });
    });

    it('a request for as long as it may in all, and no longer', async () => {
      replies = [STORE_500, STORE_500, STORE_500];
      expect(await statusOf(connect({ maxRetries: 2, maxTotalSeconds: 60 }).list())).toBe(500);
      replies = [problem(503, { 'retry-after': '9' })];
      expect(await statusOf(connect({ maxTotalSeconds: 8 }).list())).toBe(503);
      replies = Array.from({ length: 8 }, () => STORE_500).concat(json({ content: [] }));
      expect(await connect().list()).toEqual({ content: [] });
    });

    it('a request whose token has ended during an outage, with a new token', async () => {
      replies = [STORE_500, kind('token-expired', 403), json({}), kind('token-expired', 403)];
      let asked = 0;
      const ugc = connect({ token: () => `token-${(asked += 1)}` });
      await ugc.getContent({ path: { id: 1 } });
      expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
      expect(await statusOf(ugc.getContent({ path: { id: 1 } }))).toBe(403);
    });

    it.each(Object.entries(PROBLEM_KINDS).flatMap(([code, { statuses }]) => statuses.map((status) => [code, status] as const)))(
      'what the README says of the kind %s with %i',
      async (code, status) => {
        const [, says = ''] = new RegExp(`^\\|.*\\b${status}\\b[^|]*\`${code}\`.*\\| *(safe|unknown|never) *\\|`, 'm').exec(README) ?? [];
        const usual = status === 429 ? 'safe' : status < 500 ? 'never' : '';
        expect(says || usual).toBe(repetitionOf(status, code));
      },
    );

    it.each(['rebuild-due'])('nothing after a 503 of the kind %s, which does not end by itself', async (code) => {
      replies = [kind(code, 503)];
      expect(await statusOf(connect().list())).toBe(503);
    });

    it.each([400, 403, 404, 409, 410, 422, 500])('nothing after a %i', async (status) => {
      replies = [problem(status, NOW)];
      expect(await statusOf(connect().getContent({ path: { id: 1 } }))).toBe(status);
    });

    it('a request as often as it may, and then rejects with the last error', async () => {
      replies = [problem(429, NOW), problem(429, NOW), problem(429, { 'retry-after': '9' })];
      expect(await statusOf(connect({ maxRetries: 2 }).getContent({ path: { id: 1 } }))).toBe(429);
      replies = [problem(429, NOW)];
      expect(await statusOf(connect({ maxRetries: 0 }).getContent({ path: { id: 1 } }))).toBe(429);
    });

    it('nothing that it must wait for too long', async () => {
      replies = [problem(429, { 'retry-after': '61' }), problem(503, { 'retry-after': '61' })];
      for (const status of [429, 503]) expect(await statusOf(connect().getContent({ path: { id: 1 } }))).toBe(status);
    });

    it('a request at the date of Retry-After', async () => {
      replies = [problem(429, { 'retry-after': new Date(Date.now() - 1_000).toUTCString() }), json({})];
      expect(await statusOf(connect().getContent({ path: { id: 1 } }))).toBe('done');
      replies = [problem(429, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })];
      expect(await statusOf(connect().getContent({ path: { id: 1 } }))).toBe(429);
    });

    it('nothing once its signal is aborted, and does not wait for Retry-After then', async () => {
      replies = [problem(429, { 'retry-after': '60' })];
      const abort = new AbortController();
      const abortAfterResponse = async (request: Request): Promise<Response> => {
        const response = await fetch(request);
        setTimeout(() => abort.abort(new Error('not needed any more')), 50);
        return response;
      };
      const sent = connect({ fetch: abortAfterResponse }).getContent({ path: { id: 1 }, signal: abort.signal });
      await expect(sent).rejects.toThrow('not needed any more');
      expect(received.length).toBe(1);
    }, 20_000);
  });

  it('asks for the token of each request', async () => {
    replies = [json({}), json({})];
    let asked = 0;
    const ugc = connect({ token: () => `token-${(asked += 1)}` });
    for (let n = 0; n < 2; n += 1) await ugc.getContent({ path: { id: 1 } });
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  describe('reports', () => {
    const errorOf = (sent: Promise<unknown>): Promise<unknown> => sent.then(() => undefined).catch((error: unknown) => error);

    it('an error response with all problem details', async () => {
      replies = [problem(400, {}, { errors: [{ pointer: '#/name', detail: 'is required' }], errorsOmitted: 2 })];
      const error = await errorOf(connect().upload(UPLOAD));
      expect(error).toBeInstanceOf(ProblemError);
      expect(error).toMatchObject({
        message: '400 Title: Detail.: #/name is required',
        status: 400,
        title: 'Title',
        detail: 'Detail.',
        requestId: 'id',
        errors: [{ pointer: '#/name', detail: 'is required' }],
        errorsOmitted: 2,
        code: 'the-kind',
        retryAfterSeconds: undefined,
      });
    });

    it('when to try again, and the headers of the response', async () => {
      replies = [problem(429, { 'retry-after': '90', ratelimit: '"lists";r=0;t=90' })];
      const error = (await errorOf(connect().list())) as ProblemError;
      expect([error.retryAfterSeconds, error.headers.get('RateLimit')]).toEqual([90, '"lists";r=0;t=90']);
    });

    it('an error response of a proxy in JSON', async () => {
      replies = [json({ errors: 'no upstream', type: 7, status: 'bad' }, 400)];
      expect(await errorOf(connect().list())).toMatchObject({ message: '400 Bad Request', status: 400, code: '', errors: [] });
    });

    it('an error response without problem details, such as that of a proxy', async () => {
      replies = [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>' }];
      const error = await errorOf(connect({ maxRetries: 0 }).upload(UPLOAD));
      expect(error).toBeInstanceOf(ProblemError);
      expect(error).toMatchObject({ message: '502 Bad Gateway', status: 502, requestId: '', errors: [] });
    });

    it('that a cached copy is current, as the README says: with the status 304 and without a kind', async () => {
      replies = [{ status: 304 }, { status: 304 }];
      const [path, headers] = [{ id: 1 }, { 'If-None-Match': '"0.1"' }];
      for (const read of [connect().getContent({ path, headers }), connect().getThumbnail({ path, headers })]) {
        const error = await errorOf(read);
        expect(error).toBeInstanceOf(ProblemError);
        expect(error).toMatchObject({ status: 304, code: '', errors: [] });
      }
    });

    it('an error without an exception if the caller wants it so', async () => {
      replies = [problem(404)];
      const { data, error } = await connect().getContent({ path: { id: 1 }, throwOnError: false });
      expect({ data, status: error?.status }).toEqual({ data: undefined, status: 404 });
    });

    it('a lost connection with the address, the number of tries and the reason', async () => {
      replies = ['lost', 'lost'];
      const error = await errorOf(connect({ maxRetries: 1 }).upload(UPLOAD));
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toMatch(
        new RegExp(`^fetch failed: POST ${server.url}/content, 2 tries: .*(closed|reset|ECONNRESET)`),
      );
    });
  });

  const withTag = (etag: string, item = {}): Reply => json({ name: 'a', tags: ['t'], ...item }, 200, { etag });

  describe('edits an item', () => {
    it('that it has read with its tags, and reads it again if somebody else has edited it meanwhile', async () => {
      replies = [withTag('"0.1"'), problem(412), withTag('"1.2"', { name: 'b' }), json({ name: 'b!' })];
      expect(await connect().edit(7, ({ name, tags = [] }) => ({ name: `${name}!`, tags }))).toEqual({ name: 'b!' });
      expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'GET /api/content/7?include=tags',
        'PATCH /api/content/7',
        'GET /api/content/7?include=tags',
        'PATCH /api/content/7',
      ]);
      expect(received.flatMap(({ headers }) => headers['if-match'] ?? [])).toEqual(['"0.1"', '"1.2"']);
      expect(JSON.parse(received[3]?.body ?? '')).toEqual({ name: 'b!', tags: ['t'] });
    });

    it('in vain at most ten times, and after no other error again', async () => {
      replies = Array.from({ length: 10 }, () => [withTag('"0.1"'), problem(412)]).flat();
      expect(await statusOf(connect().edit(7, { name: 'x' }))).toBe(412);
      replies = [withTag('"0.1"'), problem(403)];
      expect(await statusOf(connect().edit(7, { name: 'x' }))).toBe(403);
    });

    const STORE = kind('store-unavailable', 503);

    it('also if the response is lost and nothing was stored, with the same If-Match', async () => {
      replies = [withTag('"0.1"'), 'lost', STORE, kind('result-unknown', 503), json({ name: 'a!' })];
      expect(await connect().edit(7, ({ name }) => ({ name: `${name}!` }))).toEqual({ name: 'a!' });
      expect(received.flatMap(({ headers }) => headers['if-match'] ?? [])).toEqual(['"0.1"', '"0.1"', '"0.1"', '"0.1"']);
    });

    it('once if the response is lost and it was stored, and asks for no second change', async () => {
      replies = [withTag('"0.1"'), 'lost', problem(412), withTag('"1.1"', { name: 'e\u0301!' })];
      let asked = 0;
      const change = () => ({ name: '\u00e9!', ...((asked += 1) && {}) });
      expect(await connect().edit(7, change)).toMatchObject({ name: 'e\u0301!' });
      expect(asked).toBe(1);
    });

    const OWN = {
      licence: 'e\u0301',
      games: ['1.20', '1.20'],
      version: ' v1.2 ',
      build: [{ loader: 'x', game: '1' }],
      gone: null,
      none: [],
    };
    const STORED = { licence: '\u00e9', games: ['1.20'], version: 'v1.2', build: [{ game: '1', loader: 'x' }], players: 4 };

    it.each<[string, unknown, unknown, 'stored' | 412]>([
      ['what the service makes of them', OWN, STORED, 'stored'],
      ['one value, as a list', { games: '1.20' }, STORED, 'stored'],
      ['of an operator who declares none', OWN, undefined, 'stored'],
      ['another value', { ...OWN, licence: 'MIT' }, STORED, 412],
      ['a value that was not removed', { players: null }, STORED, 412],
      ['a value that is not there', { studio: 'x' }, STORED, 412],
      ['fewer values', { games: ['1.20', '1.21'] }, STORED, 412],
      ['an entry of other values', { build: [{ game: '1', loader: 'y' }] }, STORED, 412],
    ])('with declared fields, if the response is lost and the item has %s', async (_, fields, now, expected) => {
      replies = [withTag('"0.1"'), 'lost', problem(412), withTag('"1.1"', { name: 'a', ...(now !== undefined && { fields: now }) })];
      const edited = connect().edit(7, { fields } as Parameters<UgcClient['edit']>[1]);
      if (expected === 'stored') expect(await edited).toMatchObject({ name: 'a' });
      else expect(await statusOf(edited)).toBe(expected);
      expect(received.at(-1)?.url).toBe('/api/content/7?include=tags&include=fields');
    });

    const AT = '2999-12-24T17:00:00.000+00:00';

    it.each<[changes: object, now: object, expected: 'stored' | 412]>([
      [{ visibility: 'draft' }, { visibility: 'draft' }, 'stored'],
      [{ visibility: 'draft' }, {}, 412],
      [{ visibility: 'public' }, {}, 'stored'],
      [{ visibility: 'public' }, { visibility: 'review' }, 'stored'],
      [{ visibility: 'unlisted' }, { visibility: 'draft' }, 412],
      [{ visibility: 'draft' }, { visibility: 'review' }, 412],
      [{ publishAt: '2999-12-24T18:00:00+01:00' }, { visibility: 'draft', publishAt: AT }, 'stored'],
      [{ publishAt: '2999-12-25' }, { visibility: 'draft', publishAt: AT }, 412],
      [{ publishAt: AT }, { visibility: 'draft' }, 412],
      [{ publishAt: null }, { visibility: 'draft' }, 'stored'],
      [{ publishAt: null }, { visibility: 'draft', publishAt: AT }, 412],
      [{ fileName: 'e\u0301.json' }, { fileName: '\u00e9.json' }, 'stored'],
      [{ fileName: 'a.json' }, { fileName: 'b.json' }, 412],
      [{ fileName: null }, { fileName: null }, 'stored'],
      [{ fileName: null }, { fileName: 'b.json' }, 412],
    ])('with %j, if the response is lost and the item has %j', async (changes, now, expected) => {
      replies = [withTag('"0.1"'), 'lost', problem(412), withTag('"1.1"', now)];
      const edited = connect().edit(7, changes);
      if (expected === 'stored') expect(await edited).toMatchObject({ name: 'a', ...now });
      else expect(await statusOf(edited)).toBe(expected);
      const more = 'fileName' in changes ? '&include=fileName' : '';
      expect(received.at(-1)?.url).toBe(`/api/content/7?include=tags${more}`);
    });

    it('not over what somebody else has edited while the response was lost', async () => {
      replies = [withTag('"0.1"'), 'lost', problem(412), withTag('"1.1"', { name: 'of somebody else' })];
      expect(await statusOf(connect().edit(7, { name: 'a!' }))).toBe(412);
    });

    it('again if a 412 follows a try that has stored nothing', async () => {
      replies = [withTag('"0.1"'), STORE, problem(412), withTag('"1.1"', { name: 'b' }), json({ name: 'b!' })];
      expect(await connect().edit(7, ({ name }) => ({ name: `${name}!` }))).toEqual({ name: 'b!' });
    });

    it('only if something changes', async () => {
      replies = [withTag('"0.1"')];
      expect(await connect().edit(7, () => undefined)).toMatchObject({ name: 'a' });
    });

    it('and waits until lists show it, as for an upload', async () => {
      replies = [withTag('"0.1"'), json({ name: 'x' }, 200, { 'preference-applied': 'wait=10' })];
      expect(await connect().editAndWait(7, { name: 'x' })).toEqual({ name: 'x' });
      expect(received[1]?.headers).toMatchObject({ prefer: 'wait=10', 'if-match': '"0.1"' });
      const edited = { contentId: 7, updatedAt: DATES.updated_at };
      const isIndexed = indexStatus('indexed');
      replies = [withTag('"0.1"'), json(edited), isIndexed, listed('2026-11-20T09:29:59.999+00:00'), isIndexed, listed(DATES.updated_at)];
      expect(await connect().editAndWait(7, { name: 'x' })).toEqual(edited);
    });

    it.each([{ visibility: 'draft' }, { visibility: 'review' }, { hidden: { since: DATES.updated_at, reason: 'x' } }])(
      'and waits until lists do not show it, if it is %j',
      async (marks) => {
        replies = [withTag('"0.1"'), json({ contentId: 7, ...marks }), listed(DATES.updated_at), listed()];
        expect(await connect().editAndWait(7, { name: 'x' })).toEqual({ contentId: 7, ...marks });
        replies = [withTag('"0.1"', marks), listed(DATES.updated_at)];
        await expect(connect().editAndWait(7, () => undefined, { timeoutSeconds: 0 })).rejects.toThrow('lists may still show it');
      },
    );
  });

  describe('deletes an item', () => {
    it('also if the request that was lost has deleted it', async () => {
      replies = ['lost', problem(404, {}, { type: '/docs#item-unknown' })];
      await connect().delete(7);
      replies = [problem(404)];
      expect(await statusOf(connect().delete(7))).toBe(404);
    });

    it('and waits until lists do not show it', async () => {
      replies = [{ status: 204, headers: { 'preference-applied': 'wait=10' } }];
      await connect().deleteAndWait(7);
      expect(received[0]?.headers).toMatchObject({ prefer: 'wait=10' });
      replies = [{ status: 204 }, json({ content: [{ contentId: 7 }] }), problem(500), json({ content: [] })];
      await connect().deleteAndWait(7);
      expect(received.at(-1)?.url).toBe('/api/content?prompt=%237&sort=relevance&size=1&fields=summary');
      replies = [{ status: 204 }, json({ content: [{ contentId: 7 }] })];
      await expect(connect().deleteAndWait(7, { timeoutSeconds: 0 })).rejects.toThrow('lists may still show it');
    });
  });

  it.each<[string, Upload['thumbnail'] | Blob | ArrayBuffer | Uint8Array, string | null]>([
    ['a Blob', new Blob([new Uint8Array([137, 80, 78, 71])]), 'iVBORw=='],
    ['bytes', new Uint8Array([0, 137, 80, 78, 71, 0]).subarray(1, 5), 'iVBORw=='],
    ['an ArrayBuffer', new Uint8Array([137, 80, 78, 71]).buffer, 'iVBORw=='],
    ['bytes of the largest picture', new Uint8Array(524_288), Buffer.alloc(524_288).toString('base64')],
    ['text in base64', 'iVBORw==', 'iVBORw=='],
    ['null', null, null],
  ])('sends a thumbnail that is %s', async (_, thumbnail, sent) => {
    replies = [uploaded(), withTag('"0.1"'), json({})];
    await connect().upload({ ...UPLOAD, ...(thumbnail !== undefined && { thumbnail }) });
    await connect().edit(7, { ...(thumbnail !== undefined && { thumbnail }) });
    expect([received[0], received[2]].map((request) => JSON.parse(request?.body ?? ''))).toEqual([
      { ...UPLOAD, thumbnail: sent },
      { thumbnail: sent },
    ]);
  });

  it('goes on from the place in the body of each page, and asks for no totals', async () => {
    replies = [
      json({ content: [{ contentId: 9 }], last: false, next: 'a/b' }),
      json({ content: [{ contentId: 8 }], last: false, next: 'c' }),
      json({ content: [], last: true, next: null }),
    ];
    const pages: number[][] = [];
    for await (const { content } of connect().pages({ size: 1, page: 2 })) pages.push(content.map(({ contentId }) => contentId));
    expect(pages).toEqual([[9], [8], []]);
    expect(received.map(({ url }) => url)).toEqual([
      '/api/content?size=1&include=next&page=2&totals=false',
      '/api/content?size=1&include=next&after=a%2Fb&totals=false',
      '/api/content?size=1&include=next&after=c&totals=false',
    ]);
  });

  it('reads pages until the last one, from the given one on', async () => {
    replies = [1, 2, 3].map((number) => json({ number, content: [{ contentId: number }], last: number === 3, next: null }));
    const query = { page: 1, prompt: 'x', sort: ['name', 'contentId,desc'], include: ['tags'] } satisfies ListQuery;
    const ids: number[] = [];
    for await (const { contentId } of connect().items(query)) ids.push(contentId);
    expect(ids).toEqual([1, 2, 3]);
    expect(received.map(({ url }) => url)).toEqual(
      [1, 2, 3].map((page) => `/api/content?prompt=x&sort=name&sort=contentId%2Cdesc&include=tags&include=next&page=${page}&totals=false`),
    );
  });

  describe('a walk that must end', () => {
    const pageOf = (contentId: number, next: string | null): Reply => json({ content: [{ contentId }], last: false, next });
    const walk = async (query: ListQuery, read: number[]): Promise<unknown> => {
      try {
        for await (const { contentId } of connect({ maxTotalSeconds: 5 }).items(query)) read.push(contentId);
      } catch (error) {
        return error;
      }
      return undefined;
    };

    it('says where it stopped, and goes on there', async () => {
      replies = [pageOf(9, 'a/b'), STORE_500, pageOf(8, 'c'), kind('token-expired', 403)];
      const read: number[] = [];
      const error = await walk({ size: 1, page: 2 }, read);
      expect(error).toBeInstanceOf(ProblemError);
      expect((error as Error).message).toMatch(/The list was read up to after=c, where it goes on\.$/);
      expect(placeOf(error)).toEqual({ after: 'c' });
      replies = [json({ content: [{ contentId: 7 }], last: true, next: null })];
      expect(await walk({ size: 1, page: 2, ...placeOf(error) }, read)).toBe(undefined);
      expect(read).toEqual([9, 8, 7]);
      expect(received.at(-1)?.url).toBe('/api/content?size=1&include=next&after=c&totals=false');
    });

    it('in another order, and without any response, says so too', async () => {
      replies = [json({ content: [{ contentId: 1 }], last: false, next: null }), problem(503, { 'retry-after': '9' })];
      expect(placeOf(await walk({ sort: ['name'] }, []))).toEqual({ page: 1 });
      replies = ['lost'];
      const error = await connect({ maxRetries: 0 }).items().next().catch((each: unknown) => each); // prettier-ignore
      expect(error).toBeInstanceOf(TypeError);
      expect(placeOf(error)).toEqual({ page: 0 });
      expect(placeOf(new Error('of something else'))).toBe(undefined);
    });
  });

  it('reads no page that nobody wants', async () => {
    replies = [json({ content: [{ contentId: 1 }], last: false })];
    for await (const { contentId } of connect().items()) {
      expect(contentId).toBe(1);
      break;
    }
    expect(received.length).toBe(1);
  });

  describe('waits for an upload', () => {
    it('in one request if the service says that lists show it', async () => {
      replies = [uploaded({ 'preference-applied': 'wait=10' })];
      expect(await connect().uploadAndWait(UPLOAD)).toEqual(UPLOADED);
      expect(received[0]?.headers).toMatchObject({ prefer: 'wait=10', 'idempotency-key': expect.any(String) });
    });

    it('by its index status otherwise, and then by a list, since an indexed item is in lists after the next refresh', async () => {
      replies = [uploaded(), indexStatus('pending'), indexStatus('indexed'), listed(), indexStatus('indexed'), listed(DATES.updated_at)];
      await connect().uploadAndWait(UPLOAD);
      const [status, list] = ['/api/content/7/index-status', '/api/content?prompt=%237&sort=relevance&size=1&fields=summary'];
      expect(received.map(({ url }) => url)).toEqual(['/content', status, status, list, status, list]);
    });

    it('also while other requests fail: the item is stored', async () => {
      const isIndexed = indexStatus('indexed');
      replies = [uploaded(), problem(500), isIndexed, problem(500), isIndexed, problem(403), isIndexed, listed(DATES.updated_at)];
      expect(await connect().uploadAndWait(UPLOAD)).toEqual(UPLOADED);
      replies = [uploaded(), problem(500)];
      await expect(connect().uploadAndWait(UPLOAD, { timeoutSeconds: 0 })).rejects.toBeInstanceOf(NotSearchableError);
      replies = [uploaded(), isIndexed, problem(500)];
      await expect(connect().uploadAndWait(UPLOAD, { timeoutSeconds: 0 })).rejects.toBeInstanceOf(NotSearchableError);
    });

    it.each(['rejected', 'dropped'])('until it is %s, and says why', async (status) => {
      replies = [uploaded(), indexStatus(status, { reason: 'too many fields' })];
      const waited = connect().uploadAndWait(UPLOAD);
      await expect(waited).rejects.toBeInstanceOf(NotSearchableError);
      await expect(waited).rejects.toMatchObject({
        indexStatus: { contentId: 7, status, reason: 'too many fields' },
        message: `Item 7 is stored, but lists do not show it: it is ${status}.`,
      });
    });

    it('no longer than the caller wants', async () => {
      replies = [uploaded(), indexStatus('pending')];
      await expect(connect().uploadAndWait(UPLOAD, { timeoutSeconds: 0 })).rejects.toMatchObject({
        indexStatus: { contentId: 7, status: 'pending' },
      });
      replies = [uploaded(), indexStatus('indexed'), listed()];
      await expect(connect().uploadAndWait(UPLOAD, { timeoutSeconds: 0 })).rejects.toMatchObject({ indexStatus: { status: 'indexed' } });
      expect(received[0]?.headers).toMatchObject({ prefer: 'wait=0' });
    });

    it.each([
      { visibility: 'draft', publishAt: '2999-01-01T00:00:00.000+00:00' },
      { visibility: 'unlisted', key: 'k' },
      { visibility: 'review' },
    ])('not at all if it is %j, which no list shows, and says so', async (marks) => {
      replies = [uploaded({}, marks)];
      expect(await connect().uploadAndWait(UPLOAD)).toEqual({ ...UPLOADED, ...marks });
      replies = [uploaded({}, marks)];
      expect(await connect().upload(UPLOAD)).toEqual({ ...UPLOADED, ...marks });
    });

    it('that asks to be public, as of any other', async () => {
      replies = [uploaded({}, { visibility: 'public' }), indexStatus('indexed'), listed(DATES.updated_at)];
      expect(await connect().uploadAndWait(UPLOAD)).toEqual({ ...UPLOADED, visibility: 'public' });
    });
  });
});

const PACKAGE = fileURLToPath(new URL('../../packages/client/', import.meta.url));
const GENERATED = join(PACKAGE, 'src/generated');

function generate(documentFile: string, folder: string): void {
  writeFileSync(documentFile, JSON.stringify(openApiDocument(defaultEnv())));
  execFileSync(process.execPath, [join(PACKAGE, 'generate.ts'), documentFile, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function readFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]));
}

it('InstantSearch has both bounds of each range of the API', () => {
  const parameters = Object.values(RANGES).flatMap(({ least, most }) => [...least(1), ...most(1)].map(([parameter]) => parameter));
  expect(parameters).toEqual(API_RANGES.flatMap(({ lower, upper }) => [lower, upper]));
});

it('the generated part of the client is what the OpenAPI document results in (UPDATE_CLIENT=1 generates it)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ugc-client-'));
  try {
    const documentFile = join(folder, 'openapi.json');
    if (process.env['UPDATE_CLIENT'] === '1') generate(documentFile, GENERATED);
    generate(documentFile, join(folder, 'generated'));
    expect(readFiles(GENERATED)).toEqual(readFiles(join(folder, 'generated')));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the generator has an exact version, because its minor versions change what it generates', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  expect(devDependencies['@hey-api/openapi-ts']).toMatch(/^\d+\.\d+\.\d+$/);
});
