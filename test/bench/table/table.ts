import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { median } from '../percentile.ts';
import { startBenchStack } from './bench-stack.ts';
import { measureConnections } from './connections.ts';
import { ratioOf, reachesGoal, type Figure, type Round, type Section } from './figure.ts';
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

export type TableOptions = { items: number; rounds: number; sections: string[]; json?: string };

/** Measures each path of the service beside its limit, and prints a table per section. Writes them all as JSON. */
export async function benchTable({ items, rounds, sections, json }: TableOptions): Promise<void> {
  const stack = await startBenchStack(items);
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (!sections.includes(name)) continue;
    process.stderr.write(`Measuring ${name} …\n`);
    const measured = await measure({ stack, rounds });
    console.table(measured.map(toRow));
    figures.push(...measured);
  }
  await stack.cluster.stop();
  const missed = figures.filter((figure) => !reachesGoal(figure)).map(({ path }) => path);
  process.stdout.write(`${figures.length - missed.length} of ${figures.length} goals are reached. ${missed.join(' · ')}\n`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ items, rounds, cores: availableParallelism(), figures }, null, 2)}\n`);
}

function toRow(figure: Figure): Record<string, unknown> {
  const { ratio, lowest, highest } = ratioOf(figure);
  const middle = (side: keyof Round): number => median(figure.rounds.map((round) => round[side]));
  return {
    path: figure.path,
    unit: figure.unit,
    ours: rounded(middle('ours')),
    limit: rounded(middle('limit')),
    ratio: ratio.toFixed(2),
    spread: `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
    goal: 'atLeast' in figure.goal ? `≥ ${figure.goal.atLeast}` : `≤ ${figure.goal.atMost}`,
    reached: reachesGoal(figure),
    ...figure.details,
  };
}

function rounded(value: number): number {
  return value < 10 ? Number(value.toFixed(2)) : Math.round(value);
}
