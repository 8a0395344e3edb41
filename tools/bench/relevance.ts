import type { Server } from '@ugc/local-stack/server';
import { getStopSignal } from '@ugc/shared/cli/command';
import { progressBar } from '@ugc/shared/cli/output';
import { readJudgedCollection, type JudgedCollection } from '../../test/relevance/judged-collection.ts';
import { inOneHour, tokenOf } from '../../test/support/http/tokens.ts';
import { groupsOf, measureGroup, type Row } from './relevance-rows.ts';
import { keepUntil, startLoaded, startOnKept, type LoadedStack } from './relevance-stack.ts';
import { timedSearches } from './timed-searches.ts';

export type RelevanceOptions = {
  /** The folder of a judged collection. */
  collection: string;
  /** Keeps the stack running until Ctrl-C. */
  keep?: boolean;
  /** Also ranks by meaning, with the local embedding service. */
  semantic?: boolean;
  /** Measures with the index of a stack that another process keeps running. */
  reuse?: boolean;
};

const COLUMNS = ['what', 'ndcg@10', 'recall@20', 'mrr@10', 'p50 ms', 'p95 ms', 'plain p50 ms', 'p50 : plain p50', 'by meaning', 'prompts'];
/** As many as are ranked by meaning. */
const COMPARED = 100;
const ONE_DAY_SECONDS = 86_400;

/** Measures how well, and how fast, the prompts of a judged collection find its documents. */
export async function benchRelevance({ collection: folder, keep, reuse, semantic = false }: RelevanceOptions): Promise<void> {
  const collection = await readJudgedCollection(folder);
  const stack = reuse ? await startOnKept() : await startLoaded(collection.documents, semantic);
  try {
    const groups = groupsOf(collection, semantic);
    console.table(await measureAll(stack, groups), COLUMNS);
    if (semantic) console.log(await compareItems(stack, collection));
    if (keep) await keepRunning(stack);
    else if (stack.embedder) await measureWithout(stack.embedder, stack, groups);
  } finally {
    await stack.stop();
  }
}

async function measureWithout(embedder: Server, stack: LoadedStack, groups: Row[][]): Promise<void> {
  await embedder.stop();
  console.log('The embedding service is stopped:');
  console.table(await measureAll(stack, groups), COLUMNS);
}

async function measureAll(stack: LoadedStack, groups: Row[][]): Promise<object[]> {
  const search = await timedSearches(stack);
  const first = (row: Row): Row => ({ ...row, prompts: row.prompts.slice(0, 30) });
  // The first searches run in code that is not optimized yet; on a busy machine they may even time out.
  for (const group of groups) await measureGroup(group.map(first), search, () => undefined).catch(() => undefined);
  const bar = progressBar('Searching');
  const total = groups.flat().reduce((sum, { prompts }) => sum + prompts.length, 0);
  let searches = 0;
  const figures = [];
  for (const group of groups) figures.push(...(await measureGroup(group, search, () => bar.update(++searches, total))));
  bar.end();
  return figures;
}

/** @returns how many judged prompts have the same first items and the same total, whatever the ranking */
async function compareItems({ client }: LoadedStack, { prompts, misspelt }: JudgedCollection): Promise<string> {
  const judged = [...prompts, ...misspelt];
  const read = async (prompt: string, semantic: string): Promise<string> => {
    const { body } = await client.list({ prompt, semantic, sort: 'relevance', size: COMPARED });
    return JSON.stringify([body.totalElements, body.content.map(({ contentId }) => contentId).toSorted()]);
  };
  let same = 0;
  for (const { text } of judged) if ((await read(text, 'true')) === (await read(text, 'false'))) same += 1;
  return `${same} of ${judged.length} judged prompts have the same total and the same first ${COMPARED} items by meaning and by words.`;
}

async function keepRunning(stack: LoadedStack): Promise<void> {
  const token = await tokenOf(1, { exp: inOneHour() + ONE_DAY_SECONDS });
  console.log(`The API runs at ${stack.client.baseUrl} until Ctrl-C, with the token ${token}`);
  console.log('In another terminal, --reuse measures the present source with this index.');
  await keepUntil(getStopSignal(), stack);
}
