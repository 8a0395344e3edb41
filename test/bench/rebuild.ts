import { indexCommand } from '../support/command.ts';
import { startCluster } from '../support/cluster.ts';
import { insertItems } from '../support/insert-items.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const AT_ONCE = 20_000;

/** How long a rebuild and an audit of many items take. BENCH_ITEMS says how many. */
export async function benchRebuild(): Promise<void> {
  const cluster = await startCluster();
  for (let inserted = 0; inserted < ITEMS; inserted += AT_ONCE) {
    await insertItems(cluster.database, { count: Math.min(AT_ONCE, ITEMS - inserted), pending: false });
  }
  const figures = [];
  for (const [what, name] of [
    ['index:rebuild', 'index-rebuild'],
    ['index:audit', 'index-audit'],
  ] as const) {
    const startedAt = performance.now();
    const { code, stderr } = await indexCommand(cluster.env, name, '--json');
    if (code !== 0) throw new Error(`${what} ended with ${code}: ${stderr}`);
    const seconds = (performance.now() - startedAt) / 1_000;
    figures.push({ what, items: ITEMS, seconds: Number(seconds.toFixed(1)), 'items per s': Math.round(ITEMS / seconds) });
  }
  await cluster.stop();
  console.table(figures);
}
