import { progressBar } from '@ugc/shared/cli/output';
import { cpuSeconds } from '../table/cpu-time.ts';
import { median } from '../percentile.ts';
import { summaryOf, type Figure, type Round } from '../table/figure.ts';
import type { Side, Sides } from './side.ts';

/** `n` grows with each request of a row; both sides get the same ones. */
export type Send = (side: Side, n: number) => Promise<void>;
export type Row = {
  path: string;
  /** The most that the time of the first side may be of that of the second. */
  atMost: number;
  send: Send;
  /** Of uploads, the work of the indexer counts too, until the items are in the index. */
  isIndexed?: boolean;
  /** Requests one after the other, each with no cache of Elasticsearch; eight at a time otherwise. */
  isUncached?: boolean;
  /** Sent before each block, for the numbers of its requests, and not measured. */
  prepare?: Send;
  /** Instead of the processor time beside that of the second side: the response time of the first side beside this one. */
  limitMs?: number;
};

/** Processor time of a block: shorter than most changes of a machine that others use too. */
const BLOCK_SECONDS = 0.3;
const BLOCK_REQUESTS = { atLeast: 8, atMost: 64 };
const BLOCKS_PER_ROUND = 4;
const CONNECTIONS = 8;
/** Of each row on each side, before the first one is measured: Elasticsearch compiles code for thousands of requests. */
const WARM_UP_REQUESTS = 160;
/** Of each row on each side: both are searched by the same compiled code. */
const WARM_UP_MS = 10_000;

/** Sends requests of all rows, since these share most of the code. */
export async function warmUp({ sides }: Sides, rows: Row[]): Promise<void> {
  const bar = progressBar('Warming up');
  const spentMs = new Map<string, number>();
  for (let sent = 0; sent < WARM_UP_REQUESTS; sent += CONNECTIONS) {
    for (const row of rows) {
      for (const side of sides) {
        const [key, startedAt] = [`${side.name} ${row.path}`, performance.now()];
        const spent = spentMs.get(key) ?? 0;
        if (spent > WARM_UP_MS) continue;
        await sendBlock(row, side, { first: sent, count: CONNECTIONS });
        spentMs.set(key, spent + performance.now() - startedAt);
      }
    }
    bar.update(sent + CONNECTIONS, WARM_UP_REQUESTS);
  }
  bar.end();
}

/**
 * Measures the processor time of a request on both sides: that of the API, Elasticsearch and PostgreSQL. Blocks of equal
 * requests alternate, and each side is first in half of them. The details are response times, which say little while other
 * programs use the processors.
 */
export async function measureInTurn(sides: Sides, row: Row, rounds: number): Promise<Figure> {
  const [ours, limit] = sides.sides as [Side, Side];
  const count = await blockOf(sides, row);
  const measured: { cpu: Round; ms: Round }[] = [];
  let first = WARM_UP_REQUESTS;
  for (let round = 0; round < rounds; round += 1) {
    const blocks = new Map([ours, limit].map((side) => [side, [] as Measured[]]));
    for (let block = 0; block < BLOCKS_PER_ROUND; block += 1, first += count) {
      for (const side of block % 2 === 0 ? [ours, limit] : [limit, ours])
        blocks.get(side)?.push(await measureBlock(sides, row, side, { first, count }));
    }
    const cpuOf = (side: Side): number =>
      ((blocks.get(side) ?? []).reduce((sum, { seconds }) => sum + seconds, 0) * 1_000) / (BLOCKS_PER_ROUND * count);
    const msOf = (side: Side): number => median((blocks.get(side) ?? []).flatMap(({ durationsMs }) => durationsMs));
    measured.push({ cpu: { ours: cpuOf(ours), limit: cpuOf(limit) }, ms: { ours: msOf(ours), limit: msOf(limit) } });
  }
  const figure = toFigure(row, limit, measured);
  process.stderr.write(
    `${row.path}: ${JSON.stringify({ ...summaryOf(figure), ...figure.details, requests: rounds * BLOCKS_PER_ROUND * count })}\n`,
  );
  return figure;
}

function toFigure({ path, atMost, limitMs }: Row, limit: Side, measured: { cpu: Round; ms: Round }[]): Figure {
  const middle = (of: (each: (typeof measured)[number]) => number): number => Number(median(measured.map(of)).toFixed(1));
  const details = {
    'CPU ms': middle(({ cpu }) => cpu.ours),
    'limit CPU ms': middle(({ cpu }) => cpu.limit),
    'response ms': middle(({ ms }) => ms.ours),
    'limit response ms': middle(({ ms }) => ms.limit),
    'ratio of response times': Number(median(measured.map(({ ms }) => ms.ours / ms.limit)).toFixed(2)),
  };
  const common = { path, unit: 'ms' as const, goal: { atMost }, details };
  if (limitMs === undefined) return { ...common, limitedBy: limit.title, rounds: measured.map(({ cpu }) => cpu) };
  return { ...common, limitedBy: `${limitMs} ms`, rounds: measured.map(({ ms }) => ({ ours: ms.ours, limit: limitMs })) };
}

/** @returns how many requests a block has, by the time of some that are not measured */
async function blockOf(sides: Sides, row: Row): Promise<number> {
  let seconds = 0;
  const count = CONNECTIONS;
  for (const side of sides.sides) seconds += (await measureBlock(sides, row, side, { first: 0, count })).seconds;
  const fitting = (BLOCK_SECONDS * count * sides.sides.length) / seconds;
  const whole = CONNECTIONS * Math.round(fitting / CONNECTIONS);
  return Math.min(BLOCK_REQUESTS.atMost, Math.max(BLOCK_REQUESTS.atLeast, whole));
}

type Block = { first: number; count: number };
type Measured = { seconds: number; durationsMs: number[] };

/** @returns the response times */
async function sendBlock(row: Row, side: Side, { first, count }: Block): Promise<number[]> {
  const durationsMs: number[] = [];
  const connections = row.isUncached ? 1 : CONNECTIONS;
  const connection = async (offset: number): Promise<void> => {
    for (let n = offset; n < count; n += connections) {
      const startedAt = performance.now();
      await row.send(side, first + n);
      durationsMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, offset) => connection(offset)));
  return durationsMs;
}

async function measureBlock({ elasticsearch, postgres }: Sides, row: Row, side: Side, block: Block): Promise<Measured> {
  const { api, indexer, indexed } = side.cluster;
  const servers = row.isIndexed ? [api, elasticsearch, postgres, indexer] : [api, elasticsearch, postgres];
  const read = (): number => servers.reduce((sum, server) => sum + cpuSeconds(server), 0);
  if (row.isUncached) await clearCache(side);
  for (let n = 0; row.prepare && n < block.count; n += 1) await row.prepare(side, block.first + n);
  const before = read();
  const durationsMs = await sendBlock(row, side, block);
  if (row.isIndexed) await indexed();
  return { seconds: read() - before, durationsMs };
}

/** Of responses to equal searches, which a refresh ends too. */
export async function clearCache({ cluster }: Side): Promise<void> {
  await cluster.elasticsearch.indices.clearCache({ index: cluster.env['CONTENT_ALIAS'] ?? '', request: true });
}

/** Ends what is cached before each request too, which Elasticsearch does in less than a millisecond. */
export function uncached(path: string, goal: Pick<Row, 'atMost' | 'limitMs'>, send: Send): Row {
  return {
    path,
    ...goal,
    isUncached: true,
    send: async (side, n) => {
      await clearCache(side);
      await send(side, n);
    },
  };
}

/** @returns what sends one GET with the token of another user each time: the active requests of one user are limited */
export function get(pathOf: (n: number) => string): Send {
  return async (side, n) => {
    const path = pathOf(n);
    const response = await fetch(side.cluster.client.baseUrl + path, { headers: authorizationOf(side, n) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${side.name}: ${path} returned ${response.status}: ${text}`);
  };
}

export function authorizationOf({ users }: Side, n: number): { authorization: string } {
  return { authorization: users[n % users.length]?.authorization ?? '' };
}
