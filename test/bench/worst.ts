import { progressBar } from '@ugc/shared/cli/progress-bar';
import { request } from 'node:http';
import { Worker } from 'node:worker_threads';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { pngOfBytes } from '../support/images.ts';
import { insertItems } from '../support/insert-items.ts';
import { scrape } from '../support/scrape.ts';
import type { HostileOptions } from './hostile-callers.ts';
import { percentile } from './percentile.ts';
import { worstRequests, type WorstRequest } from './worst-requests.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const HOSTILE_USER = 1;
const OWNER_OF_LARGE_ITEMS = 2;
const OTHER_USER = 3;
const CONNECTIONS = 64;
const CALLS = 600;
/** How much slower another user's calls may become while one user does the worst. */
const LARGEST_RATIO = 3;

/** What the most expensive requests cost the API, and what another user notices of 64 hostile connections. */
export async function benchWorst(): Promise<void> {
  const cluster = await startCluster({}, { DATABASE_POOL_SIZE: '20' });
  const largeItemId = await prepare(cluster);
  await printCosts(cluster, largeItemId);
  await printNeighbour(cluster, largeItemId);
  await cluster.stop();
}

/** @returns the id of one of the largest items that can be */
async function prepare(cluster: Cluster): Promise<number> {
  const bar = progressBar('Inserting');
  await insertItems(cluster.database, { count: ITEMS, progress: (inserted) => bar.update(inserted, ITEMS) });
  bar.end();
  const data = '😀'.repeat(262_144);
  for (let n = 0; n < 30; n += 1) await cluster.client.upload({ name: `large ${n}`, data }, OWNER_OF_LARGE_ITEMS);
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

/** Of several rounds, the longest time in which the API did nothing else, and the means of the rest. */
async function cost(cluster: Cluster, worst: WorstRequest) {
  await call(cluster, worst);
  const index = cluster.env['CONTENT_ALIAS'] ?? '';
  const searchMs = async (): Promise<number> =>
    (await cluster.elasticsearch.indices.stats({ index, metric: 'search' }))._all.total?.search?.query_time_in_millis ?? 0;
  const searchedBefore = await searchMs();
  const blockedMs: number[] = [];
  let answer = { status: 0, bytes: 0, ms: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Reading the longest delay of the event loop begins a new measurement.
    await metrics(cluster);
    answer = await call(cluster, worst);
    blockedMs.push(((await metrics(cluster)).get('nodejs_eventloop_lag_max_seconds') ?? NaN) * 1_000);
  }
  const heap = (await metrics(cluster)).get('nodejs_heap_size_used_bytes') ?? NaN;
  return {
    request: worst.what,
    status: answer.status,
    'request KB': Math.round((worst.body ?? worst.path).length / 1_000),
    'answer KB': Math.round(answer.bytes / 1_000),
    'loop blocked ms': Math.round(percentile(blockedMs, 0.5)),
    'Elasticsearch ms': Math.round(((await searchMs()) - searchedBefore) / ROUNDS),
    'answered after ms': Math.round(answer.ms),
    'heap MB': Math.round(heap / 1_000_000),
  };
}

async function metrics(cluster: Cluster): Promise<Map<string, number>> {
  return scrape(cluster.operationsUrl);
}

function call({ client }: Cluster, { method, path, headers, body }: WorstRequest): Promise<{ status: number; bytes: number; ms: number }> {
  const startedAt = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; bytes: number; ms: number }>();
  const sent = request(`${client.baseUrl}${path}`, { method, headers }, (answer) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
    answer.once('end', () => resolve({ status: answer.statusCode ?? 0, bytes, ms: performance.now() - startedAt }));
  });
  sent.once('error', reject).end(body);
  return promise;
}

async function printNeighbour(cluster: Cluster, largeItemId: number): Promise<void> {
  await measureNeighbour(cluster, 'Warming up', 100);
  const quiet = await measureNeighbour(cluster, 'Another user, quiet', CALLS);
  const options: HostileOptions = { baseUrl: cluster.client.baseUrl, userId: HOSTILE_USER, largeItemId, connections: CONNECTIONS };
  const hostile = new Worker(new URL('./hostile-callers.ts', import.meta.url), { workerData: options });
  let statuses = {};
  hostile.on('message', (message: object) => (statuses = message));
  await new Promise((resolve) => hostile.once('message', resolve));
  const beside = await measureNeighbour(cluster, `Beside ${CONNECTIONS} hostile connections`, CALLS);
  await hostile.terminate();
  console.table([quiet, beside].map(({ durationsMs: _durations, ...row }) => row));
  console.log(`Answers to the hostile connections, by status: ${JSON.stringify(statuses)}`);
  const ratio = beside['p99 ms'] / quiet['p99 ms'];
  console.log(`The p99 of the other user is ${ratio.toFixed(2)} times its quiet p99.`);
  if (beside.failed > 0) throw new Error(`${beside.failed} requests of the other user failed`);
  if (ratio > LARGEST_RATIO) throw new Error(`the other user's p99 is more than ${LARGEST_RATIO} times its quiet p99`);
}

/** Lists, reads and uploads in turn, one after the other. */
async function measureNeighbour({ client }: Cluster, phase: string, calls: number) {
  const bar = progressBar(phase);
  const durationsMs: number[] = [];
  let failed = 0;
  const kinds = [
    () => client.get('/api/content?prompt=words&size=10', OTHER_USER),
    () => client.get('/api/content/1', OTHER_USER),
    () => client.tryUpload({ name: 'of another user' }, OTHER_USER),
  ];
  for (let n = 0; n < calls; n += 1) {
    const startedAt = performance.now();
    const answer = await kinds[n % kinds.length]?.().catch(() => undefined);
    durationsMs.push(performance.now() - startedAt);
    if (![200, 201].includes(answer?.status ?? 0)) failed += 1;
    bar.update(n + 1, calls);
  }
  bar.end();
  const rounded = (share: number): number => Number(percentile(durationsMs, share).toFixed(1));
  return { phase, calls, failed, 'p50 ms': rounded(0.5), 'p99 ms': rounded(0.99), durationsMs };
}
