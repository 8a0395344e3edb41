import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { startApiCommand } from '../../test/support/processes/command.ts';
import { fillCollection } from './collection/fill.ts';
import { words } from './collection/words.ts';
import { writeLines } from './moving.ts';
import { percentile } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 20_000);
const ROUNDS = 3;
const QUIET_MS = 15_000;
const WARM_UP_MS = 10_000;
const LIST_EVERY_MS = 50;
const UPLOAD_EVERY_MS = 250;
/** No cache has a page that is asked for again: the index is refreshed each second. */
const PAGES = 20;

type Times = { lists: number[]; uploads: number[]; searchable: number[] };

/** What lists and uploads take while BENCH_ITEMS lines are imported, beside what they take in the minutes without. */
export async function benchImportBeside(): Promise<void> {
  const cluster = await startCluster();
  const folder = await mkdtemp(join(tmpdir(), 'bench-import-'));
  await fillCollection(cluster, ITEMS);
  await traffic(cluster, () => delay(WARM_UP_MS));
  const [quiet, beside] = [noTimes(), noTimes()];
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    add(quiet, await traffic(cluster, () => delay(QUIET_MS)));
    const file = join(folder, 'lines');
    await writeLines(file, `round ${round}`, ITEMS);
    const startedAt = performance.now();
    add(beside, await traffic(cluster, () => importAll(cluster, file)));
    seconds.push((performance.now() - startedAt) / 1_000);
    await delay(3_000);
  }
  await cluster.stop();
  await rm(folder, { recursive: true });
  console.table((['lists', 'uploads', 'searchable'] as const).flatMap((of) => [0.5, 0.95].map((share) => row(of, share, quiet, beside))));
  console.log(`${ITEMS} lines were imported and searchable after ${seconds.map((each) => each.toFixed(1)).join(', ')} s`);
}

function row(of: keyof Times, share: number, quiet: Times, beside: Times): object {
  const [without, during] = [percentile(quiet[of], share), percentile(beside[of], share)];
  return {
    what: `${of}, p${share * 100}`,
    ms: without.toFixed(1),
    'beside an import': during.toFixed(1),
    ratio: (during / without).toFixed(2),
  };
}

async function importAll({ env, indexed }: Cluster, file: string): Promise<void> {
  const args = process.env['BENCH_NO_WAIT'] ? [file, '--no-wait'] : [file];
  const { code, stderr } = await startApiCommand(env, 'import', ...args).result;
  if (code !== 0) throw new Error(stderr);
  await indexed();
}

/** Lists and uploads until the work is done. */
async function traffic({ client }: Cluster, work: () => Promise<void>): Promise<Times> {
  const times = noTimes();
  const state = { isDone: false };
  const repeat = async (everyMs: number, send: (n: number) => Promise<void>): Promise<void> => {
    for (let n = 0, at = performance.now(); !state.isDone; n += 1) {
      await send(n);
      at = Math.max(at + everyMs, performance.now());
      await delay(Math.max(0, at - performance.now()));
    }
  };
  const timed = async (durations: number[], send: () => Promise<{ status: number }>): Promise<void> => {
    const startedAt = performance.now();
    const { status } = await send();
    if (status >= 400) throw new Error(`a request returned ${status}`);
    durations.push(performance.now() - startedAt);
  };
  const running = [
    repeat(LIST_EVERY_MS, (n) =>
      timed(times.lists, () => (n % 2 === 0 ? client.list({ page: n % PAGES }) : client.list({ prompt: words(2), sort: 'relevance' }))),
    ),
    repeat(UPLOAD_EVERY_MS, () => timed(times.uploads, () => client.tryUpload({ description: words(20) }))),
    repeat(1_000, () => timed(times.searchable, () => client.tryUpload({}, 1, { prefer: 'wait=10' }))),
  ];
  await work().finally(() => (state.isDone = true));
  await Promise.all(running);
  return times;
}

function noTimes(): Times {
  return { lists: [], uploads: [], searchable: [] };
}

function add(sum: Times, times: Times): void {
  for (const name of ['lists', 'uploads', 'searchable'] as const) sum[name].push(...times[name]);
}
