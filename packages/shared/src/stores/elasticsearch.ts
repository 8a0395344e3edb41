import { Client, SniffingTransport, type TransportOptions } from '@elastic/elasticsearch';

export type Elasticsearch = Client;

/** @param requestTimeoutMs the client has no timeout by default, so a server that hangs would block requests forever */
export function connectElasticsearch(url: string, requestTimeoutMs: number): Elasticsearch {
  const { username, password } = new URL(url);
  return new Client({
    // The client's errors contain the URL of the node.
    node: withoutCredentials(url),
    ...(username !== '' && { auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
    requestTimeout: requestTimeoutMs,
    maxRetries: 0,
    Transport: TransportWithoutSpans,
  });
}

/** Spans that nobody collects took 5 % of the processor time of a list. */
class TransportWithoutSpans extends SniffingTransport {
  constructor(options: TransportOptions) {
    super({ ...options, openTelemetry: { enabled: false } });
  }
}

function withoutCredentials(url: string): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
