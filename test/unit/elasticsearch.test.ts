import { expect, it } from '@jest/globals';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

it('the password of ELASTICSEARCH_URL is sent as authorization and is absent from URLs that errors contain', async () => {
  const server = createServer((_, response) => response.writeHead(200, { 'x-elastic-product': 'Elasticsearch' }).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectElasticsearch(`http://elastic:s%40cret@127.0.0.1:${(server.address() as AddressInfo).port}`, 1_000);
  const [request] = await Promise.all([once(server, 'request') as Promise<[IncomingMessage]>, client.ping()]);
  expect(request[0].headers.authorization).toBe(`Basic ${Buffer.from('elastic:s@cret').toString('base64')}`);
  expect(client.connectionPool.connections.map(({ url }) => url.href).join()).not.toMatch(/elastic|cret/);
  await client.close();
  server.close();
});
