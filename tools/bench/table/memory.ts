import type { Server } from '@ugc/local-stack/server';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTENT_WORDS } from '../collection/words.ts';
import { percentile } from '../percentile.ts';
import type { BenchStack } from './bench-stack.ts';
import type { Figure, Section } from './figure.ts';
import { sendLoad, type Load } from './send-load.ts';

const EARLY_SECONDS = 60;
const LATE_SECONDS = Number(process.env['BENCH_MEMORY_SECONDS'] ?? 600);
const LIMIT_MB = 200;
const FLAT = 1.1;
/** A size is the median of the samples around its time: between two collections of garbage it grows and falls. */
const SAMPLES = 21;
const SAMPLE_EVERY_MS = 1_000;

type Requests = Load['requests'];

/** Resident memory of API and indexer at full load: reads, lists and uploads together, and their indexing. */
export const measureMemory: Section = async ({ stack }) => {
  const { api, indexer } = stack.cluster;
  const servers = { API: api, indexer };
  const sizes = { API: [] as number[], indexer: [] as number[] };
  const end = new AbortController();
  const load = Promise.all(loads(stack).map((part) => sendLoad({ ...part, url: api.url, seconds: LATE_SECONDS })));
  void load.finally(() => end.abort());
  while (!end.signal.aborted) {
    for (const name of ['API', 'indexer'] as const) sizes[name].push(residentMegabytes(servers[name]));
    await delay(SAMPLE_EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined);
  }
  const failed = (await load).reduce((sum, part) => sum + part.failed, 0);
  return (['API', 'indexer'] as const).flatMap((name) => toFigures(name, sizes[name], failed));
};

function loads({ items, users }: BenchStack): Omit<Load, 'url' | 'seconds'>[] {
  const of = (request: (n: number) => Requests[number]): Requests =>
    users.map(({ authorization }, n) => {
      const { headers, ...rest } = request(n);
      return { ...rest, headers: { ...headers, authorization } };
    });
  const upload = (n: number) => ({
    method: 'POST' as const,
    path: '/content',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ creatorId: users[n]?.userId, name: `load ${n}`, description: 'uploaded under load', version: 1, data: '' }),
  });
  return [
    { connections: 8, requests: of((n) => ({ path: `/api/content/${1 + ((n * 7_919) % items)}` })) },
    { connections: 8, requests: of((n) => ({ path: `/api/content?size=20&prompt=${CONTENT_WORDS[n % CONTENT_WORDS.length]}` })) },
    { connections: 4, requests: of(upload) },
  ];
}

function toFigures(name: string, sizes: number[], failed: number): Figure[] {
  const early = sizeAt(sizes, Math.min(EARLY_SECONDS, LATE_SECONDS / 2));
  const late = sizeAt(sizes, LATE_SECONDS);
  const figure = { unit: 'MB' as const, details: { [`MB at ${EARLY_SECONDS} s`]: early, [`MB at ${LATE_SECONDS} s`]: late, failed } };
  return [
    {
      ...figure,
      path: `memory of the ${name}`,
      limitedBy: `${LIMIT_MB} MB`,
      goal: { atMost: 1 },
      rounds: [{ ours: late, limit: LIMIT_MB }],
    },
    {
      ...figure,
      path: `memory of the ${name}, growth`,
      limitedBy: `itself at ${EARLY_SECONDS} s`,
      goal: { atMost: FLAT },
      rounds: [{ ours: late, limit: early }],
    },
  ];
}

/** @returns the median of the samples around the second, or of the last ones */
function sizeAt(sizes: number[], second: number): number {
  const first = Math.max(0, Math.min(second - Math.floor(SAMPLES / 2), sizes.length - SAMPLES));
  return percentile(sizes.slice(first, first + SAMPLES), 0.5);
}

function residentMegabytes(server: Server): number {
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024);
}
