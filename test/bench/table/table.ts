import { startBenchStack } from './bench-stack.ts';
import { measureConnections } from './connections.ts';
import { ratioOf, reachesGoal, type Figure, type Section } from './figure.ts';
import { measureFreshness } from './freshness.ts';
import { measureGrowth } from './growth.ts';
import { measureIndexing } from './indexing.ts';
import { measureMemory } from './memory.ts';
import { measureLists, measureReads, measureUploads } from './requests.ts';
import { measureStart } from './start.ts';

export const SECTIONS: Record<string, Section> = {
  reads: measureReads,
  lists: measureLists,
  uploads: measureUploads,
  connections: measureConnections,
  freshness: measureFreshness,
  indexing: measureIndexing,
  growth: measureGrowth,
  memory: measureMemory,
  start: measureStart,
};

export type TableOptions = { items: number; rounds: number; only?: string[] };

/** Measures each path of the service beside its limit, and prints one table. */
export async function benchTable({ items, rounds, only }: TableOptions): Promise<void> {
  const stack = await startBenchStack(items, process.env['BENCH_NODE_OPTIONS'] ? { NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] } : {});
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (only && !only.includes(name)) continue;
    process.stderr.write(`Measuring ${name} …\n`);
    figures.push(...(await measure({ stack, rounds })));
  }
  await stack.cluster.stop();
  console.table(figures.map(toRow));
}

function toRow(figure: Figure): Record<string, unknown> {
  const { ratio, lowest, highest } = ratioOf(figure);
  return {
    path: figure.path,
    ratio: ratio.toFixed(2),
    spread: `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
    goal: 'atLeast' in figure.goal ? `≥ ${figure.goal.atLeast}` : `≤ ${figure.goal.atMost}`,
    reached: reachesGoal(figure),
    ...figure.details,
  };
}
