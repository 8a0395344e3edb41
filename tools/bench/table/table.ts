import { availableParallelism } from 'node:os';
import { writeChart } from '../chart/chart.ts';
import { saveRun } from '../chart/saved-run.ts';
import { startBenchStack } from './bench-stack.ts';
import { measureConnections } from './connections.ts';
import { reachesGoal, summaryOf, type Figure, type Section } from './figure.ts';
import { measureDownloads } from './downloads.ts';
import { measureFreshness } from './freshness.ts';
import { measureIndexing } from './indexing.ts';
import { measureMemory } from './memory.ts';
import { measureReplicas } from './replicas.ts';
import { measureLists, measureReads, measureUploads } from './requests.ts';
import { measureStart } from './start.ts';
import { measureTraces } from './traces.ts';

export const SECTIONS: Record<string, Section> = {
  reads: measureReads,
  lists: measureLists,
  uploads: measureUploads,
  downloads: measureDownloads,
  connections: measureConnections,
  replicas: measureReplicas,
  freshness: measureFreshness,
  indexing: measureIndexing,
  memory: measureMemory,
  start: measureStart,
  traces: measureTraces,
};

export type TableOptions = { items: number; rounds: number; sections: string[]; json?: string; chart?: string; data?: string };

/**
 * Measures each path of the service beside its limit, and prints a table per section. `json` and `chart` are written
 * after each section, because the next one may take half an hour.
 */
export async function benchTable({ items, rounds, sections, json, chart, data }: TableOptions): Promise<void> {
  const stack = await startBenchStack(items, data);
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(SECTIONS)) {
    if (!sections.includes(name)) continue;
    process.stderr.write(`Measuring ${name} …\n`);
    const measured = await measure({ stack, rounds });
    console.table(measured.map(toRow));
    figures.push(...measured);
    const run = { items, rounds, cores: availableParallelism(), figures };
    if (json !== undefined) await saveRun(json, run);
    if (chart !== undefined) await writeChart(chart, [run]);
  }
  await stack.cluster.stop();
  const missed = figures.filter((figure) => !reachesGoal(figure)).map(({ path }) => path);
  process.stdout.write(`${figures.length - missed.length} of ${figures.length} goals are reached. ${missed.join(' · ')}\n`);
}

function toRow(figure: Figure): Record<string, unknown> {
  const { path, unit, details } = figure;
  return { path, unit, ...summaryOf(figure), reached: reachesGoal(figure), ...details };
}
