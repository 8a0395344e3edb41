import { Client, ClusterConnectionPool, type Connection } from '@elastic/elasticsearch';
import { readFileSync } from 'node:fs';
import { elasticsearchUrls, type ElasticsearchAccess } from '../config/elasticsearch-address.ts';
import { storeTimeout } from '../timing/timeouts.ts';
import { DirectTransport } from './transport.ts';

export type Elasticsearch = Client;

/** A firewall may forget a connection that has been idle for a minute, and drops what is sent on it. */
const IDLE_MAX_MS = 20_000;
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * A new connection asks the name service again: the old address may go on responding after the servers have moved.
 * `clientTtl` is an option of the pools of undici. A request has time left when no connection comes about.
 */
const agentFor = (requestTimeoutMs: number) => ({
  pipelining: 1,
  clientTtl: 300_000,
  keepAliveTimeout: IDLE_MAX_MS,
  keepAliveMaxTimeout: IDLE_MAX_MS,
  connectTimeout: storeTimeout(Math.min(CONNECT_TIMEOUT_MS, requestTimeoutMs / 2)),
});

/**
 * @param url several nodes have commas between them; the user of the first one is that of all
 * @param requestTimeoutMs the client has no timeout by default, so a server that hangs would block requests forever
 * @param access an API key is used in place of a user in the URL
 */
export function connectElasticsearch(url: string, requestTimeoutMs: number, access: ElasticsearchAccess = {}): Elasticsearch {
  const nodes = elasticsearchUrls(url) ?? [];
  const { username = '', password = '' } = nodes[0] ?? {};
  const user = username === '' ? undefined : { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  const { ELASTICSEARCH_API_KEY: apiKey } = access;
  const auth = apiKey === undefined ? user : { apiKey };
  return new Client({
    // The client's errors contain the URL of the node.
    nodes: nodes.map(withoutCredentials),
    ...(auth && { auth }),
    ...clientCertificate(access),
    requestTimeout: storeTimeout(requestTimeoutMs),
    agent: agentFor(requestTimeoutMs),
    Transport: DirectTransport,
    ...(nodes.length > 1 && { ConnectionPool: NodePool }),
  });
}

function clientCertificate({ ELASTICSEARCH_CLIENT_CERT_FILE: cert, ELASTICSEARCH_CLIENT_KEY_FILE: key }: ElasticsearchAccess) {
  return cert === undefined || key === undefined ? {} : { tls: { cert: readFileSync(cert), key: readFileSync(key) } };
}

/**
 * A node that does not respond is asked again after a minute. The client's own pool waits longer after each failed
 * request, so that a few concurrent ones make it half an hour.
 */
class NodePool extends ClusterConnectionPool {
  override markDead(connection: Connection): this {
    connection.deadCount = 0;
    return super.markDead(connection);
  }
}

function withoutCredentials(url: URL): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
