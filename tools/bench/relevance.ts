import { getStopSignal } from '@ugc/shared/cli/command';
import { progressBar } from '@ugc/shared/cli/progress-bar';
import { readJudgedCollection } from '../../test/relevance/judged-collection.ts';
import { inOneHour, tokenOf } from '../../test/support/http/tokens.ts';
import { measureRow, rowsOf, type Row } from './relevance-rows.ts';
import { keepUntil, startLoaded, startOnKept, type LoadedStack } from './relevance-stack.ts';
import { timedSearches } from './timed-searches.ts';

export type RelevanceOptions = {
  /** The folder of a judged collection. */
  collection: string;
  /** Keeps the stack running until Ctrl-C. */
  keep?: boolean;
  /** Measures with the index of a stack that another process keeps running. */
  reuse?: boolean;
};

const COLUMNS = ['what', 'ndcg@10', 'recall@20', 'mrr@10', 'p50 ms', 'p95 ms', 'plain p50 ms', 'p50 : plain p50', 'prompts'];
const ONE_DAY_SECONDS = 86_400;

/** Measures how well, and how fast, the prompts of a judged collection find its documents. */
export async function benchRelevance({ collection: folder, keep, reuse }: RelevanceOptions): Promise<void> {
  const collection = await readJudgedCollection(folder);
  const stack = reuse ? await startOnKept() : await startLoaded(collection.documents);
  try {
    console.table(await measureAll(stack, rowsOf(collection)), COLUMNS);
    if (keep) await keepRunning(stack);
  } finally {
    await stack.stop();
  }
}

async function measureAll(stack: LoadedStack, rows: Row[]): Promise<object[]> {
  const search = await timedSearches(stack);
  // The first searches run in code that is not optimized yet; on a busy machine they may even time out.
  for (const row of rows) await measureRow({ ...row, prompts: row.prompts.slice(0, 30) }, search, () => undefined).catch(() => undefined);
  const bar = progressBar('Searching');
  const total = rows.reduce((sum, { prompts }) => sum + prompts.length, 0);
  let searches = 0;
  const figures = [];
  for (const row of rows) figures.push(await measureRow(row, search, () => bar.update(++searches, total)));
  bar.end();
  return figures;
}

async function keepRunning(stack: LoadedStack): Promise<void> {
  const token = await tokenOf(1, { exp: inOneHour() + ONE_DAY_SECONDS });
  console.log(`The API runs at ${stack.client.baseUrl} until Ctrl-C, with the token ${token}`);
  console.log('In another terminal, --reuse measures the present source with this index.');
  await keepUntil(getStopSignal(), stack);
}
