import { progressBar } from '@ugc/shared/cli/output';
import { request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { pngOfBytes } from '../../test/support/database/images.ts';
import { insertItems } from '../../test/support/database/insert-items.ts';
import { scrape } from '../../test/support/http/scrape.ts';
import { COSTLY_CHARACTERS, longestDescription } from './costly-characters.ts';
import type { HostileOptions } from './hostile-client.ts';
import { percentile } from './percentile.ts';
import { worstRequests, type WorstRequest } from './worst-requests.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const HOSTILE_USER = 1;
const LARGE_ITEMS_USER = 2;
const OTHER_USER = 3;
const CONNECTIONS = 64;
const REQUESTS = 600;
/** The p99 of another user's requests may grow by this factor while one user sends the most expensive requests. */
const MAX_RATIO = 3;

/** Measures the cost of the most expensive requests, and the latency of another user beside 64 hostile connections. */
export async function benchWorst(): Promise<void> {
  const cluster = await startCluster({}, { DATABASE_POOL_SIZE: '20' });
  const largeItemId = await prepare(cluster);
  await printCosts(cluster, largeItemId);
  await printOtherUser(cluster, largeItemId);
  await cluster.stop();
}

/** @returns the id of an item of the maximum size */
async function prepare(cluster: Cluster): Promise<number> {
  const bar = progressBar('Inserting');
  await insertItems(cluster.database, { count: ITEMS, progress: (inserted) => bar.update(inserted, ITEMS) });
  bar.end();
  const data = '😀'.repeat(100_000);
  for (let n = 0; n < 30; n += 1) await cluster.client.upload({ name: `large ${n}`, data }, LARGE_ITEMS_USER);
  const characters = Object.values(COSTLY_CHARACTERS);
  for (let n = 0; n < 25; n += 1) {
    const description = longestDescription(characters[n % characters.length] ?? '');
    await cluster.client.upload({ name: `marked ${n}`, description, tags: ['longest'] }, HOSTILE_USER);
  }
  const thumbnail = pngOfBytes(524_288).toString('base64');
  const largeItemId = await cluster.client.upload({ name: 'large', data, thumbnail }, HOSTILE_USER);
  await cluster.indexed();
  return largeItemId;
}

async function printCosts(cluster: Cluster, largeItemId: number): Promise<void> {
  const requests = await worstRequests(HOSTILE_USER, largeItemId);
  const rows = [];
  const bar = progressBar('Worst requests');
  for (const [n, worst] of requests.entries()) {
    rows.push(await cost(cluster, worst));
    bar.update(n + 1, requests.length);
  }
  bar.end();
  console.table(rows);
}

const ROUNDS = 5;

/** Sends the request several times: the median of the longest event loop delay, and the mean time in Elasticsearch. */
async function cost(cluster: Cluster, worst: WorstRequest) {
  await send(cluster, worst);
  const index = cluster.env['CONTENT_ALIAS'] ?? '';
  const searchMs = async (): Promise<number> =>
    (await cluster.elasticsearch.indices.stats({ index, metric: 'search' }))._all.total?.search?.query_time_in_millis ?? 0;
  const searchedBefore = await searchMs();
  const blockedMs: number[] = [];
  let response = { status: 0, bytes: 0, ms: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Reading the maximum event loop delay resets it.
    await metrics(cluster);
    response = await send(cluster, worst);
    blockedMs.push(((await metrics(cluster)).get('nodejs_eventloop_lag_max_seconds') ?? NaN) * 1_000);
  }
  const heap = (await metrics(cluster)).get('nodejs_heap_size_used_bytes') ?? NaN;
  return {
    request: worst.what,
    status: response.status,
    'request KB': Math.round((worst.body ?? worst.path).length / 1_000),
    'response KB': Math.round(response.bytes / 1_000),
    'loop blocked ms': Math.round(percentile(blockedMs, 0.5)),
    'Elasticsearch ms': Math.round(((await searchMs()) - searchedBefore) / ROUNDS),
    'response ms': Math.round(response.ms),
    'heap MB': Math.round(heap / 1_000_000),
  };
}

async function metrics(cluster: Cluster): Promise<Map<string, number>> {
  return scrape(cluster.operationsUrl);
}

function send({ client }: Cluster, { method, path, headers, body }: WorstRequest): Promise<{ status: number; bytes: number; ms: number }> {
  const startedAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; bytes: number; ms: number }>();
  const sent = request(`${client.baseUrl}${path}`, { method, headers }, (response) => {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => (bytes += chunk.length));
    response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes, ms: performance.now() - startedAt }));
  });
  sent.once('error', reject).end(body);
  return promise;
}

async function printOtherUser(cluster: Cluster, largeItemId: number): Promise<void> {
  await measureOtherUser(cluster, 'Warming up', 100);
  const alone = await measureOtherUser(cluster, 'Another user, without other load', REQUESTS);
  const options: HostileOptions = { baseUrl: cluster.client.baseUrl, userId: HOSTILE_USER, largeItemId, connections: CONNECTIONS };
  const hostile = new Worker(new URL('./hostile-client.ts', import.meta.url), { workerData: options });
  let statuses = {};
  hostile.on('message', (message: object) => (statuses = message));
  await new Promise((resolve) => hostile.once('message', resolve));
  const beside = await measureOtherUser(cluster, `Beside ${CONNECTIONS} hostile connections`, REQUESTS);
  await hostile.terminate();
  console.table([alone, beside].map(({ durationsMs: _durations, ...row }) => row));
  console.log(`Responses to the hostile connections, by status: ${JSON.stringify(statuses)}`);
  const ratio = beside['p99 ms'] / alone['p99 ms'];
  console.log(`The p99 of the other user is ${ratio.toFixed(2)} times its p99 without other load.`);
  if (beside.failed > 0) throw new Error(`${beside.failed} requests of the other user failed`);
  if (ratio > MAX_RATIO) throw new Error(`the other user's p99 grew by more than a factor of ${MAX_RATIO}`);
}

/** Sends list, read and upload requests, one at a time. */
async function measureOtherUser({ client }: Cluster, phase: string, requests: number) {
  const bar = progressBar(phase);
  const durationsMs: number[] = [];
  let failed = 0;
  const kinds = [
    () => client.get('/api/content?prompt=words&size=10', OTHER_USER),
    () => client.get('/api/content/1', OTHER_USER),
    () => client.tryUpload({ name: 'of another user' }, OTHER_USER),
  ];
  for (let n = 0; n < requests; n += 1) {
    const startedAt = performance.now();
    const response = await kinds[n % kinds.length]?.().catch(() => undefined);
    durationsMs.push(performance.now() - startedAt);
    if (![200, 201].includes(response?.status ?? 0)) failed += 1;
    bar.update(n + 1, requests);
  }
  bar.end();
  const rounded = (share: number): number => Number(percentile(durationsMs, share).toFixed(1));
  return { phase, requests, failed, 'p50 ms': rounded(0.5), 'p99 ms': rounded(0.99), durationsMs };
}
