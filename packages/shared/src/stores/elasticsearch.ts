import { Client } from '@elastic/elasticsearch';
import { SingleNodeTransport } from './elasticsearch-transport.ts';

export type Elasticsearch = Client;

/** @param requestTimeoutMs the client has no timeout by default, so a server that hangs would block requests forever */
export function connectElasticsearch(url: string, requestTimeoutMs: number): Elasticsearch {
  const { username, password } = new URL(url);
  return new Client({
    // The client's errors contain the URL of the node.
    node: withoutCredentials(url),
    ...(username !== '' && { auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
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
