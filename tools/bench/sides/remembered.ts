import type * as InterpretCode from '@ugc/api/search/prompt/interpret-prompt';
import type * as MemoryCode from '@ugc/api/search/prompt/prompt-memory';
import type { Found, SearchBody } from '@ugc/api/search/response';
import type * as ParseCode from '@ugc/text/prompt/parse-prompt';
import type * as RulesCode from '@ugc/text/rules/text-rules';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Site } from '../collection/site.ts';
import { promptOf } from './prompt-rows.ts';

const PROMPTS = Number(process.env['BENCH_PROMPTS'] ?? 10_000);
const SITE = new Site(1_000_000);
const MAX_WORDS = 8;
/** What is remembered of a word, the longest, expires within this time. */
const EXPIRED_AFTER_MS = 7_000;
const MEGABYTE = 1_048_576;
const MANY = 1_000;

/** An index in which every word occurs, in each way to write it and in each form: most is remembered of these. */
const index = { name: 'bench', mappingVersion: 0 };
const session = { index, searchMany: (searches: SearchBody[]) => Promise.resolve(searches.map(foundIn)) } as unknown as Parameters<
  typeof InterpretCode.interpretPrompt
>[2]['session'];

function foundIn({ aggregations = {} }: SearchBody): Found {
  const bucketsOf = (filters: object): object => Object.fromEntries(Object.keys(filters).map((name) => [name, { doc_count: MANY }]));
  const counted = Object.entries(aggregations).map(([name, one]) => [name, { buckets: bucketsOf(one.filters?.filters ?? {}) }]);
  return { hits: { total: { value: MANY, relation: 'eq' }, hits: [] }, aggregations: Object.fromEntries(counted) } as unknown as Found;
}

/** The heap that BENCH_PROMPTS distinct prompts leave behind which all arrive in one second, and that stays when they have expired. */
export async function benchRemembered({ release }: { release: string }): Promise<void> {
  const rows = [];
  for (const [name, checkout] of [
    ['this source', CHECKOUT],
    ['release', resolve(release)],
  ] as const)
    rows.push(await measure(name, checkout));
  console.table(rows);
}

async function measure(name: string, checkout: string): Promise<Record<string, string | number>> {
  const remember = await rememberingOf(checkout);
  // Not measured: what is remembered as long as the process lives, such as figures of languages.
  await remember(PROMPTS, 100);
  await delay(EXPIRED_AFTER_MS);
  const before = heapMegabytes();
  await remember(0, PROMPTS);
  const after = heapMegabytes();
  await delay(EXPIRED_AFTER_MS);
  const rounded = (megabytes: number): number => Number(megabytes.toFixed(1));
  return { name, prompts: PROMPTS, 'MB remembered': rounded(after - before), 'MB when expired': rounded(heapMegabytes() - before) };
}

/** @returns what interprets prompts by the code of a checkout, and remembers them; no timer runs meanwhile */
async function rememberingOf(checkout: string): Promise<(first: number, count: number) => Promise<void>> {
  const load = async <T>(path: string): Promise<T> => (await import(join(checkout, path))) as T;
  const folder = 'services/api/src/search/prompt';
  const { interpretPrompt } = await load<typeof InterpretCode>(`${folder}/interpret-prompt.ts`);
  // 1.0.0 has both in one file.
  const memoryFile = [`${folder}/prompt-memory.ts`, `${folder}/interpret-prompt.ts`].find((file) => existsSync(join(checkout, file)));
  const { createPromptMemory, mayBeRemembered } = await load<typeof MemoryCode>(memoryFile ?? '');
  const { parsePrompt } = await load<typeof ParseCode>('packages/text/src/prompt/parse-prompt.ts');
  const { NEWEST_RULES } = await load<typeof RulesCode>('packages/text/src/rules/text-rules.ts');
  const { knownWords, knownPrompts } = createPromptMemory();
  return async (first, count) => {
    for (let n = first; n < first + count; n += 1) {
      const text = promptOf(n, SITE, (item) => [...item.name, ...item.description].slice(0, 2 + (n % (MAX_WORDS - 1))).join(' '));
      const prompt = parsePrompt(text, NEWEST_RULES);
      const learnt = await interpretPrompt(prompt, { match: 'most', correct: true }, { session, knownWords });
      if (mayBeRemembered(learnt)) knownPrompts.set(text, learnt);
    }
  };
}

function heapMegabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / MEGABYTE;
}
