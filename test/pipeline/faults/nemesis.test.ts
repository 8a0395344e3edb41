import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../support/client.ts';
import { startCluster, type Cluster } from '../../support/cluster.ts';
import { Caller } from '../../support/nemesis/caller.ts';
import { FAULTS, planStrikes, type Strike } from '../../support/nemesis/strikes.ts';
import { expectNothingLost, expectRunning } from '../../support/oracle.ts';
import { until } from '../../support/until.ts';
import { Uploads } from '../../support/uploads.ts';

const MINUTES = Number(process.env['NEMESIS_MINUTES'] ?? 1);
const SEED = Number(process.env['NEMESIS_SEED'] ?? 7);
const CALLERS = 8;
const MOST_STRIKES_A_MINUTE = 60;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    redis: true,
    postgres: true,
    elasticsearch: true,
    proxied: ['redis', 'postgres', 'elasticsearch'],
    apis: 2,
    indexers: 2,
  });
});
afterAll(() => cluster.stop());

it(
  `${MINUTES} min of random faults, seed ${SEED}, lose nothing`,
  async () => {
    say(`seed ${SEED}, ${MINUTES} min, ${CALLERS} callers`);
    const startedAt = Date.now();
    const uploads = new Uploads();
    const stopping = new AbortController();
    const callers = Array.from({ length: CALLERS }, (_, n) => newCaller(n, uploads));
    const running = callers.map((caller) => caller.run(stopping.signal));
    for (const strike of planStrikes(SEED, Math.ceil(MINUTES * MOST_STRIKES_A_MINUTE))) {
      if (Date.now() - startedAt > MINUTES * 60_000) break;
      await perform(strike, startedAt);
    }
    stopping.abort();
    await Promise.all(running);
    for (const [answer, times] of countsOf(callers)) say(`${String(times).padStart(7)} × ${answer}`);
    await expectVerdict(callers, uploads).catch((error: unknown) => {
      say(`verdict: the promise is broken, see below; --seed ${SEED} repeats the faults`);
      throw error;
    });
    say('verdict: nothing was lost');
  },
  MINUTES * 60_000 + 300_000,
);

function newCaller(n: number, uploads: Uploads): Caller {
  const client = new Client(cluster.apis[n % cluster.apis.length]?.url ?? '');
  return new Caller(`caller${n}`, { client, uploads, seed: SEED * CALLERS + n });
}

async function perform({ afterMs, fault, lastsMs }: Strike, startedAt: number): Promise<void> {
  await delay(afterMs);
  say(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${fault}, for ${lastsMs} ms`);
  // A fault that kills a process and starts it again would hide that it had ended by itself.
  expectRunning(cluster);
  await FAULTS[fault]?.strike(cluster);
  await delay(lastsMs);
  await FAULTS[fault]?.heal(cluster);
}

async function expectVerdict(callers: Caller[], uploads: Uploads): Promise<void> {
  expect(callers.flatMap((caller) => caller.unexpected)).toEqual([]);
  await until('lists answer again', async () => (await cluster.client.list()).status === 200, 120_000);
  await expectNothingLost(cluster, uploads);
  const rows = await cluster.database.query<{ content_id: number; version: number; deleted: boolean }>(
    'select content_id, version, deleted_at is not null as deleted from content',
  );
  const stored = new Map(rows.map((row) => [row.content_id, row]));
  const items = callers.flatMap((caller) => caller.items);
  expect(items.map((item) => item.faultOf(stored.get(item.contentId) ?? { version: NaN, deleted: true }))).toEqual(
    items.map(() => undefined),
  );
}

function countsOf(callers: Caller[]): [string, number][] {
  const sum: Record<string, number> = {};
  for (const { counts } of callers) for (const [answer, times] of Object.entries(counts)) sum[answer] = (sum[answer] ?? 0) + times;
  return Object.entries(sum).sort();
}

// Jest would put a stack trace below every line.
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
