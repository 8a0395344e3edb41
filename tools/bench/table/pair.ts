import type { Server } from '@ugc/local-stack/server';
import { median } from '../percentile.ts';
import { cpuSeconds } from './cpu-time.ts';
import type { Figure, Round } from './figure.ts';
import { sendLoad, type Load, type LoadResult } from './send-load.ts';

export type Requests = Load['requests'];
export const CONNECTIONS = 16;

/** The service and its limit, which get the same requests in turn. */
export type Pair = Pick<Figure, 'path' | 'limitedBy' | 'goal'> & {
  /** The connections are spread evenly over several processes. */
  ours: Server | Server[];
  limit: Server;
  requests: Requests;
  /** The store whose CPU time is shown. */
  store: Server | undefined;
  /** Just-in-time compilation of Elasticsearch continues for a while. */
  warmUpSeconds?: number;
  seconds?: number;
  /** Further figures, read after each round of the service. */
  afterRound?: (result: LoadResult) => Promise<void>;
};

type Side = keyof Round;
const SIDES: Side[] = ['ours', 'limit'];

type Measured = LoadResult & { cpuMs: number; storeCpuMs: number };

/** Measures requests per second. */
export async function measurePair(pair: Pair, rounds: number): Promise<Figure> {
  const { path, limitedBy, goal, ours, limit, warmUpSeconds = 2, afterRound } = pair;
  for (const server of [ours, limit]) await measureServer(server, { ...pair, seconds: warmUpSeconds });
  const measured: Record<Side, Measured>[] = [];
  const measure = {
    ours: async () => {
      const result = await measureServer(ours, pair);
      await afterRound?.(result);
      return result;
    },
    limit: () => measureServer(limit, pair),
  };
  for (let round = 0; round < rounds; round += 1) {
    const results = {} as Record<Side, Measured>;
    // Each side is first in half of the rounds: while a store still becomes faster, the second has an advantage.
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) results[side] = await measure[side]();
    measured.push(results);
  }
  const middle = (side: Side, key: keyof Measured): number => median(measured.map((round) => round[side][key]));
  return {
    path,
    unit: 'requests/s',
    limitedBy,
    goal,
    rounds: measured.map((round) => ({ ours: round.ours.perSecond, limit: round.limit.perSecond })),
    details: {
      'p50 ms': middle('ours', 'p50Ms'),
      'p99 ms': middle('ours', 'p99Ms'),
      'CPU µs': Math.round(middle('ours', 'cpuMs') * 1_000),
      'limit CPU µs': Math.round(middle('limit', 'cpuMs') * 1_000),
      'store CPU µs': Math.round(middle('ours', 'storeCpuMs') * 1_000),
      'limit store CPU µs': Math.round(middle('limit', 'storeCpuMs') * 1_000),
      failed: measured.reduce((sum, round) => sum + round.ours.failed + round.limit.failed, 0),
    },
  };
}

type Measurement = Pick<Pair, 'requests' | 'store'> & { seconds?: number; connections?: number };

/** Spreads the connections over the servers. CPU times are per request, and those of all servers together. */
export async function measureServer(server: Server | Server[], measurement: Measurement): Promise<Measured> {
  const { requests, store, seconds = 3, connections = CONNECTIONS } = measurement;
  const servers = [server].flat();
  const ownCpu = (): number => servers.reduce((sum, each) => sum + cpuSeconds(each), 0);
  const before = { own: ownCpu(), store: cpuSeconds(store) };
  const result = await sendLoad({ url: servers.map(({ url }) => url), connections, seconds, requests });
  const perRequestMs = (cpu: number): number => (cpu * 1_000) / result.count;
  return { ...result, cpuMs: perRequestMs(ownCpu() - before.own), storeCpuMs: perRequestMs(cpuSeconds(store) - before.store) };
}
