import { progressBar } from '@ugc/shared/cli/output';
import { cpuSeconds } from '../table/cpu-time.ts';
import { summaryOf, type Figure } from '../table/figure.ts';
import type { Side, Sides } from './side.ts';

/** `n` grows with each request of a row; both sides get the same ones. */
export type Send = (side: Side, n: number) => Promise<void>;
export type Row = {
  path: string;
  /** The most that the time of the first side may be of that of the second. */
  atMost: number;
  send: Send;
  /** Of uploads, the work of the other processes counts too, until the items are in the index. */
  isIndexed?: boolean;
};

/** Processor time of a block: shorter than most changes of a machine that others use too. */
const BLOCK_SECONDS = 0.3;
const BLOCK_REQUESTS = { atLeast: 8, atMost: 64 };
const BLOCKS_PER_ROUND = 4;
const CONNECTIONS = 8;
/** Of each row on each side, before the first one is measured: Elasticsearch compiles code for thousands of requests. */
const WARM_UP_REQUESTS = 160;

/** Sends requests of all rows, since these share most of the code. */
export async function warmUp({ sides }: Sides, rows: Row[]): Promise<void> {
  const bar = progressBar('Warming up');
  for (let sent = 0; sent < WARM_UP_REQUESTS; sent += CONNECTIONS) {
    for (const row of rows) {
      for (const side of sides) await sendBlock(row, side, sent, CONNECTIONS);
    }
    bar.update(sent + CONNECTIONS, WARM_UP_REQUESTS);
  }
  bar.end();
}

/**
 * Measures the processor time of a request on both sides: that of the API and Elasticsearch. Blocks of equal requests
 * alternate, and each side is first in half of them.
 */
export async function measureInTurn(sides: Sides, row: Row, rounds: number): Promise<Figure> {
  const [ours, limit] = sides.sides as [Side, Side];
  const count = await blockOf(sides, row);
  const measured = [];
  let first = WARM_UP_REQUESTS;
  for (let round = 0; round < rounds; round += 1) {
    const time = new Map([ours, limit].map((side) => [side, 0]));
    for (let block = 0; block < BLOCKS_PER_ROUND; block += 1, first += count) {
      for (const side of block % 2 === 0 ? [ours, limit] : [limit, ours]) {
        time.set(side, (time.get(side) ?? 0) + (await secondsOf(sides, row, side, { first, count })));
      }
    }
    const perRequest = (side: Side): number => ((time.get(side) ?? NaN) * 1_000) / (BLOCKS_PER_ROUND * count);
    measured.push({ ours: perRequest(ours), limit: perRequest(limit) });
  }
  const figure: Figure = { path: row.path, unit: 'ms', limitedBy: limit.name, goal: { atMost: row.atMost }, rounds: measured };
  process.stderr.write(`${row.path}: ${JSON.stringify({ ...summaryOf(figure), requests: rounds * BLOCKS_PER_ROUND * count })}\n`);
  return figure;
}

/** @returns how many requests a block has, by the time of some that are not measured */
async function blockOf(sides: Sides, row: Row): Promise<number> {
  let seconds = 0;
  const count = 2 * CONNECTIONS;
  for (const side of sides.sides) seconds += await secondsOf(sides, row, side, { first: 0, count });
  const fitting = (BLOCK_SECONDS * count * sides.sides.length) / seconds;
  const whole = CONNECTIONS * Math.round(fitting / CONNECTIONS);
  return Math.min(BLOCK_REQUESTS.atMost, Math.max(BLOCK_REQUESTS.atLeast, whole));
}

async function sendBlock({ send }: Row, side: Side, first: number, count: number): Promise<void> {
  const connection = async (offset: number): Promise<void> => {
    for (let n = offset; n < count; n += CONNECTIONS) await send(side, first + n);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, offset) => connection(offset)));
}

type Block = { first: number; count: number };

async function secondsOf({ elasticsearch, postgres }: Sides, row: Row, side: Side, { first, count }: Block): Promise<number> {
  const { api, indexer } = side.cluster;
  const servers = row.isIndexed ? [api, elasticsearch, indexer, postgres] : [api, elasticsearch];
  const read = (): number => servers.reduce((sum, server) => sum + cpuSeconds(server), 0);
  const before = read();
  await sendBlock(row, side, first, count);
  if (row.isIndexed) await side.cluster.indexed();
  return read() - before;
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
