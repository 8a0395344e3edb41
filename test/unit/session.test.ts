import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SearchFailed } from '@ugc/api/search/response';
import { Session } from '@ugc/api/search/session';
import { connectElasticsearch } from '@ugc/shared/stores/elasticsearch';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callerWithoutLimits } from '../support/search/caller.ts';

const ignore = (): void => undefined;

// Elasticsearch behind a network that is lost while it responds.
let server: Server;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'X-Elastic-Product': 'Elasticsearch' }).write('{"took":1,');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('a search whose response does not end before the deadline has a cause, so that waiting lists are told of the outage', async () => {
  const elasticsearch = connectElasticsearch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 30_000);
  const deadline = new AbortController();
  // The first bytes have arrived.
  const reach = async () => deadline.abort(new SearchFailed('the list timed out'));
  const caller = Object.assign(callerWithoutLimits(), { reserveResponse: async () => ({ reach, end: ignore }) });
  const index = { name: 'content-v5', mappingVersion: 5, shards: 1, hasData: true };
  const source = { elasticsearch, alias: 'content', limits: { PAGE_MAX_BYTES: 1_000, LIST_TIMEOUT_MS: 3_000 } };
  const error: unknown = await new Session(source, caller, { index, signal: deadline.signal })
    .search({})
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(SearchFailed);
  expect((error as SearchFailed).cause).toBeDefined();
  await elasticsearch.close();
});
