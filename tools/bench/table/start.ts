import { CHECKOUT, serviceProcess } from '@ugc/local-stack/service-process';
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dataFolder } from '../../../test/support/servers/data-folder.ts';
import { freePorts } from '../../../test/support/cluster/cluster-servers.ts';
import { FREQUENT } from '../collection/words.ts';
import { median } from '../percentile.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Figure, Round, Section } from './figure.ts';

const START_LIMIT_S = 8;
const WARM_UP_REQUESTS = 300;
const WARMED_REQUESTS = 100;
/** The last thing that `npx pnpm start` prints. */
const READY = /^Ctrl-C stops everything/;

/** `npx pnpm start` until it is ready, and the first request of a fresh API process. */
export const measureStart: Section = async ({ stack, rounds }) => {
  const figures = [...(await measureCommand(rounds))];
  for (const [path, request] of Object.entries(firstRequests(stack))) figures.push(await measureFirstRequest(stack, rounds, path, request));
  return figures;
};

async function measureCommand(rounds: number): Promise<Figure[]> {
  const data = await dataFolder('start-');
  const fresh: Round[] = [];
  const again: Round[] = [];
  // The first start of all fills the compile cache of pnpm and the files of the operating system.
  await timedStart(join(data, 'first'));
  for (let round = 0; round < rounds; round += 1) {
    const folder = join(data, String(round));
    fresh.push({ ours: await timedStart(folder), limit: START_LIMIT_S });
    again.push({ ours: await timedStart(folder), limit: START_LIMIT_S });
  }
  await rm(data, { recursive: true, force: true });
  const figure = { unit: 's' as const, limitedBy: `${START_LIMIT_S} s`, goal: { atMost: 1 } };
  return [
    { ...figure, path: 'npx pnpm start', rounds: again, details: { s: median(again.map(({ ours }) => ours)) } },
    { ...figure, path: 'npx pnpm start, no data', rounds: fresh, details: { s: median(fresh.map(({ ours }) => ours)) } },
  ];
}

/** Starts the local stack on a data folder of its own, and stops it. @returns the seconds until it is ready */
async function timedStart(folder: string): Promise<number> {
  const variables = ['PORT', 'OPERATIONS_PORT', 'INDEXER_PORT'];
  const ports = await freePorts(variables.length);
  const startedAt = performance.now();
  const child = spawn('npx', ['pnpm', 'start'], {
    cwd: CHECKOUT,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LOCAL_DATA_DIR: folder, ...Object.fromEntries(variables.map((name, n) => [name, String(ports[n])])) },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let seconds = Infinity;
  for await (const line of createInterface(child.stderr)) {
    if (!READY.test(line)) continue;
    seconds = (performance.now() - startedAt) / 1_000;
    // Ctrl-C reaches the whole group too.
    process.kill(-(child.pid ?? 0), 'SIGINT');
  }
  await ended;
  if (seconds === Infinity) throw new Error('npx pnpm start has failed');
  return seconds;
}

/** `atMost`: the goal, as a multiple of later requests. Nothing warms a process up. */
type FirstRequest = { path: string; body?: string; atMost: number };

function firstRequests({ users }: BenchStack): Record<string, FirstRequest> {
  const creatorId = users[0]?.userId;
  return {
    'get one': { path: '/api/content/1', atMost: 25 },
    list: { path: '/api/content', atMost: 15 },
    'list with prompt': { path: `/api/content?prompt=${FREQUENT[5]}+${FREQUENT[20]}`, atMost: 20 },
    upload: { path: '/content', body: JSON.stringify({ creatorId, name: 'first', description: '', version: 1, data: '' }), atMost: 15 },
  };
}

async function measureFirstRequest(stack: BenchStack, rounds: number, path: string, request: FirstRequest): Promise<Figure> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await firstAndWarmed(stack, request));
  return {
    path: `first request: ${path}`,
    unit: 'ms',
    limitedBy: `median of ${WARMED_REQUESTS} later ones`,
    rounds: measured,
    goal: { atMost: request.atMost },
    details: { 'first ms': median(measured.map(({ ours }) => ours)), 'median ms': median(measured.map(({ limit }) => limit)) },
  };
}

async function firstAndWarmed({ cluster, users }: BenchStack, { path, body }: FirstRequest): Promise<Round> {
  const [port = 0, operationsPort = 0] = await freePorts(2);
  const dataDir = join(cluster.dataDir, `first-${port}`);
  const env = { ...cluster.env, PORT: String(port), OPERATIONS_PORT: String(operationsPort) };
  const api = serviceProcess({ name: 'API', main: 'services/api/src/main.ts', dataDir, port, env });
  await api.start();
  const headers = { authorization: users[0]?.authorization ?? '', 'content-type': 'application/json' };
  const send = () => timed(`${api.url}${path}`, body === undefined ? { headers } : { method: 'POST', headers, body });
  const first = await send();
  for (let n = 0; n < WARM_UP_REQUESTS; n += 1) await send();
  const warmed: number[] = [];
  for (let n = 0; n < WARMED_REQUESTS; n += 1) warmed.push(await send());
  await api.stop();
  return { ours: first, limit: median(warmed) };
}

async function timed(url: string, init: RequestInit): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
  return performance.now() - startedAt;
}
