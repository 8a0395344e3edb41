import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { errors } from '@elastic/elasticsearch';
import { bulkLines, makeChanges, splitIntoBulks, toChange, toWriteResult, type Change } from '@ugc/indexer/documents/bulk';
import { toDocument } from '@ugc/indexer/documents/document';
import { qualityOf } from '@ugc/indexer/documents/quality';
import { writeChanges } from '@ugc/indexer/documents/write-changes';
import { NO_FIELDS, readDefinitions } from '@ugc/fields/definition';
import type { IndexedContent } from '@ugc/shared/contracts/content';
import { mappingsOf } from '@ugc/shared/contracts/index-settings';
import { INDEX_BODY, MAPPING_VERSION, type ContentDocument } from '@ugc/shared/contracts/content-index';
import { refreshIndex } from '@ugc/shared/indices/searched-index';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { countElasticsearchErrors } from '@ugc/shared/elasticsearch/error-metrics';
import { classifyFailedRequest, classifyItem, errorKindsOf, type ErrorKind, type Outcome } from '@ugc/shared/elasticsearch/errors';
import { ALWAYS } from '@ugc/shared/elasticsearch/second-attempts';
import { describeElasticsearchFailure } from '@ugc/shared/failures/describe-elasticsearch';
import { Registry } from 'prom-client';
import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { indexedContent } from '../support/indices/indexed-content.ts';
import { OLDER_RULES } from '../support/indices/older-index.ts';
import { long } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { silentServer } from '../support/servers/silent-server.ts';

const ELASTICSEARCH = { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/vnd.elasticsearch+json;compatible-with=9' };

/** @returns the authorization that a client sends, and the URLs that its errors may contain */
async function authorizationOf(user: string, keys = {}): Promise<{ authorization: unknown; urls: string }> {
  let authorization: unknown;
  const server = await startHttpServer(({ headers }, response) => {
    authorization = headers.authorization;
    response.writeHead(200, ELASTICSEARCH).end();
  });
  const client = connectElasticsearch(server.url.replace('//', `//${user}`), 1_000, keys);
  await client.ping();
  const urls = client.connectionPool.connections.map(({ url }) => url.href).join();
  await client.close();
  await server.stop();
  return { authorization, urls };
}

it('the password of ELASTICSEARCH_URL is sent as authorization and is absent from URLs that errors contain', async () => {
  const { authorization, urls } = await authorizationOf('elastic:s%40cret@');
  expect(authorization).toBe(`Basic ${Buffer.from('elastic:s@cret').toString('base64')}`);
  expect(urls).not.toMatch(/elastic|cret/);
});

it('an API key is sent in place of a user', async () => {
  const { authorization } = await authorizationOf('', { ELASTICSEARCH_API_KEY: 'aWQ6c2VjcmV0' });
  expect(authorization).toBe('ApiKey aWQ6c2VjcmV0');
});

it.each([
  ['password', 'ELASTICSEARCH_URL', (secret: string) => `http://elastic:${secret}@127.0.0.1`, (secret: string) => `Basic ${Buffer.from(`elastic:${secret}`).toString('base64')}`], // prettier-ignore
  ['API key', 'ELASTICSEARCH_API_KEY', (secret: string) => secret, (secret: string) => `ApiKey ${secret}`],
])('a rotated %s is read from its file when the old one is refused, by all requests of that time', async (_, name, valueOf, headerOf) => {
  const file = join(await mkdtemp(join(tmpdir(), 'rotated-')), 'value');
  await writeFile(file, valueOf('first'));
  process.env[`${name}_FILE`] = file;
  let accepted = headerOf('first');
  const sent: unknown[] = [];
  const respond: RequestListener = ({ headers }, response) => {
    sent.push(headers.authorization);
    response.writeHead(headers.authorization === accepted ? 200 : 401, ELASTICSEARCH).end('{}');
  };
  await withServer(respond, async (client) => {
    await client.info();
    accepted = headerOf('second');
    await expect(client.info()).rejects.toThrow(errors.ResponseError);
    await writeFile(file, `${valueOf('second')}\n`);
    await Promise.all([client.info(), client.info(), client.info()]);
    const before = sent.length;
    await client.info();
    expect(sent.slice(before)).toEqual([headerOf('second')]);
  });
  delete process.env[`${name}_FILE`];
});

it('a connection is renewed after five minutes, so that servers are found whose name has moved to another address', async () => {
  let ports = new Set<number | undefined>();
  const respond: RequestListener = (request, response) => {
    ports.add(request.socket.remotePort);
    response.writeHead(200, ELASTICSEARCH).end('{}');
  };
  const startedAt = Date.now();
  const clock = jest.spyOn(Date, 'now');
  await withServer(respond, async (client) => {
    const portsAfter = async (minutes: number) => {
      clock.mockReturnValue(startedAt + minutes * 60_000);
      ports = new Set();
      // A request that follows another one at once may open a second connection.
      for (let n = 0; n < 5; n += 1) await client.info();
      return ports;
    };
    const first = await portsAfter(0);
    expect((await portsAfter(4.9)).intersection(first).size).toBeGreaterThan(0);
    expect((await portsAfter(5.1)).intersection(first).size).toBe(0);
  }).finally(() => clock.mockRestore());
});

it('an error response is thrown, unless its status is ignored or it says that what was looked for does not exist', async () => {
  await withServer(
    (request, response) => response.writeHead(404, ELASTICSEARCH).end(request.method === 'HEAD' ? '' : '{"found":false}'),
    async (client) => {
      const missing = { index: 'items', id: '1' };
      await expect(client.get(missing)).rejects.toThrow(errors.ResponseError);
      expect(await client.get(missing, { ignore: [404] })).toEqual({ found: false });
      expect(await client.exists(missing)).toBe(false);
    },
  );
});

it('a response of another product is an error, so that no foreign server is taken for Elasticsearch', async () => {
  await withServer(
    (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    async (client) => {
      const error: unknown = await client.search({}).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(errors.ProductNotSupportedError);
      expect(describeElasticsearchFailure(error, 'http://es:9200')?.message).toMatch(
        /It is not Elasticsearch, or a proxy removes the header X-Elastic-Product/,
      );
    },
  );
});

it('a response that redirects is an error, as of a proxy that expects https, and the message says what to correct', async () => {
  await withServer(
    (_, response) => response.writeHead(301, { location: 'https://other.test/' }).end(),
    async (client) => {
      const error: unknown = await client.indices.exists({ index: 'items' }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(errors.ResponseError);
      expect(describeElasticsearchFailure(error, 'http://es:9200')?.message).toBe(
        'Elasticsearch at es:9200: 301, without the header X-Elastic-Product. It redirects to another address: correct ELASTICSEARCH_URL.',
      );
    },
  );
});

it('a request is sent once, also when the server fails, and its error is reported to the metrics', async () => {
  const reported: unknown[] = [];
  let requests = 0;
  const fail: RequestListener = (_, response) => {
    requests += 1;
    response.writeHead(503, ELASTICSEARCH).end('{"error":{"type":"unavailable"}}');
  };
  await withServer(fail, async (client) => {
    client.diagnostic.on('response', (error) => reported.push(error));
    await expect(client.search({})).rejects.toThrow('unavailable');
  });
  expect(requests).toBe(1);
  expect(reported).toEqual([expect.any(errors.ResponseError)]);
});

async function withServer(respond: RequestListener, use: (client: Elasticsearch) => Promise<void>): Promise<void> {
  const server = await startHttpServer(respond);
  const client = connectElasticsearch(server.url, 1_000);
  await use(client).finally(() => client.close());
  await server.stop();
}

it('documents that take long to make let other work of the process run in between', async () => {
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const made: number[] = [];
  const madeBefore = new Promise((resolve) => setImmediate(() => resolve(made.length)));
  const change = { contentId: 1, revision: 1, source: null };
  const make = (row: number) => {
    nowMs += 1_000;
    made.push(row);
    return change;
  };
  expect(await makeChanges([1, 2, 3], make)).toEqual([change, change, change]);
  clock.mockRestore();
  expect(await madeBefore).toBe(1);
});

describe('a search to which nothing is answered for a second', () => {
  type Request = { socket: Socket; response: ServerResponse; ended: Promise<void> };
  const factor = process.env['STORE_TIMEOUT_FACTOR'];

  // A tenth of the times.
  beforeAll(() => void (process.env['STORE_TIMEOUT_FACTOR'] = '0.1'));
  afterAll(() => {
    delete process.env['STORE_TIMEOUT_FACTOR'];
    if (factor !== undefined) process.env['STORE_TIMEOUT_FACTOR'] = factor;
  });

  /** @param use is given the requests, to which nothing responds by itself */
  async function withSilence(use: (client: Elasticsearch, requests: Request[]) => Promise<void>): Promise<void> {
    const requests: Request[] = [];
    const server = await startHttpServer((request, response) => {
      const ended = new Promise<void>((resolve) => request.socket.once('close', () => resolve()));
      requests.push({ socket: request.socket, response, ended });
    });
    const client = connectElasticsearch(server.url, 300_000);
    await use(client, requests).finally(() => client.close());
    await server.stop();
  }

  const arrived = (requests: Request[], count: number) => until(`${count} requests have arrived`, () => requests.length >= count);
  const answer = (request: Request | undefined, body = '{}') => request?.response.writeHead(200, ELASTICSEARCH).end(body);
  const isOf = (name: string) => `{"name":"${name}"}`;

  it('is sent once more, on a new connection, and the first one is given up', async () => {
    await withSilence(async (client, requests) => {
      const found = client.search({}, { context: ALWAYS });
      await arrived(requests, 2);
      expect(requests[1]?.socket).not.toBe(requests[0]?.socket);
      answer(requests[1], isOf('second'));
      expect(await found).toEqual({ name: 'second' });
      await requests[0]?.ended;
      const next = client.search({});
      await arrived(requests, 3);
      answer(requests[2]);
      expect(await next).toEqual({});
      expect(requests[2]?.socket).toBe(requests[1]?.socket);
    });
  });

  it('is answered by the first request, if that was only slow, and the second one is given up', async () => {
    await withSilence(async (client, requests) => {
      const found = client.search({}, { context: ALWAYS });
      await arrived(requests, 2);
      answer(requests[0], isOf('first'));
      expect(await found).toEqual({ name: 'first' });
      await requests[1]?.ended;
    });
  });

  it('is read to its end as a stream', async () => {
    await withSilence(async (client, requests) => {
      const found = client.search({}, { context: ALWAYS, asStream: true });
      await arrived(requests, 2);
      answer(requests[1]);
      expect(await text((await found) as unknown as Readable)).toBe('{}');
      await requests[0]?.ended;
    });
  });

  it('fails with the error of the first request if the second one fails too', async () => {
    await withSilence(async (client, requests) => {
      const found = client.search({}, { context: ALWAYS });
      const failed = expect(found).rejects.toThrow(errors.ResponseError);
      await arrived(requests, 2);
      requests[1]?.socket.destroy();
      requests[0]?.response.writeHead(500, ELASTICSEARCH).end('{}');
      await failed;
    });
  });

  it('ends, with both requests, when nobody waits for it any more', async () => {
    await withSilence(async (client, requests) => {
      const leaving = new AbortController();
      const failed = expect(client.search({}, { context: ALWAYS, signal: leaving.signal })).rejects.toThrow();
      await arrived(requests, 2);
      leaving.abort();
      await failed;
      await Promise.all(requests.map(({ ended }) => ended));
    });
  });

  it('is one of several that are sent again one after the other, so that a slow server does not get twice the searches', async () => {
    await withSilence(async (client, requests) => {
      const found = [1, 2, 3].map(() => client.search({}, { context: ALWAYS }));
      for (const count of [4, 5, 6]) {
        await arrived(requests, count);
        expect(requests).toHaveLength(count);
        answer(requests[count - 1]);
      }
      expect(await Promise.all(found)).toEqual([{}, {}, {}]);
    });
  });

  it.each([
    ['others wait for their turn', { context: { isAllowed: () => false } }],
    ['it is not a short one that may be repeated', {}],
  ])('is not sent again if %s', async (_, options) => {
    await withSilence(async (client, requests) => {
      const found = client.search({}, options);
      const other = client.search({}, { context: ALWAYS });
      await arrived(requests, 3);
      requests.forEach((request) => answer(request));
      expect(await Promise.all([found, other])).toEqual([{}, {}]);
    });
  });
});

it('a connection that does not come about fails before the request would, so that another node can be asked', async () => {
  const silent = await silentServer();
  const alone = connectElasticsearch(`https://${silent.address}`, 600);
  await expect(alone.index({ index: 'items', document: {} })).rejects.toThrow(/Connect Timeout/);
  const good = await startHttpServer((_, response) => response.writeHead(200, ELASTICSEARCH).end('{}'));
  const both = connectElasticsearch(`https://${silent.address},${good.url}`, 600);
  for (let n = 0; n < 2; n++) expect(await both.index({ index: 'items', document: {} })).toEqual({});
  await Promise.all([alone.close(), both.close()]);
  await Promise.all([silent.stop(), good.stop()]);
});

long.it('a connection that is idle for longer than a firewall may remember it is closed', async () => {
  const open = new Set<Socket>();
  const respond: RequestListener = ({ socket }, response) => {
    open.add(socket.once('close', () => open.delete(socket)));
    response.writeHead(200, { ...ELASTICSEARCH, 'keep-alive': 'timeout=600' }).end('{}');
  };
  await withServer(respond, async (client) => {
    await client.info();
    await until('it is closed', () => open.size === 0, 59_000);
  });
});

describe('with two nodes,', () => {
  async function withNodes(respondWrongly: RequestListener, use: (client: Elasticsearch) => Promise<void>): Promise<void> {
    const bad = await startHttpServer(respondWrongly);
    const good = await startHttpServer((_, response) => response.writeHead(200, ELASTICSEARCH).end('{}'));
    const client = connectElasticsearch(`${bad.url},${good.url}`, 5_000);
    await use(client).finally(() => client.close());
    for (const node of [bad, good]) await node.stop();
  }

  it.each<[string, (client: Elasticsearch) => Promise<unknown>, number]>([
    ['a search is repeated by the other', (client) => client.search({}), 0],
    ['a change is not repeated, because the node may have made it', (client) => client.index({ index: 'items', document: {} }), 1],
  ])('of which one ends each connection after the request, %s', async (_, request, failures) => {
    let failed = 0;
    await withNodes(
      (incoming) => incoming.on('end', () => incoming.socket.destroy()).resume(),
      async (client) => {
        for (let n = 0; n < 2; n++) await request(client).catch(() => failed++);
      },
    );
    expect(failed).toBe(failures);
  });

  it('a search that one cannot answer, because it has no master, is answered by the other', async () => {
    await withNodes(
      (_, response) => response.writeHead(503, ELASTICSEARCH).end('{"error":{"type":"master_not_discovered_exception"}}'),
      async (client) => {
        for (let n = 0; n < 4; n++) expect(await client.search({})).toEqual({});
      },
    );
  });
});

// A complete body and one whose rest does not come end differently.
describe.each(['whole', 'unfinished'])('a streamed response, as to a list, with a body that is %s:', (kind) => {
  const STREAMED = { asStream: true } as const;
  /** Longer than what a connection reads in advance. */
  const UNFINISHED = 'x'.repeat(1_000_000);
  const OTHER_PRODUCT = { 'x-elastic-product': '' };
  const OPENSEARCH_ROOT = '{"version":{"distribution":"opensearch","number":"3.9.0"}}';

  const refuse =
    (status: number, headers = {}): RequestListener =>
    (_, response) => {
      response.writeHead(status, { ...ELASTICSEARCH, ...headers });
      if (kind === 'whole') response.end('{}');
      else response.write(UNFINISHED);
    };

  const succeed: RequestListener = (_, response) => response.writeHead(200, ELASTICSEARCH).end('{}');

  it.each([502, 503, 504])('the %i of one node ends no process, and another node answers', async (status) => {
    const [bad, good] = [await startHttpServer(refuse(status)), await startHttpServer(succeed)];
    const client = connectElasticsearch(`${bad.url},${good.url}`, 5_000);
    for (let n = 0; n < 4; n++) {
      const bodies = await Promise.all([client.search({}, STREAMED), client.msearch({ searches: [] }, STREAMED)]);
      for (const body of bodies) expect(await text(body as unknown as Readable)).toBe('{}');
    }
    await client.close();
    for (const node of [bad, good]) await node.stop();
  });

  it('the 401 of a rotated password ends no process, and the new password is used', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'rotated-')), 'value');
    await writeFile(file, 'http://elastic:second@127.0.0.1');
    process.env['ELASTICSEARCH_URL_FILE'] = file;
    const accepted = `Basic ${Buffer.from('elastic:second').toString('base64')}`;
    const respond: RequestListener = (request, response) =>
      (request.headers.authorization === accepted ? succeed : refuse(401))(request, response);
    await withServer(respond, async (client) => {
      const bodies = await Promise.all(Array.from({ length: 5 }, () => client.search({}, STREAMED)));
      for (const body of bodies) expect(await text(body as unknown as Readable)).toBe('{}');
    }).finally(() => delete process.env['ELASTICSEARCH_URL_FILE']);
  });

  it.each([400, 404, 405, 406])('the %i of a server that was replaced ends no process, and the request has its form', async (status) => {
    let isOpenSearch = true;
    const respond: RequestListener = (request, response) => {
      const isInForm = (request.headers['content-type']?.includes('vnd.elasticsearch') ?? false) !== isOpenSearch;
      const product = isOpenSearch ? OTHER_PRODUCT : {};
      if (request.url === '/') response.writeHead(200, OTHER_PRODUCT).end(OPENSEARCH_ROOT);
      else if (isInForm) response.writeHead(200, { ...ELASTICSEARCH, ...product }).end('{}');
      else refuse(status, product)(request, response);
    };
    await withServer(respond, async (client) => {
      for (const kind of [true, false, true]) {
        isOpenSearch = kind;
        expect(await text((await client.search({}, STREAMED)) as unknown as Readable)).toBe('{}');
      }
    });
  });

  it.each([
    ['of another product', '{}', errors.ProductNotSupportedError],
    ['of an OpenSearch that is too old', '{"version":{"distribution":"opensearch","number":"2.0.0"}}', /2\.0\.0/],
  ])('that %s is an error, and keeps no connection', async (_, root, error) => {
    const open = new Set<unknown>();
    const respond: RequestListener = (request, response) => {
      open.add(request.socket.once('close', () => open.delete(request.socket)));
      if (request.url === '/') response.setHeader('connection', 'close').end(root);
      else refuse(200, OTHER_PRODUCT)(request, response);
    };
    await withServer(respond, async (client) => {
      await expect(client.search({}, STREAMED)).rejects.toThrow(error);
      await until('no connection is open', () => open.size === 0, 60_000);
    });
  });
});

const item = (status: number, type?: string) => ({ _index: 'i', status, ...(type && { error: { type } }) });
const response = (statusCode: number, type?: string) => new errors.ResponseError({ statusCode, body: { error: { type } } } as never);

type Row = [status: number, type: string | undefined, outcome: Outcome, kind: ErrorKind | undefined];

const ANY_RESPONSE: Row[] = [
  [409, 'version_conflict_engine_exception', 'done', undefined],
  [400, 'index_closed_exception', 'retry', 'blocked'],
  [403, 'cluster_block_exception', 'retry', 'blocked'],
  [429, 'cluster_block_exception', 'retry', 'blocked'],
  [503, 'cluster_block_exception', 'retry', 'blocked'],
  [429, 'es_rejected_execution_exception', 'retry', 'overloaded'],
  [429, 'circuit_breaking_exception', 'retry', 'overloaded'],
  [429, undefined, 'retry', 'overloaded'],
  [401, 'security_exception', 'retry', 'forbidden'],
  [403, 'security_exception', 'retry', 'forbidden'],
  [404, 'index_not_found_exception', 'retry', 'missing'],
  [404, 'search_context_missing_exception', 'retry', 'bad_request'],
  [400, 'something_unlisted', 'retry', 'bad_request'],
  [400, undefined, 'retry', 'bad_request'],
  [406, 'media_type_header_exception', 'retry', 'bad_request'],
  [409, 'something_unlisted', 'retry', 'bad_request'],
  [500, 'something_unlisted', 'retry', 'unavailable'],
  [502, undefined, 'retry', 'unavailable'],
  [503, 'unavailable_shards_exception', 'retry', 'unavailable'],
];

const DOCUMENT_ERRORS: [type: string][] = [
  ['document_parsing_exception'],
  ['mapper_parsing_exception'],
  ['strict_dynamic_mapping_exception'],
  ['illegal_argument_exception'],
  ['action_request_validation_exception'],
];

describe('a response of Elasticsearch has the same meaning for a request and for an item of a bulk response', () => {
  it.each(ANY_RESPONSE)('status %s with type %s means: %s, kind %s', (status, type, outcome, kind) => {
    expect(classifyItem(item(status, type))).toEqual({ outcome, kind });
    expect(classifyFailedRequest('request', response(status, type))).toEqual({ outcome, kind });
    expect(classifyFailedRequest('document', response(status, type))).toEqual({ outcome, kind });
  });
});

describe('an item of a bulk response', () => {
  it.each([200, 201])('is done with status %s', (status) => {
    expect(classifyItem(item(status))).toEqual({ outcome: 'done', kind: undefined });
  });

  it('is done when the document to delete does not exist', () => {
    expect(classifyItem({ _index: 'i', status: 404, result: 'not_found' })).toEqual({ outcome: 'done', kind: undefined });
  });

  it('is retried when an ingest pipeline drops the document', () => {
    expect(classifyItem({ _index: 'i', status: 200, result: 'noop' })).toEqual({ outcome: 'retry', kind: 'bad_request' });
  });

  it.each(DOCUMENT_ERRORS)('is rejected as an invalid document with type %s', (type) => {
    expect(classifyItem(item(400, type))).toEqual({ outcome: 'reject', kind: 'invalid_document' });
  });
});

describe('a request that failed as a whole', () => {
  it.each(DOCUMENT_ERRORS)('is retried as a bad request with type %s', (type) => {
    expect(classifyFailedRequest('request', response(400, type))).toEqual({ outcome: 'retry', kind: 'bad_request' });
    expect(classifyFailedRequest('document', response(400, type))).toEqual({ outcome: 'retry', kind: 'bad_request' });
  });

  it('is rejected with status 413 only if it has a single document', () => {
    expect(classifyFailedRequest('document', response(413))).toEqual({ outcome: 'reject', kind: 'invalid_document' });
    expect(classifyFailedRequest('request', response(413))).toEqual({ outcome: 'retry', kind: 'bad_request' });
  });

  it.each([
    ['a timeout', new errors.TimeoutError('too late')],
    ['a broken connection', new errors.ConnectionError('closed')],
    ['an unknown error', new Error('unknown')],
  ])('is retried when it has no response because of %s', (_, error) => {
    expect(classifyFailedRequest('request', error)).toEqual({ outcome: 'retry', kind: 'no_response' });
  });
});

it('the items of a bulk response are counted once for each kind, and not at all if they are done', () => {
  const items = [item(201), item(429), item(429), item(400, 'document_parsing_exception'), item(409, 'version_conflict_engine_exception')];
  expect([...errorKindsOf(items.map((index) => ({ index })))]).toEqual(['overloaded', 'invalid_document']);
});

it('the metric counts a single document that is too large as invalid, and a larger bulk request as bad', async () => {
  const registry = new Registry();
  const counted = async (client: Elasticsearch, changes: Change[]): Promise<string[]> => {
    registry.resetMetrics();
    await writeChanges(client, 'i', changes);
    const values = (await registry.getSingleMetric('ugc_elasticsearch_errors_total')?.get())?.values ?? [];
    return values.filter(({ value }) => value > 0).map(({ labels, value }) => `${labels['kind']}: ${value}`);
  };
  const [one, another] = [1, 2].map((contentId): Change => ({ contentId, revision: 1, source: '{}' }));
  await withServer(
    (_, response) => response.writeHead(413, { 'x-elastic-product': 'Elasticsearch' }).end(),
    async (client) => {
      countElasticsearchErrors(registry, client);
      expect(await counted(client, [one!])).toEqual(['invalid_document: 1']);
      expect(await counted(client, [one!, another!])).toEqual(['bad_request: 1', 'invalid_document: 2']);
    },
  );
});

describe('opensearch', () => {
  type Kind = 'Elasticsearch' | 'OpenSearch' | 'a proxy' | 'a proxy without its node';
  type Received = { method: string; url: string; body: unknown };

  const BODY = { ok: true };
  const EXACT = { 'search.concurrent_segment_search.mode': 'none' };

  /** A server of each kind at one address; `kind` and `version` can be changed while clients are connected. */
  class Changing {
    kind: Kind;
    version = '3.9.0';
    readonly received: Received[] = [];
    readonly respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method = '', url = '' } = request;
      const written = await text(request);
      const body: unknown = written === '' ? undefined : JSON.parse(written);
      const [status, headers, sent] = this.#responseTo(request);
      this.received.push({ method, url, body });
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(sent));
    };

    constructor(kind: Kind) {
      this.kind = kind;
    }

    #responseTo({ headers, url = '' }: IncomingMessage): [number, Record<string, string>, unknown] {
      const isVendored = headers['content-type']?.includes('vnd.elasticsearch') ?? false;
      switch (this.kind) {
        case 'Elasticsearch': {
          const product = { 'x-elastic-product': 'Elasticsearch' };
          return url.includes('/_search/') ? [400, product, { error: { type: 'no_handler' } }] : [200, product, BODY];
        }
        case 'OpenSearch':
          if (isVendored) return [406, {}, { error: 'Content-Type header is not supported' }];
          if (url === '/') return [200, {}, { version: { distribution: 'opensearch', number: this.version } }];
          return url.includes('missing')
            ? [404, {}, { error: { type: 'index_not_found_exception' } }]
            : [200, {}, { ...BODY, pit_id: 'p' }];
        case 'a proxy':
          return [404, {}, { error: { type: 'not_found' } }];
        case 'a proxy without its node':
          return [503, {}, {}];
      }
    }

    askedFor(path: string): Received[] {
      return this.received.filter(({ url }) => url === path);
    }
  }

  async function withServer(kind: Kind, use: (client: Elasticsearch, server: Changing, url: string) => Promise<void>): Promise<void> {
    const changing = new Changing(kind);
    const { url, stop } = await startHttpServer((request, response) => void changing.respond(request, response));
    const client = connectElasticsearch(url, 5_000);
    await use(client, changing, url).finally(() => client.close());
    await stop();
  }

  const messageOf = (request: Promise<unknown>, url: string): Promise<string | undefined> =>
    request.then(
      () => undefined,
      (error: unknown) => describeElasticsearchFailure(error, url)?.message,
    );

  it('Elasticsearch is never asked what it is', async () => {
    await withServer('Elasticsearch', async (client, server) => {
      expect(await client.search({ index: 'items' })).toEqual(BODY);
      await Promise.all([client.search({ index: 'items' }), client.cluster.health()]);
      expect(server.received).toHaveLength(3);
    });
  });

  it('OpenSearch is asked once what it is, also by concurrent requests, and each of them succeeds', async () => {
    await withServer('OpenSearch', async (client, server) => {
      const searches = Array.from({ length: 10 }, () => client.search({ index: 'items' }));
      for (const found of await Promise.all(searches)) expect(found).toMatchObject(BODY);
      await client.search({ index: 'items' });
      expect(server.askedFor('/')).toHaveLength(1);
    });
  });

  it('an error of OpenSearch stays what it is, and is not taken for one of another service', async () => {
    await withServer('OpenSearch', async (client, _, url) => {
      await expect(client.search({ index: 'missing' })).rejects.toThrow(errors.ResponseError);
      expect(await messageOf(client.search({ index: 'missing' }), url)).toMatch(/: 404 index_not_found_exception\.$/);
    });
  });

  it('a client keeps working when the server is replaced by that of the other kind', async () => {
    await withServer('Elasticsearch', async (client, server) => {
      for (const kind of ['OpenSearch', 'Elasticsearch', 'OpenSearch'] as const) {
        await client.search({ index: 'items' });
        server.kind = kind;
        const { id } = await client.openPointInTime({ index: 'items', keep_alive: '1s' });
        expect(id).toBe(kind === 'OpenSearch' ? 'p' : undefined);
        expect(await client.search({ index: 'items' })).toMatchObject(BODY);
      }
    });
  });

  it.each(['2.19.6', '3.1.0'])('an OpenSearch %s is refused with a sentence, until it is upgraded', async (version) => {
    await withServer('OpenSearch', async (client, server, url) => {
      server.version = version;
      expect(await messageOf(client.search({ index: 'items' }), url)).toBe(
        `Elasticsearch at ${new URL(url).host}: is OpenSearch ${version}, and this service needs version 3.2 or newer: upgrade it.`,
      );
      server.version = '3.2.0';
      expect(await client.search({ index: 'items' })).toMatchObject(BODY);
    });
  });

  it('a server that is neither is not taken for OpenSearch', async () => {
    await withServer('a proxy', async (client, _, url) => {
      expect(await messageOf(client.search({ index: 'items' }), url)).toMatch(/It is not Elasticsearch.*: correct ELASTICSEARCH_URL/);
    });
  });

  it('a proxy without its node is not asked what it is, so that it does not get twice the requests', async () => {
    await withServer('a proxy without its node', async (client, server) => {
      await expect(client.search({ index: 'items' })).rejects.toThrow(errors.ResponseError);
      expect(server.received).toHaveLength(1);
    });
  });

  it('requests that OpenSearch has in another form are sent in it', async () => {
    await withServer('OpenSearch', async (client, server) => {
      await client.search({ index: 'items' });
      server.received.length = 0;
      await client.openPointInTime({ index: 'items', keep_alive: '1s', preference: 'one' });
      await client.closePointInTime({ id: 'p' });
      await client.indices.putIndexTemplate({ name: 'items', index_patterns: ['items'], priority: 500, allow_auto_create: false });
      await client.indices.create({ index: 'items', settings: { number_of_shards: 1 } });
      await client.indices.create({ index: 'others' });
      await client.search({
        index: 'items',
        aggs: { sample: { random_sampler: { probability: 0.1, seed: 7 }, aggs: { of: { max: { field: 'n' } } } } },
      });
      await client.search({
        index: 'items',
        aggregations: { sample: { random_sampler: { probability: 0.1 }, meta: { orAll: true }, aggs: { of: { max: { field: 'n' } } } } },
      });
      expect(server.received).toEqual([
        {
          method: 'POST',
          url: '/items/_search/point_in_time?keep_alive=1s&preference=one&allow_partial_pit_creation=false',
          body: undefined,
        },
        { method: 'DELETE', url: '/_search/point_in_time', body: { pit_id: ['p'] } },
        { method: 'PUT', url: '/_index_template/items', body: { index_patterns: ['items'], priority: 500 } },
        { method: 'PUT', url: '/items', body: { settings: { number_of_shards: 1, ...EXACT } } },
        { method: 'PUT', url: '/others', body: { settings: EXACT } },
        {
          method: 'POST',
          url: '/items/_search',
          body: {
            aggs: {
              sample: { filter: { function_score: expect.objectContaining({ min_score: 0.9 }) }, aggs: { of: { max: { field: 'n' } } } },
            },
          },
        },
        {
          method: 'POST',
          url: '/items/_search',
          body: {
            aggregations: { sample: { filter: { match_all: {} }, meta: { orAll: true }, aggs: { of: { max: { field: 'n' } } } } },
          },
        },
      ]);
    });
  });
});

const change = (contentId: number, source: string): Change => ({ contentId, revision: 7, source });
const resultOf = (status: number, type?: string, more?: object) =>
  toWriteResult({ _index: 'i', status, ...(type && { error: { type, reason: 'because', ...more } }) });

describe('the result of writing a change', () => {
  it('has the type and the reason of the error', () => {
    expect(resultOf(400, 'document_parsing_exception')).toEqual({ outcome: 'reject', reason: 'document_parsing_exception: because' });
  });

  it('does not quote the document in its reason', () => {
    const secret = {
      reason: "failed to parse. Preview of field's value: 'secret'",
      caused_by: { type: 'number_format', reason: 'secret' },
    };
    expect(resultOf(400, 'document_parsing_exception', secret)).toEqual({
      outcome: 'reject',
      reason: 'document_parsing_exception: failed to parse. (number_format)',
    });
  });
});

describe('a bulk request', () => {
  it('sends complete documents with their revision as external version', () => {
    expect(bulkLines([change(5, '{"a":1}')])).toEqual(['{"index":{"_id":"5","version":7,"version_type":"external_gte"}}', '{"a":1}']);
  });

  it.each([
    ['holds all changes that fit', ['aa', 'bb', 'c'], [['aa', 'bb', 'c']]],
    ['is split before it exceeds the limit', ['aaa', 'bbb', 'cc'], [['aaa'], ['bbb', 'cc']]],
    ['holds a document above the limit alone', ['aaaaaaaa', 'b'], [['aaaaaaaa'], ['b']]],
    ['is measured in bytes, not in characters', ['ééé', 'b'], [['ééé'], ['b']]],
    ['holds no more documents than the limit', ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
    ['is not sent without changes', [], []],
  ])('with a limit of five bytes and three documents %s', (_guarantee, sources, batches) => {
    const changes = sources.map((source, position) => change(position, source));
    expect(splitIntoBulks(changes, { bytes: 5, documents: 3 }).map((batch) => batch.map(({ source }) => source))).toEqual(batches);
  });
});

const row = indexedContent({ creatorName: 'Ådå 3/4', name: 'Café C++', description: 'Für .NET', tags: ['R2-D2', 'Öl'], creatorId: 7, downloadsCount: 4_321, avgRating: 3.9 }); // prettier-ignore

it('a document has the folded text of all searched fields, and the keys by which items are found and counted', () => {
  expect(toDocument(row, NEWEST_RULES)).toMatchObject({
    name: 'Café C++',
    folded: {
      name: 'cafe c++',
      tags: ['r2-d2', 'ol'],
      description: 'fur .net',
      creatorName: 'ada 3/4',
      repeated: ['cafe c++', 'cafe c++', 'r2-d2', 'ol'],
    },
    literals: ['c++', 'r2-d2', '3/4', '.net'],
    nameKey: ['cafe c++', '\0cafe c++', '\0\0cafec++'],
    tagKeys: ['r2-d2\0R2-D2', 'ol\0Öl'],
    facets: { creatorId: '7', stars: '3', downloads: '1000' },
    quality: expect.any(Number),
    qualityFactor: expect.any(Number),
  });
});

it('a document of an older index follows the rules of that index', () => {
  const item = { ...row, name: 'OakenBridge', tags: ['Wintermantel'], description: 'für den Winter', fileName: 'plan_7.stl' };
  const older = toDocument(item, OLDER_RULES);
  expect(older).not.toHaveProperty('nameParts');
  expect(JSON.stringify(older)).not.toContain('part:');
  expect(toDocument(item, NEWEST_RULES)).toMatchObject({
    forms: expect.arrayContaining(['part:bridg', 'part:mantel', 'part:stl']),
    nameParts: expect.arrayContaining(['part:oaken', 'part:bridg']),
  });
  const others = { ...NEWEST_RULES, hasPopularity: false };
  expect({ ...toDocument(item, others), forms: [], nameParts: undefined }).toEqual({ ...older, forms: [], nameParts: undefined });
});

it('a document says how often users have downloaded the item, which alone decides its quality, unless its index is older', () => {
  const counted = { ...row, downloadsCount: 4_000, userDownloads: 30, latestUserDownloads: 20, heatDay: 1.5, heatWeek: -2 };
  const { heatDay, heatWeek, userDownloads, latestUserDownloads, facets, quality } = toDocument(counted, NEWEST_RULES) as ContentDocument;
  expect([heatDay, heatWeek, userDownloads, latestUserDownloads]).toEqual([1.5, -2, 30, 20]);
  expect(facets).toMatchObject({ downloads: '1000', userDownloads: '10' });
  expect(toDocument({ ...counted, downloadsCount: 30 }, NEWEST_RULES)).toMatchObject({ quality });
  const older = toDocument(counted, OLDER_RULES);
  expect(older).toMatchObject(qualityOf(counted));
  expect(Object.keys(older)).not.toEqual(expect.arrayContaining(['userDownloads']));
  expect(toDocument({ ...counted, userDownloads: 4_000 }, OLDER_RULES)).toEqual(older);
});

it('an index without `data` receives none, and the same document otherwise', () => {
  const sourceOf = (item: IndexedContent, hasData: boolean) =>
    toChange(item, { rules: NEWEST_RULES, hasData, definitions: NO_FIELDS }).source ?? '';
  const { data, ...others } = JSON.parse(sourceOf({ ...row, data: 'long' }, true)) as Record<string, unknown>;
  expect(data).toBe('long');
  expect(JSON.parse(sourceOf({ ...row, data: 'long' }, false))).toEqual(others);
  const deleted = { ...row, deletedAt: new Date(0) };
  expect(sourceOf(deleted, false)).toBe(sourceOf(deleted, true));
});

/** SHA-256 of the settings and the mapping of the mapping version. */
const DIGEST = { 11: 'c4cc2a988add58861de86126c12bc808cf12fdd08317dda2cfb122619285ec6e' };

it('a document has the values of the fields by which its index was made, and their words in its description', () => {
  const read = readDefinitions({ players: { type: 'number' }, summary: { type: 'text' } });
  const definitions = 'definitions' in read ? read.definitions : NO_FIELDS;
  const item = indexedContent({ description: 'A game', fields: { players: 4, summary: 'For c++ Readers', removed: 'x' } });
  const plain = toDocument(item, NEWEST_RULES);
  expect(plain).toEqual({ ...toDocument({ ...item, fields: {} }, NEWEST_RULES), values: item.fields });
  const document = toDocument(item, NEWEST_RULES, definitions);
  expect(document).toMatchObject({ values: item.fields, fields: { number: { players: 4 } }, literals: ['c++'] });
  expect(document).toMatchObject({ folded: { description: ['a game', 'for c++ readers'] } });
  expect(mappingsOf({ INDEX_DATA: true }, NO_FIELDS)).toEqual(INDEX_BODY.mappings);
  expect(mappingsOf({ INDEX_DATA: true }, definitions).properties).toEqual({
    ...INDEX_BODY.mappings.properties,
    fields: { type: 'object', properties: { number: { type: 'object', properties: { players: { type: 'double' } } } } },
  });
});

it('every change of the mapping or the settings raises MAPPING_VERSION, by which services notice it', () => {
  const digest = createHash('sha256').update(JSON.stringify(INDEX_BODY)).digest('hex');
  expect({ [MAPPING_VERSION]: digest }).toEqual(DIGEST);
});

type Indices = Parameters<typeof refreshIndex>[0]['indices'];

function withShards(total: number, failed: number): { indices: Indices } {
  const refresh = () => Promise.resolve({ _shards: { total, successful: total - failed, failed } });
  return { indices: { refresh } as unknown as Indices };
}

it('a refresh that has failed in one of the shards is an error, although Elasticsearch responds with 200', async () => {
  await expect(refreshIndex(withShards(3, 1), 'content')).rejects.toThrow('1 of 3 shards of content could not be refreshed');
  await expect(refreshIndex(withShards(6, 0), 'content')).resolves.toBeUndefined();
});
