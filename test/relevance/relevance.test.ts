import { beforeAll, expect, it } from '@jest/globals';
import { Console } from 'node:console';
import { readFile, writeFile } from 'node:fs/promises';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { startService } from '../support/processes/service.ts';
import { readDemoDocuments, readDemoPrompts, type DemoPrompt } from './demo-prompts.ts';
import { knownItems, VARIANTS } from './known-items.ts';
import { mean, ndcg, recall, reciprocalRank } from './measures.ts';
import { storeDemo } from './store-demo.ts';

type Row = { prompts: number; 'ndcg@10'?: number; 'recall@20'?: number; 'mrr@10'?: number };
type Table = Record<string, Row>;

const RECORDED = new URL('./recorded.json', import.meta.url);
/** A prompt whose first item falls to the second place changes its kind by more. */
const TOLERANCE = 0.003;
const KNOWN_ITEMS = 100;
/** Prompts with a lower nDCG@10 are printed one by one. */
const POOR = 0.7;

const service = forAllTests(() => startService());
beforeAll(async () => {
  await storeDemo(service.database);
  await service.indexed();
});

it('no kind of prompt finds its items worse than recorded', async () => {
  const figures = { ...(await measureJudged()), ...(await measureKnownItems()) };
  new Console(process.stderr).table(figures);
  if (process.env['UPDATE_RELEVANCE']) await writeFile(RECORDED, `${JSON.stringify(guarded(figures), null, 2)}\n`);
  expect(worseThan(JSON.parse(await readFile(RECORDED, 'utf8')), guarded(figures))).toEqual([]);
});

async function measureJudged(): Promise<Table> {
  const prompts = await readDemoPrompts();
  const rankings = new Map<DemoPrompt, string[]>();
  for (const judged of prompts) rankings.set(judged, await search(judged.prompt));
  printPoor(rankings);
  const row = (judged: DemoPrompt[]): Row => ({
    prompts: judged.length,
    'ndcg@10': rounded(mean(judged.map((one) => ndcg(rankings.get(one) ?? [], one.grades)))),
    'recall@20': rounded(mean(judged.map((one) => recall(rankings.get(one) ?? [], one.grades)))),
  });
  const kinds = Map.groupBy(prompts, ({ kind }) => kind);
  return { 'all judged prompts': row(prompts), ...Object.fromEntries([...kinds].map(([kind, judged]) => [kind, row(judged)])) };
}

function printPoor(rankings: Map<DemoPrompt, string[]>): void {
  const rows = [...rankings].map(([{ kind, prompt, grades }, ranked]) => ({
    kind,
    prompt,
    'ndcg@10': rounded(ndcg(ranked, grades)),
    'first result': ranked[0],
  }));
  new Console(process.stderr).table(rows.filter((row) => row['ndcg@10'] < POOR));
}

async function measureKnownItems(): Promise<Table> {
  const items = knownItems(await readDemoDocuments(), KNOWN_ITEMS);
  const table: Table = {};
  for (const variant of VARIANTS) {
    const ranks: number[] = [];
    for (const item of items) ranks.push(reciprocalRank(await search(item[variant]), item.id));
    table[`known items, ${variant}`] = { prompts: items.length, 'mrr@10': rounded(mean(ranks)) };
  }
  return table;
}

async function search(prompt: string): Promise<string[]> {
  return service.client.search(prompt, { sort: 'relevance', size: 20 });
}

function rounded(figure: number): number {
  return Number(figure.toFixed(4));
}

function guarded(table: Table): Record<string, number> {
  return Object.fromEntries(Object.entries(table).map(([what, row]) => [what, row['ndcg@10'] ?? row['mrr@10'] ?? 0]));
}

function worseThan(recorded: Record<string, number>, figures: Record<string, number>): string[] {
  const worse = Object.entries(figures).filter(([what, figure]) => !(figure >= (recorded[what] ?? Infinity) - TOLERANCE));
  return worse.map(([what, figure]) => `${what}: ${figure}, recorded ${recorded[what] ?? 'nothing; UPDATE_RELEVANCE=1 records it'}`);
}
