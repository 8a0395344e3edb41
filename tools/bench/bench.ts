import { createCommand, EXIT, parseWith, runCommand } from '@ugc/shared/cli/command';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { startCluster, type Cluster } from '../../test/support/cluster/cluster.ts';
import { until } from '../../test/support/jest/until.ts';
import { showSavedRuns } from './chart/show-saved-runs.ts';
import { benchCompression } from './compression.ts';
import { benchDistinctTags } from './distinct-tags.ts';
import { benchFacets } from './facets.ts';
import { benchHighlights } from './highlights.ts';
import { benchHostile } from './hostile.ts';
import { benchHotUpdates } from './hot-updates.ts';
import { benchImportBeside } from './import-beside.ts';
import { benchIndexers } from './indexers.ts';
import { percentile } from './percentile.ts';
import { benchModeration } from './moderation.ts';
import { benchMoving } from './moving.ts';
import { benchPages } from './pages.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRelevance, type RelevanceOptions } from './relevance.ts';
import { benchTable, SECTIONS, type TableOptions } from './table/table.ts';
import { simulateIndexing } from './simulate.ts';
import { benchRemembered } from './sides/remembered.ts';
import { benchDrafts, benchFields, benchGrowth, benchPlain, benchRelease } from './sides/sides.ts';
import { benchWorst } from './worst.ts';
import { withServers } from '../with-servers.ts';

type Figure = { what: string; p50: number; p99: number; times: number };

type Benchmark = { name: string; what: string; run: () => Promise<void> };

const BENCHMARKS: Benchmark[] = [
  { name: 'latency', what: 'response times of uploads, searches and reads, also while a store is down', run: benchLatency },
  { name: 'compression', what: 'lists per second with and without Accept-Encoding', run: benchCompression },
  { name: 'facets', what: 'response times of facets and suggestions while items are uploaded (BENCH_ITEMS items)', run: benchFacets },
  {
    name: 'distinct-tags',
    what: 'what a refresh costs by how many distinct tags and creators there are (BENCH_ITEMS items)',
    run: benchDistinctTags,
  },
  { name: 'highlights', what: 'response times of lists with and without highlight=true', run: benchHighlights },
  {
    name: 'hot-updates',
    what: 'which part of counter updates writes no index, by the fillfactor of the table of items (BENCH_ITEMS items)',
    run: benchHotUpdates,
  },
  { name: 'indexers', what: 'throughput of one and of two indexers', run: benchIndexers },
  {
    name: 'moderation',
    what: 'how soon an item is hidden, and uploads beside the erasure of a user (BENCH_ITEMS items)',
    run: benchModeration,
  },
  { name: 'moving', what: 'import and export beside plain programs (BENCH_ITEMS items)', run: benchMoving },
  { name: 'import-beside', what: 'lists and uploads while BENCH_ITEMS lines are imported', run: benchImportBeside },
  { name: 'pages', what: 'response times of deep pages of a list (BENCH_ITEMS items)', run: benchPages },
  { name: 'rebuild', what: 'duration of a rebuild and an audit (BENCH_ITEMS items)', run: benchRebuild },
  {
    name: 'hostile',
    what: 'what ordinary users notice of each attack and of all together (BENCH_ITEMS, BENCH_SECONDS a phase, BENCH_ATTACKS a pattern)',
    run: benchHostile,
  },
  { name: 'worst', what: 'cost of the most expensive requests, and their effect on other users', run: benchWorst },
];

const FILES = ['docs.jsonl', 'queries.jsonl', 'qrels.tsv'];
const judgedFolder = parseWith(
  '--collection',
  z.string().refine((folder) => FILES.every((file) => existsSync(join(folder, file))), `must contain ${FILES.join(', ')}`),
);

const positive = (name: string) => parseWith(name, z.coerce.number().int().positive());
const sectionNames = parseWith(
  '--sections',
  z
    .string()
    .transform((names) => names.split(','))
    .pipe(z.array(z.enum(Object.keys(SECTIONS)))),
);

const command = createCommand({
  name: 'npx pnpm bench',
  description: 'Measures the service on this machine, with real servers and with API and indexer as processes.',
  exitCodes: { [EXIT.done]: 'done', [EXIT.badResult]: 'failed, or a limit is exceeded', [EXIT.usage]: 'the arguments are wrong' },
  example: 'npx pnpm bench --items 1000000 --sections reads,lists',
});
command
  .command('table', { isDefault: true })
  .description('each path beside its limit, the simplest program that does the same work (the default)')
  .option('--items <N>', 'how many items the collection has', positive('--items'), 100_000)
  .option('--rounds <N>', 'how often each pair is measured', positive('--rounds'), 5)
  .addOption(
    command
      .createOption('--sections <NAMES>', `which sections to measure, separated by commas: ${Object.keys(SECTIONS).join(', ')}`)
      .argParser(sectionNames)
      .default(Object.keys(SECTIONS), 'all'),
  )
  .option('--json <FILE>', 'also write the figures to this file')
  .option('--chart <FILE>', 'also draw the figures as an SVG')
  .option('--data <DIR>', 'keep the data of the stores in this folder; the same command continues there')
  .action(async (options: TableOptions) => withServers(async () => benchTable(options), options.data));
command
  .command('chart')
  .description('draws the figures that --json has written, and prints them as Markdown; measures nothing')
  .argument('<files...>', 'a figure of a later file takes the place of that with the same path')
  .option('--chart <FILE>', 'the SVG')
  .action(showSavedRuns);
command
  .command('simulate')
  .description('simulates more indexers and stores than a machine has, by the processor time that each step was measured to take')
  .option('--rate <N>', 'changes per second', positive('--rate'), 10_000)
  .action(({ rate }: { rate: number }) => simulateIndexing(rate));
for (const { name, what, run } of BENCHMARKS) {
  command
    .command(name)
    .description(what)
    .action(async () => withServers(run));
}
command
  .command('relevance')
  .description('how well, and how fast, searches find the documents of a judged collection')
  .requiredOption('--collection <DIR>', `a folder with ${FILES.join(', ')}`, judgedFolder)
  .option('--semantic', 'rank by meaning with the local embedding service, in turn with the ranking by words')
  .option('--keep', 'keep the stack running until Ctrl-C')
  .addOption(command.createOption('--reuse', 'measure the present source with the index of a stack that is kept running').conflicts('keep'))
  .action(async (options: RelevanceOptions) =>
    options.reuse ? benchRelevance(options) : withServers(async () => benchRelevance(options)),
  );
const sidesCommand = (name: string, what: string) =>
  command
    .command(name)
    .description(`${what}: the processor time for each request, in turn in one run`)
    .option('--items <N>', 'how many items each side has', positive('--items'), 10_000)
    .option('--rounds <N>', 'how often each row is measured', positive('--rounds'), 7)
    .option('--rows <PATTERN>', 'a regular expression: only the rows whose names have it')
    .option('--json <FILE>', 'also write the figures to this file')
    .option('--data <DIR>', 'keep the data of the stores in this folder; the same command, and the other one, continue there');
sidesCommand('release', 'prompts and suggestions of this source beside another release')
  .requiredOption('--release <DIR>', 'a checkout of that release, with its packages installed')
  .action(benchRelease);
command
  .command('remembered')
  .description('memory that BENCH_PROMPTS distinct prompts take in an API process, beside another release; without servers')
  .requiredOption('--release <DIR>', 'a checkout of that release, with its packages installed')
  .action(benchRemembered);
sidesCommand('plain', 'lists with a prompt beside those of the same API that runs one multi_match').action(benchPlain);
sidesCommand('declared-fields', 'lists, facets and uploads of items with four declared fields beside the same items without').action(
  benchFields,
);
sidesCommand('growth', 'requests to so many items beside those to 10,000').action(benchGrowth);
sidesCommand('drafts', 'uploads to a database with a million drafts beside those to one without').action(benchDrafts);
await runCommand(command, (error) => ({ message: String(error instanceof Error ? error.stack : error), exitCode: EXIT.badResult }));

async function benchLatency(): Promise<void> {
  const cluster = await startCluster({ redis: true, elasticsearch: true });
  const rows = [
    await measure('upload → 201', 300, () => cluster.client.upload({ name: 'timed' })),
    await measure('upload → found by search', 20, (n) => untilFound(cluster, `freshness${n}`)),
    await measure('search, relevance, one word', 200, () => cluster.client.search('timed', { sort: 'relevance', size: 10 })),
    await measure('search, misspelt word', 200, () => cluster.client.search('tmied', { sort: 'relevance', size: 10 })),
    await measure('get one', 300, () => cluster.client.get('/api/content/1')),
  ];
  rows.push(await measure('upload → 201, 64 clients in parallel', 1_920, () => cluster.client.upload(), 64));
  await cluster.indexed();
  for (const [name, server] of Object.entries({ Redis: cluster.redis, Elasticsearch: cluster.elasticsearchServer })) {
    server?.signal('SIGSTOP');
    rows.push(await measure(`upload → 201 while ${name} is stopped (SIGSTOP)`, 300, () => cluster.client.upload()));
    await server?.kill();
    rows.push(await measure(`upload → 201 while ${name} is down`, 300, () => cluster.client.upload()));
    await server?.start();
  }
  await cluster.stop();
  print(rows);
}

async function measure(what: string, times: number, send: (n: number) => Promise<unknown>, clients = 1): Promise<Figure> {
  const durations: number[] = [];
  const timed = async (n: number): Promise<void> => {
    const startedAt = performance.now();
    await send(n);
    durations.push(performance.now() - startedAt);
  };
  const runClient = async (first: number): Promise<void> => {
    for (let n = first; n < times; n += clients) await timed(n);
  };
  await Promise.all(Array.from({ length: clients }, (_, first) => runClient(first)));
  return { what, p50: percentile(durations, 0.5), p99: percentile(durations, 0.99), times };
}

async function untilFound({ client }: Cluster, word: string): Promise<void> {
  await client.upload({ name: word });
  await until('it is found', async () => (await client.search(`"${word}"`)).length === 1);
}

function print(figures: Figure[]): void {
  const upload = figures[0]?.p50 ?? 1;
  console.table(
    figures.map(({ what, p50, p99, times }) => ({
      what,
      'p50 ms': Math.round(p50),
      'p99 ms': Math.round(p99),
      'p50 : p50 of an upload': Number((p50 / upload).toFixed(2)),
      times,
    })),
  );
}
