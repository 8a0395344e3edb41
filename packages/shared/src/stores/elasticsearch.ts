import { Client } from '@elastic/elasticsearch';
import { SingleNodeTransport } from './elasticsearch-transport.ts';

export type Elasticsearch = Client;

/**
 * @param requestTimeoutMs the client has no timeout by default, so a server that hangs would block requests forever
 * @param apiKey in place of a user in the URL
 */
export function connectElasticsearch(url: string, requestTimeoutMs: number, apiKey?: string): Elasticsearch {
  const { username, password } = new URL(url);
  const user = username === '' ? undefined : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  const auth = apiKey === undefined ? user : { apiKey };
  return new Client({
    // The client's errors contain the URL of the node.
    node: withoutCredentials(url),
    ...(auth && { auth }),
    requestTimeout: requestTimeoutMs,
    Transport: SingleNodeTransport,
  });
}

function withoutCredentials(url: string): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
