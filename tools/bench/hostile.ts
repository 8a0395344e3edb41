import { MAX_FIELDS } from '@ugc/fields/definition';
import { progressBar } from '@ugc/shared/cli/output';
import { findTarget } from '@ugc/shared/indices/targets';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { declareFields } from '../../test/support/database/declared-fields.ts';
import { insertItems } from '../../test/support/database/insert-items.ts';
import { scrape } from '../../test/support/http/scrape.ts';
import { ISSUER } from '../../test/support/http/tokens.ts';
import { until } from '../../test/support/jest/until.ts';
import { ATTACKS, MOST_USERS, send, type Attack, type Target } from './hostile-attacks.ts';
import { MOST_FIELDS } from './hostile-fields.ts';
import type { AttackerOptions } from './hostile-worker.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const PHASE_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
/** Those whose names match attack alone, and nothing else is measured. */
const ONLY = process.env['BENCH_ATTACKS'];
const ORDINARY_USER = 1;
const FIRST_ATTACKER = 2;
const FURTHER_ATTACKERS = FIRST_ATTACKER + ATTACKS.length;
/** They list and send what is large, so that the small requests of the ordinary user do not wait for it. */
const ORDINARY_READER = FURTHER_ATTACKERS + MOST_USERS;
const ORDINARY_WRITER = ORDINARY_READER + 1;
/** The aims. Times are compared within one run. */
const AIMS = { p99Ratio: 3, failed: 0, blockedMs: 100, apiMb: 400, indexerMb: 300, liveMs: 1_000 };
/** Beside one attack: one connection that sends bytes which cost more than they look, or what one or several users may do. */
const AIMS_ALONE = {
  bytes: { share: 0.95, aim: 3, failed: AIMS.failed, blockedMs: 50 },
  users: { share: 0.99, aim: AIMS.p99Ratio, failed: AIMS.failed, blockedMs: AIMS.blockedMs },
};
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
  const alone = await eachAlone(cluster, target);
  const together = ONLY === undefined ? await allTogether(cluster, target) : [];
  await cluster.stop();
  const missed = [...alone, ...together];
  for (const what of missed) console.log(`Missed: ${what}`);
  if (missed.length > 0) throw new Error(`${missed.length} aims are missed`);
}

type Measured = { result: Requests; peaks: Peaks };

/** Those of several users attack alone only. @returns the aims that are missed */
async function allTogether(cluster: Cluster, target: Target): Promise<string[]> {
  const quiet = await watched(cluster, () => ordinary(target, 'Without attackers', PHASE_SECONDS));
  const attacks = [...ATTACKS.keys()].filter((attack) => ATTACKS[attack]?.aims !== 'users');
  const attacked = await besides(cluster, attacks, PHASE_SECONDS);
  console.log('Beside all that attack alone with one user:');
  return [...printRequests(quiet.result, attacked.result), ...printProcesses({ quiet: quiet.peaks, attacked: attacked.peaks })];
}

/** Runs the ordinary users' requests beside these attacks, each of other users. */
async function besides(cluster: Cluster, attacks: number[], seconds: number): Promise<Measured> {
  const { baseUrl } = cluster.client;
  const attackers = attacks.map((attack) => startAttacker({ baseUrl, userIds: usersOf(attack), attack }));
  await Promise.all(attackers.map(({ ready }) => ready));
  // Large pages are those of items that are searchable.
  if (attacks.every((attack) => ATTACKS[attack]?.aims)) await cluster.indexed();
  const measured = await watched(cluster, async () => {
    for (const { worker } of attackers) worker.postMessage('attack');
    return ordinary({ baseUrl, userId: ORDINARY_USER }, `Beside attacker ${attacks.join(', ')}`, seconds);
  });
  for (const { worker } of attackers) await worker.terminate();
  return measured;
}

function usersOf(attack: number): number[] {
  const further = Array.from({ length: (ATTACKS[attack]?.users ?? 1) - 1 }, (_, n) => FURTHER_ATTACKERS + n);
  return [FIRST_ATTACKER + attack, ...further];
}

/** Each beside what was measured just before it: other programs slow the machine down at times. @returns the aims that are missed */
async function eachAlone(cluster: Cluster, target: Target): Promise<string[]> {
  const missed: string[] = [];
  for (const [attack, { what, aims }] of ATTACKS.entries()) {
    if (ONLY !== undefined && !new RegExp(ONLY).test(what)) continue;
    const { result: quiet, peaks: before } = await watched(cluster, () => ordinary(target, `Before attack ${attack}`, PHASE_SECONDS / 4));
    const { result, peaks } = await besides(cluster, [attack], PHASE_SECONDS / 4);
    console.log(`\nBeside ${what}: ${JSON.stringify(peaks)}; before it: ${JSON.stringify(before)}`);
    if (aims) missed.push(...missedBeside(what, aims, { quiet, result, blockedMs: peaks['API blocked ms'] }));
    printRequests(quiet, result);
    await cluster.indexed();
    await ordinary(target, 'A pause', 3);
  }
  return missed;
}

function durationsOf(requests: Requests, kind: string): number[] {
  return requests[kind]?.durationsMs ?? [];
}

/** How many times as long as without attackers so large a share of the requests take at most. */
function ratioTo(quiet: Requests, kind: string, durationsMs: number[], share: number): number {
  return percentile(durationsMs, share) / percentile(durationsOf(quiet, kind), share);
}

type Beside = { quiet: Requests; result: Requests; blockedMs: number };

function missedBeside(what: string, whose: NonNullable<Attack['aims']>, { quiet, result, blockedMs }: Beside): string[] {
  const { share, aim, failed: failedAim, blockedMs: blockedAim } = AIMS_ALONE[whose];
  const missed = Object.entries(result).flatMap(([kind, { durationsMs, failed }]) => {
    const ratio = ratioTo(quiet, kind, durationsMs, share);
    const slower = `${kind} beside ${what}: p${100 * share} ${ratio.toFixed(1)} times that without attackers, aim ${aim}`;
    return [
      ...(ratio > aim ? [slower] : []),
      ...(failed > failedAim ? [`${kind} beside ${what}: ${failed} of ${durationsMs.length} failed, aim ${failedAim}`] : []),
    ];
  });
  return [...missed, ...(blockedMs > blockedAim ? [`${what}: the loop was blocked for ${blockedMs} ms, aim ${blockedAim}`] : [])];
}

async function prepare({ database, alias, indexed, client }: Cluster): Promise<void> {
  await declareFields(database, MOST_FIELDS);
  // While there are no items, an indexer makes the index anew.
  const declared = async () => (await findTarget({ database, alias }, 'search'))?.fields.length === MAX_FIELDS;
  await until('the index has the declared fields', declared);
  await database.query(
    `insert into users (username, credential) select 'attacker ' || n, 'test|attacker' || n from generate_series(1, ${ORDINARY_WRITER}) n on conflict do nothing`,
  );
  const bar = progressBar('Inserting');
  await insertItems(database, { count: ITEMS, progress: (inserted) => bar.update(inserted, ITEMS) });
  bar.end();
  // They are old, so that no other list has them.
  await database.query(
    `with c as (
       insert into content (creator_id, name, description, data, version, tags, created_at)
       select 1, 'page ' || n, '', repeat('p', 200000), 1, array['page'], '2020-01-01' from generate_series(1, 4) n returning content_id, revision
     ) insert into index_outbox (content_id, revision) select content_id, revision from c`,
  );
  await indexed();
  const { body } = await listPage(client);
  if (body.length < 800_000) throw new Error(`the page of 800 kB has ${body.length} characters: ${body.slice(0, 200)}`);
}

const listPage = ({ baseUrl }: Pick<Target, 'baseUrl'>): ReturnType<typeof send> =>
  send({ baseUrl, userId: ORDINARY_READER }, 'GET', '/api/content?anyTags=page&size=4');

function startAttacker(options: AttackerOptions): { worker: Worker; ready: Promise<unknown> } {
  const worker = new Worker(new URL('./hostile-worker.ts', import.meta.url), { workerData: options });
  return { worker, ready: new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)) };
}

type Requests = Record<string, { durationsMs: number[]; failed: number }>;

type Kind = { status: number; send: (target: Target, n: number) => ReturnType<typeof send> };
const PAUSE_MS = 110;
const KINDS: Record<string, Kind> = {
  list: { status: 200, send: (target) => send(target, 'GET', '/api/content?size=10&fields=summary') },
  search: {
    status: 200,
    send: (target, n) => send(target, 'GET', `/api/content?prompt=${['words', 'item', 'wrods'][n % 3]}&sort=relevance`),
  },
  suggestions: { status: 200, send: (target) => send(target, 'GET', '/api/content/suggest?prompt=wor') },
  'get one': { status: 200, send: (target, n) => send(target, 'GET', `/api/content/${(n % 100) + 1}`) },
  'upload, wait': {
    status: 201,
    send: (target, n) => {
      const item = { creatorId: target.userId, name: `ordinary ${n}`, description: '', version: 1, data: '' };
      return send(target, 'POST', '/content', item, { prefer: 'wait=10' });
    },
  },
  'page of 800 kB': {
    status: 200,
    send: listPage,
  },
  // It is refused for its name, so that the collection does not grow.
  'body of 100 kB': {
    status: 400,
    send: ({ baseUrl }) => {
      const item = { creatorId: ORDINARY_WRITER, name: ' ', description: '', version: 1, data: 'x'.repeat(100_000) };
      return send({ baseUrl, userId: ORDINARY_WRITER }, 'POST', '/content', item);
    },
  },
};

/** The requests of three people: those of each kind one after the other, with pauses. */
async function ordinary(target: Target, phase: string, seconds: number): Promise<Requests> {
  const bar = progressBar(phase);
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1_000;
  const measure = async ([name, kind]: [string, Kind]): Promise<[string, Requests[string]]> => {
    const result: Requests[string] = { durationsMs: [], failed: 0 };
    for (let n = 0; elapsed() < seconds; n += 1) {
      const sentAt = performance.now();
      const response = await kind.send(target, n).catch(() => undefined);
      result.durationsMs.push(performance.now() - sentAt);
      if (response?.status !== kind.status) result.failed += 1;
      bar.update(Math.min(elapsed(), seconds), seconds);
      await delay(PAUSE_MS);
    }
    return [name, result];
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
      'p95 ratio': Number(ratioTo(quiet, request, durationsMs, 0.95).toFixed(1)),
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
