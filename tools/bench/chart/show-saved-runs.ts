import { writeChart } from './chart.ts';
import { toMarkdown } from './markdown.ts';
import { conditionsOf, mergeFigures, readRun } from './saved-run.ts';

/** Prints the figures of saved runs as Markdown, and draws them. @throws UsageError if a file is no saved run */
export async function showSavedRuns(files: string[], { chart }: { chart?: string }): Promise<void> {
  const runs = await Promise.all(files.map(readRun));
  process.stdout.write(`${conditionsOf(runs)}:\n\n${toMarkdown(mergeFigures(runs))}`);
  if (chart !== undefined) await writeChart(chart, runs);
}
