import { describe, expect, it } from '@jest/globals';
import { errors } from '@elastic/elasticsearch';
import { connectElasticsearch, type Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { describeElasticsearchFailure } from '@ugc/shared/stores/elasticsearch-failure';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

const ELASTICSEARCH = { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/vnd.elasticsearch+json;compatible-with=9' };

it('the password of ELASTICSEARCH_URL is sent as authorization and is absent from URLs that errors contain', async () => {
  const server = createServer((_, response) => response.writeHead(200, ELASTICSEARCH).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectElasticsearch(`http://elastic:s%40cret@127.0.0.1:${(server.address() as AddressInfo).port}`, 1_000);
  const [request] = await Promise.all([once(server, 'request') as Promise<[IncomingMessage]>, client.ping()]);
  expect(request[0].headers.authorization).toBe(`Basic ${Buffer.from('elastic:s@cret').toString('base64')}`);
  expect(client.connectionPool.connections.map(({ url }) => url.href).join()).not.toMatch(/elastic|cret/);
  await client.close();
  server.close();
});

it('an API key is sent in place of a user', async () => {
  const server = createServer((_, response) => response.writeHead(200, ELASTICSEARCH).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectElasticsearch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1_000, {
    ELASTICSEARCH_API_KEY: 'aWQ6c2VjcmV0',
  });
  const [request] = await Promise.all([once(server, 'request') as Promise<[IncomingMessage]>, client.ping()]);
  expect(request[0].headers.authorization).toBe('ApiKey aWQ6c2VjcmV0');
  await client.close();
  server.close();
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
      expect(describeElasticsearchFailure(error, 'http://es:9200')?.message).toMatch(/must keep the header X-Elastic-Product/);
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
        'Elasticsearch at es:9200 redirects to another address (301): correct ELASTICSEARCH_URL.',
      );
    },
  );
});

it.each([
  ['ELASTICSEARCH_URL', {}],
  ['ELASTICSEARCH_API_KEY', { ELASTICSEARCH_API_KEY: 'aWQ6c2VjcmV0' }],
])('credentials in %s that are not accepted are named', async (name, access) => {
  await withServer(
    (_, response) => response.writeHead(401, ELASTICSEARCH).end('{"error":{"type":"security_exception"}}'),
    async (client) => {
      const error: unknown = await client.search({}).catch((reason: unknown) => reason);
      expect(describeElasticsearchFailure(error, 'http://es:9200', access)?.message).toContain(`the credentials in ${name} (401`);
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
  const server = createServer(respond);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectElasticsearch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1_000);
  await use(client).finally(() => client.close());
  server.close();
}

describe('with two nodes, of which one ends each connection after the request', () => {
  const REQUESTS: [string, (client: Elasticsearch) => Promise<unknown>, number][] = [
    ['a search is repeated by the other', (client) => client.search({}), 0],
    ['a change is not repeated, because the node may have made it', (client) => client.index({ index: 'items', document: {} }), 1],
  ];
  it.each(REQUESTS)('%s', async (_, request, failures) => {
    let failed = 0;
    await withServer(
      (__, response) => response.writeHead(200, ELASTICSEARCH).end('{}'),
      async (good) => {
        await withServer(
          (incoming) => incoming.on('end', () => incoming.socket.destroy()).resume(),
          async (bad) => {
            const urls = [bad, good].map((client) => client.connectionPool.connections[0]?.url.href ?? '');
            const client = connectElasticsearch(urls.join(','), 5_000);
            for (let n = 0; n < 2; n++) await request(client).catch(() => failed++);
            await client.close();
          },
        );
      },
    );
    expect(failed).toBe(failures);
  });
});

it('a search that one of two nodes cannot answer, because it has no master, is answered by the other', async () => {
  await withServer(
    (_, response) => response.writeHead(200, ELASTICSEARCH).end('{}'),
    async (good) => {
      await withServer(
        (_, response) => response.writeHead(503, ELASTICSEARCH).end('{"error":{"type":"master_not_discovered_exception"}}'),
        async (bad) => {
          const urls = [bad, good].map((client) => client.connectionPool.connections[0]?.url.href ?? '');
          const client = connectElasticsearch(urls.join(','), 5_000);
          for (let n = 0; n < 4; n++) expect(await client.search({})).toEqual({});
          await client.close();
        },
      );
    },
  );
});
