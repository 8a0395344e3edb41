import { Client } from '@elastic/elasticsearch';

export type Elasticsearch = Client;

/** @param requestTimeoutMs the client's own default is none, so a hung server would hang its callers for ever */
export function connectElasticsearch(url: string, requestTimeoutMs: number): Elasticsearch {
  return new Client({ node: url, requestTimeout: requestTimeoutMs, maxRetries: 0 });
}
