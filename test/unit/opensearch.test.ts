import { expect, it } from '@jest/globals';
import { errors } from '@elastic/elasticsearch';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { describeElasticsearchFailure } from '@ugc/shared/stores/elasticsearch-failure';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Kind = 'Elasticsearch' | 'OpenSearch' | 'a proxy' | 'a proxy without its node';
type Received = { method: string; url: string; body: unknown };

const BODY = { ok: true };
const EXACT = { 'search.concurrent_segment_search.mode': 'none' };

/** A server of each kind at one address; `kind` and `version` can be changed while clients are connected. */
class Changing {
  kind: Kind;
  version = '3.9.0';
  readonly received: Received[] = [];
  readonly #respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request;
    const written = await text(request);
    const body: unknown = written === '' ? undefined : JSON.parse(written);
    const [status, headers, sent] = this.#responseTo(request);
    this.received.push({ method, url, body });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(sent));
  };
  readonly server = createServer((request, response) => void this.#respond(request, response));

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
        return url.includes('missing') ? [404, {}, { error: { type: 'index_not_found_exception' } }] : [200, {}, { ...BODY, pit_id: 'p' }];
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
  await once(changing.server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(changing.server.address() as AddressInfo).port}`;
  const client = connectElasticsearch(url, 5_000);
  await use(client, changing, url).finally(() => client.close());
  changing.server.close();
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
    expect(await messageOf(client.search({ index: 'missing' }), url)).toMatch(/rejects a request \(404 index_not_found_exception\)/);
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
      `The server at ${new URL(url).host} is OpenSearch ${version}, and this service needs version 3.2 or newer: upgrade it.`,
    );
    server.version = '3.2.0';
    expect(await client.search({ index: 'items' })).toMatchObject(BODY);
  });
});

it('a server that is neither is not taken for OpenSearch', async () => {
  await withServer('a proxy', async (client, _, url) => {
    expect(await messageOf(client.search({ index: 'items' }), url)).toMatch(/is not Elasticsearch: correct ELASTICSEARCH_URL/);
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
    ]);
  });
});
