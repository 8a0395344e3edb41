import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { startAnotherApi } from '../../../test/support/processes/api-alone.ts';
import type { BenchStack } from './bench-stack.ts';

type Search = { path: string; body: string };
/** Requests to Elasticsearch, by the query string of the list that they answer. */
export type RecordedSearches = Record<string, Search[]>;

const SEARCH_PATH = /_m?search/;

/**
 * Requests each list twice in a row from an API whose requests to Elasticsearch are recorded. @returns the requests of the
 * second time: the first time, the API also looks up the words of the prompt, and it remembers them for a few seconds.
 */
export async function recordSearches({ cluster, users }: BenchStack, queries: string[]): Promise<RecordedSearches> {
  const recorder = await startRecorder(cluster.env['ELASTICSEARCH_URL'] ?? '');
  const api = await startAnotherApi({ ...cluster.env, ELASTICSEARCH_URL: recorder.url, LOG_LEVEL: 'silent' });
  const headers = { authorization: users[0]?.authorization ?? '' };
  const recorded: RecordedSearches = {};
  const list = async (query: string): Promise<Search[]> => {
    recorder.takeSearches();
    const { status } = await fetch(`${api.client.baseUrl}/api/content?${query}`, { headers });
    if (status !== 200) throw new Error(`the list ${query} returned ${status}`);
    return recorder.takeSearches();
  };
  for (const query of queries) {
    await list(query);
    recorded[query] = await list(query);
  }
  await api.stop();
  recorder.close();
  return recorded;
}

async function startRecorder(elasticsearchUrl: string) {
  let searches: Search[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { url: path = '', method, headers } = request;
    if (SEARCH_PATH.test(path)) searches.push({ path, body: body.toString() });
    send(new URL(path, elasticsearchUrl), { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    }).end(body);
  };
  const server = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const takeSearches = (): Search[] => {
    const taken = searches;
    searches = [];
    return taken;
  };
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, takeSearches, close };
}
