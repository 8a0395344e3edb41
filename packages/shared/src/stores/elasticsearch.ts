import { Client } from '@elastic/elasticsearch';

export type Elasticsearch = Client;

/** @param requestTimeoutMs the client's own default is none, so a hung server would hang its callers for ever */
export function connectElasticsearch(url: string, requestTimeoutMs: number): Elasticsearch {
  const { username, password } = new URL(url);
  return new Client({
    // The client's errors name the node as it was given.
    node: withoutCredentials(url),
    ...(username !== '' && { auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
    requestTimeout: requestTimeoutMs,
    maxRetries: 0,
  });
}

function withoutCredentials(url: string): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
