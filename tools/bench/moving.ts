import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { countPendingUpTo } from '@ugc/shared/outbox/backlog';
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { pngOfBytes } from '../../test/support/database/images.ts';
import { until } from '../../test/support/jest/until.ts';
import { startApiCommand } from '../../test/support/processes/command.ts';
import { words } from './collection/words.ts';
import { median } from './percentile.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 50_000);
const ROUNDS = 3;
const PICTURE_BYTES = 100 * 1_024;
const INSERT = fileURLToPath(new URL('limits/insert.ts', import.meta.url));
const SAMPLE_EVERY_MS = 100;

type Run = { seconds: number; megabytes: number };
type Row = { ours: string; beside: string; ratio: string; goal: string; 'MB of memory': number };

/** Import and export of BENCH_ITEMS items of 1 KB beside the simplest programs that do the same. */
export async function benchMoving(): Promise<void> {
  const cluster = await startCluster();
  const folder = await mkdtemp(join(tmpdir(), 'bench-moving-'));
  // PostgreSQL writes into it as another user.
  await chmod(folder, 0o777);
  const rows = await measureAll(cluster, folder);
  await cluster.stop();
  await rm(folder, { recursive: true });
  console.table(rows);
}

async function measureAll(cluster: Cluster, folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  const file = (name: string) => join(folder, name);
  await pauseIndexing(cluster.database);
  const imports = await inTurn(ROUNDS, async (round) => {
    await writeLines(file('lines'), `round ${round}`, ITEMS);
    const limit = await measure(insertAll(cluster, file('lines')));
    const first = await measure(importAll(cluster, file('lines'), '--no-wait'));
    return { limit, first, again: await measure(importAll(cluster, file('lines'), '--no-wait')) };
  });
  const [limits, firsts, agains] = (['limit', 'first', 'again'] as const).map((name) => imports.map((round) => round[name]));
  rows.push(toRow('import --no-wait', firsts ?? [], 'plain inserts', limits ?? [], '≥ 0.5'));
  rows.push(toRow('the same file again', agains ?? [], 'the first time', firsts ?? [], '≥ 5'));
  rows.push(await measurePictures(cluster, file('pictures')));
  rows.push(await measureExport(cluster, file('copy')));
  await empty(cluster);
  rows.push(await measurePace(cluster, file('lines')));
  return rows;
}

async function measurePictures(cluster: Cluster, file: string): Promise<Row> {
  await writeLines(file, 'pictures', ITEMS / 25, pngOfBytes(PICTURE_BYTES).toString('base64'));
  const limit = await measure(insertAll(cluster, file));
  const ours = await measure(importAll(cluster, file, '--no-wait'));
  return toRow('import --no-wait, pictures of 100 KB', [ours], 'plain inserts', [limit], '≥ 0.5');
}

async function measureExport(cluster: Cluster, file: string): Promise<Row> {
  // Without statistics, PostgreSQL sorts all remaining items for each slice.
  await cluster.database.query('vacuum analyze');
  const runs = await inTurn(ROUNDS, async () => {
    const startedAt = performance.now();
    await cluster.database.query(`copy (select c.*, t.bytes from content c left join content_thumbnail t using (content_id)) to '${file}'`);
    const limit = { seconds: (performance.now() - startedAt) / 1_000, megabytes: 0 };
    return { limit, ours: await measure(startApiCommand(cluster.env, 'export').process) };
  });
  return toRow('export', runs.map(({ ours }) => ours), 'COPY to a file', runs.map(({ limit }) => limit), '≥ 0.3'); // prettier-ignore
}

/** Until everything is searchable: the changes of an import that does not wait, and an import that waits. */
async function measurePace(cluster: Cluster, file: string): Promise<Row> {
  await writeLines(file, 'drained', ITEMS);
  await measure(importAll(cluster, file, '--no-wait'));
  await resumeIndexing(cluster.database);
  const drained = await untilNothingPending(cluster);
  await writeLines(file, 'paced', ITEMS);
  const startedAt = performance.now();
  const { megabytes } = await measure(importAll(cluster, file));
  await untilNothingPending(cluster);
  const paced = { seconds: (performance.now() - startedAt) / 1_000, megabytes };
  return toRow('import', [paced], 'drain of pending changes', [{ seconds: drained, megabytes: 0 }], '≥ 0.4');
}

async function untilNothingPending({ database }: Cluster): Promise<number> {
  const startedAt = performance.now();
  await until('nothing is pending', async () => (await countPendingUpTo(database, 1)) === 0, 3_600_000, 100);
  return (performance.now() - startedAt) / 1_000;
}

async function empty({ database }: Cluster): Promise<void> {
  await database.query('truncate content, index_outbox, external_item cascade');
}

export async function writeLines(file: string, prefix: string, count: number, thumbnail?: string): Promise<void> {
  const line = (n: number) =>
    JSON.stringify({
      externalId: `${prefix}/${n}`,
      creatorId: 1,
      name: `${prefix} ${n}`,
      description: words(40),
      version: 1,
      data: 'x'.repeat(500),
      tags: ['many', `tag ${n % 100}`],
      thumbnail,
    });
  await writeFile(
    file,
    Array.from({ length: count }, (_, n) => `${line(n)}\n`),
  );
}

function insertAll({ env }: Cluster, file: string): ChildProcess {
  return execFile(process.execPath, [INSERT], { env: { ...process.env, ...env, IMPORT_FILE: file } });
}

function importAll({ env }: Cluster, file: string, ...args: string[]): ChildProcess {
  return startApiCommand(env, 'import', file, ...args).process;
}

async function measure(child: ChildProcess): Promise<Run> {
  const startedAt = performance.now();
  let megabytes = 0;
  const sampling = setInterval(() => (megabytes = Math.max(megabytes, residentMegabytes(child))), SAMPLE_EVERY_MS);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(sampling);
  if (code !== 0) throw new Error(`the program exited with code ${code}`);
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes };
}

function residentMegabytes({ pid }: ChildProcess): number {
  try {
    return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

async function inTurn<T>(rounds: number, run: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await run(round));
  return results;
}

function toRow(ours: string, runs: Run[], beside: string, limits: Run[], goal: string): Row {
  const seconds = (all: Run[]) => median(all.map((run) => run.seconds));
  return {
    ours: `${ours}: ${seconds(runs).toFixed(1)} s`,
    beside: `${beside}: ${seconds(limits).toFixed(1)} s`,
    ratio: (seconds(limits) / seconds(runs)).toFixed(2),
    goal,
    'MB of memory': Math.max(...runs.map(({ megabytes }) => megabytes)),
  };
}
