import { progressBar } from '@ugc/shared/cli/output';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { insertItems } from '../../test/support/database/insert-items.ts';
import { scrape } from '../../test/support/http/scrape.ts';
import { ISSUER } from '../../test/support/http/tokens.ts';
import { ATTACKS, send, type Target } from './hostile-attacks.ts';
import type { AttackerOptions } from './hostile-worker.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const PHASE_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const ORDINARY_USER = 1;
const FIRST_ATTACKER = 2;
/** The aims. Times are compared within one run. */
const AIMS = { p99Ratio: 3, failed: 0, blockedMs: 100, apiMb: 400, indexerMb: 300, liveMs: 1_000 };
/** Beside one connection that sends bytes which cost more than they look. */
const AIMS_OF_BYTES = { p95Ratio: 3, blockedMs: 50 };
/** The limits of docker-compose.yml, and users of tokens. With INDEX_DATA=false, pages read `data` from PostgreSQL. */
const SETTINGS = {
  USERS_FROM_TOKENS: 'true',
  JWT_ISSUER: ISSUER,
  JWT_SUBJECTS_ARE_USER_IDS: 'true',
  INDEX_DATA: process.env['INDEX_DATA'] ?? 'true',
  RATE_LIMIT_WRITES_PER_MINUTE: '600',
  RATE_LIMIT_LISTS_PER_MINUTE: '1200',
  RATE_LIMIT_READS_PER_MINUTE: '3000',
  RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: '300',
};

/** Measures what an ordinary user notices of eight attackers, and what they cost API and indexer. */
export async function benchHostile(): Promise<void> {
  const cluster = await startCluster({}, SETTINGS);
  await prepare(cluster);
  const target = { baseUrl: cluster.client.baseUrl, userId: ORDINARY_USER };
  await ordinary(target, 'Warming up', 10);
  const quiet = await watched(cluster, () => ordinary(target, 'Without attackers', PHASE_SECONDS));
  const ofBytes = await eachAlone(cluster, target, quiet.result);
  const attacked = await besides(cluster, ATTACKS.map((_, attack) => attack), PHASE_SECONDS); // prettier-ignore
  await cluster.stop();
  const missed = [
    ...ofBytes,
    ...printRequests(quiet.result, attacked.result),
    ...printProcesses({ quiet: quiet.peaks, attacked: attacked.peaks }),
  ];
  for (const what of missed) console.log(`Missed: ${what}`);
  if (missed.length > 0) throw new Error(`${missed.length} aims are missed`);
}

/** Runs the ordinary user's requests beside these attacks, each of another user. */
async function besides(cluster: Cluster, attacks: number[], seconds: number): Promise<{ result: Requests; peaks: Peaks }> {
  const { baseUrl } = cluster.client;
  const attackers = attacks.map((attack) => startAttacker({ baseUrl, userId: FIRST_ATTACKER + attack, attack }));
  await Promise.all(attackers.map(({ ready }) => ready));
  const measured = await watched(cluster, async () => {
    for (const { worker } of attackers) worker.postMessage('attack');
    return ordinary({ baseUrl, userId: ORDINARY_USER }, `Beside attacker ${attacks.join(', ')}`, seconds);
  });
  for (const { worker } of attackers) await worker.terminate();
  return measured;
}

/** @returns the aims that are missed */
async function eachAlone(cluster: Cluster, target: Target, quiet: Requests): Promise<string[]> {
  const rows: object[] = [];
  const missed: string[] = [];
  for (const [attack, { what, sendsForeignBytes }] of ATTACKS.entries()) {
    const { result, peaks } = await besides(cluster, [attack], PHASE_SECONDS / 4);
    if (sendsForeignBytes) missed.push(...missedBeside(what, { quiet, result, blockedMs: peaks['API blocked ms'] }));
    const figures = Object.entries(result).flatMap(([kind, { durationsMs }]) => [
      [`${kind} p95 ratio`, ratioTo(quiet, kind, durationsMs).toFixed(1)],
      [`${kind} p99 ms`, Math.round(percentile(durationsMs, 0.99))],
    ]);
    rows.push({ what: what.slice(0, 40), ...Object.fromEntries(figures), ...peaks });
    await cluster.indexed();
    await ordinary(target, 'A pause', 3);
  }
  console.table(rows);
  return missed;
}

/** How many times as long as without attackers 95 % of the requests take. */
function ratioTo(quiet: Requests, kind: string, durationsMs: number[]): number {
  return percentile(durationsMs, 0.95) / percentile(quiet[kind]?.durationsMs ?? [], 0.95);
}

type Beside = { quiet: Requests; result: Requests; blockedMs: number };

function missedBeside(what: string, { quiet, result, blockedMs }: Beside): string[] {
  const slower = Object.entries(result).flatMap(([kind, { durationsMs }]) => {
    const ratio = ratioTo(quiet, kind, durationsMs);
    const { p95Ratio } = AIMS_OF_BYTES;
    return ratio > p95Ratio ? [`${kind} beside ${what}: p95 ${ratio.toFixed(1)} times that without attackers, aim ${p95Ratio}`] : [];
  });
  const isBlocked = blockedMs > AIMS_OF_BYTES.blockedMs;
  return [...slower, ...(isBlocked ? [`${what}: the loop was blocked for ${blockedMs} ms, aim ${AIMS_OF_BYTES.blockedMs}`] : [])];
}

async function prepare({ database, indexed }: Cluster): Promise<void> {
  await database.query(
    `insert into users (username, credential) select 'attacker ' || n, 'test|attacker' || n from generate_series(1, ${ATTACKS.length}) n on conflict do nothing`,
  );
  const bar = progressBar('Inserting');
  await insertItems(database, { count: ITEMS, progress: (inserted) => bar.update(inserted, ITEMS) });
  bar.end();
  await indexed();
}

function startAttacker(options: AttackerOptions): { worker: Worker; ready: Promise<unknown> } {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), { workerData: options });
  return { worker, ready: new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)) };
}

type Requests = Record<string, { durationsMs: number[]; failed: number }>;

type Kind = (target: Target, n: number) => ReturnType<typeof send>;
const PAUSE_MS = 110;
const KINDS: Record<string, Kind> = {
  list: (target) => send(target, 'GET', '/api/content?size=10&fields=summary'),
  search: (target, n) => send(target, 'GET', `/api/content?prompt=${['words', 'item', 'wrods'][n % 3]}&sort=relevance`),
  suggestions: (target) => send(target, 'GET', '/api/content/suggest?prompt=wor'),
  'get one': (target, n) => send(target, 'GET', `/api/content/${(n % 100) + 1}`),
  'upload, wait': (target, n) => {
    const item = { creatorId: target.userId, name: `ordinary ${n}`, description: '', version: 1, data: '' };
    return send(target, 'POST', '/content', item, { prefer: 'wait=10' });
  },
};

/** A person's requests: those of each kind one after the other, with pauses. */
async function ordinary(target: Target, phase: string, seconds: number): Promise<Requests> {
  const bar = progressBar(phase);
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1_000;
  const measure = async ([kind, once]: [string, Kind]): Promise<[string, Requests[string]]> => {
    const result: Requests[string] = { durationsMs: [], failed: 0 };
    for (let n = 0; elapsed() < seconds; n += 1) {
      const sentAt = performance.now();
      const response = await once(target, n).catch(() => undefined);
      result.durationsMs.push(performance.now() - sentAt);
      if (![200, 201].includes(response?.status ?? 0)) result.failed += 1;
      bar.update(Math.min(elapsed(), seconds), seconds);
      await delay(PAUSE_MS);
    }
    return [kind, result];
  };
  const results = await Promise.all(Object.entries(KINDS).map(measure));
  bar.end();
  return Object.fromEntries(results);
}

type Peaks = { 'API blocked ms': number; 'API MB': number; 'indexer blocked ms': number; 'indexer MB': number; 'indexer live ms': number };

/** The highest figures of both processes while `work` runs. */
async function watched<T>(cluster: Cluster, work: () => Promise<T>): Promise<{ result: T; peaks: Peaks }> {
  const peaks: Peaks = { 'API blocked ms': 0, 'API MB': 0, 'indexer blocked ms': 0, 'indexer MB': 0, 'indexer live ms': 0 };
  const note = (name: keyof Peaks, value = 0): void => void (peaks[name] = Math.max(peaks[name], Math.round(value)));
  const state = { isRunning: true };
  const indexerUrl = cluster.indexer.url;
  const watching = (async () => {
    while (state.isRunning) {
      const [api, indexer] = await Promise.all([cluster.operationsUrl, indexerUrl].map((url) => scrape(url)));
      note('API blocked ms', (api?.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1_000);
      note('API MB', (api?.get('process_resident_memory_bytes') ?? 0) / 1e6);
      note('indexer blocked ms', (indexer?.get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1_000);
      note('indexer MB', (indexer?.get('process_resident_memory_bytes') ?? 0) / 1e6);
      const askedAt = performance.now();
      await fetch(`${indexerUrl}/health/live`);
      note('indexer live ms', performance.now() - askedAt);
      await delay(500);
    }
  })();
  const result = await work();
  state.isRunning = false;
  await watching;
  return { result, peaks };
}

/** @returns the aims that are missed */
function printRequests(quiet: Requests, attacked: Requests): string[] {
  const rounded = (durations: number[], share: number): number => Number(percentile(durations, share).toFixed(1));
  const rows = Object.entries(attacked).map(([request, { durationsMs, failed }]) => {
    const alone = quiet[request]?.durationsMs ?? [];
    const [quietP99, p99] = [rounded(alone, 0.99), rounded(durationsMs, 0.99)];
    return {
      request,
      'quiet p50 ms': rounded(alone, 0.5),
      'quiet p99 ms': quietP99,
      'attacked p50 ms': rounded(durationsMs, 0.5),
      'attacked p99 ms': p99,
      'p99 ratio': Number((p99 / quietP99).toFixed(1)),
      requests: durationsMs.length,
      failed,
    };
  });
  console.table(rows);
  return rows.flatMap((row) => [
    ...(row['p99 ratio'] > AIMS.p99Ratio
      ? [`${row.request}: p99 ${row['p99 ratio']} times that without attackers, aim ${AIMS.p99Ratio}`]
      : []),
    ...(row.failed > AIMS.failed ? [`${row.request}: ${row.failed} of ${row.requests} failed, aim ${AIMS.failed}`] : []),
  ]);
}

function printProcesses(phases: { quiet: Peaks; attacked: Peaks }): string[] {
  console.table(phases);
  const aims: Peaks = {
    'API blocked ms': AIMS.blockedMs,
    'API MB': AIMS.apiMb,
    'indexer blocked ms': AIMS.blockedMs,
    'indexer MB': AIMS.indexerMb,
    'indexer live ms': AIMS.liveMs,
  };
  const names = Object.keys(aims) as (keyof Peaks)[];
  return names.filter((name) => phases.attacked[name] > aims[name]).map((name) => `${name}: ${phases.attacked[name]}, aim ${aims[name]}`);
}
