import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { startIndexCommand } from '../../test/support/processes/command.ts';
import { fillRows } from './collection/fill.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);

/** Measures a rebuild and an audit of BENCH_ITEMS items. */
export async function benchRebuild(): Promise<void> {
  const cluster = await startCluster();
  await fillRows(cluster, ITEMS);
  const figures = [];
  for (const name of ['index-rebuild', 'index-audit']) {
    const startedAt = performance.now();
    await run(cluster, name);
    const seconds = (performance.now() - startedAt) / 1_000;
    figures.push({ command: name, items: ITEMS, seconds: Number(seconds.toFixed(1)), 'items per s': Math.round(ITEMS / seconds) });
  }
  await cluster.stop();
  console.table(figures);
}

/** Runs the command and shows its progress. */
async function run({ env }: Cluster, name: string): Promise<void> {
  const { process: command, result } = startIndexCommand(env, name, '--json');
  command.stderr?.pipe(process.stderr);
  const { code } = await result;
  if (code !== 0) throw new Error(`${name} exited with code ${code}`);
}
