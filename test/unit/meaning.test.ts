import { describe, expect, it } from '@jest/globals';
import { Meaning } from '@ugc/api/search/meaning/meaning';
import { PromptVectors } from '@ugc/api/search/meaning/prompt-vectors';
import { createRankingMetrics } from '@ugc/api/search/meaning/ranking-metrics';
import { createLog } from '@ugc/shared/process/log';
import { Registry } from 'prom-client';

const PROMPT = { vector: Float32Array.of(1, 0), generation: 1 };

type Statements = { responds: boolean; sent: number };

/** PostgreSQL responds, or not at all. */
function meaningOn(statements: Statements, timeoutMs: number, poolSize = 20): Meaning {
  const query = (statement: { name: string }) => {
    if (statement.name === 'read-vectors') statements.sent += 1;
    return statements.responds ? Promise.resolve([{ contentId: 7, vector: Buffer.from([127, 0]) }]) : new Promise(() => undefined);
  };
  const deps = {
    database: { query },
    service: {},
    poolSize,
    timeoutMs,
    log: createLog('test', 'silent'),
    metrics: createRankingMetrics(new Registry()),
  };
  return new Meaning(deps as never);
}

it('a list does not wait for a PostgreSQL that hangs, and after three lists does not ask it', async () => {
  const statements = { responds: false, sent: 0 };
  const meaning = meaningOn(statements, 6);
  for (let n = 0; n < 20; n += 1) expect(await meaning.compare([7], PROMPT)).toBeUndefined();
  expect(statements.sent).toBe(3);
});

it.each([
  [20, 4],
  [9, 2],
  [2, 1],
])('of a pool of %i connections, at most %i serve lists, also while PostgreSQL hangs', async (poolSize, connections) => {
  const statements = { responds: false, sent: 0 };
  const meaning = meaningOn(statements, 600, poolSize);
  const compared = await Promise.all(Array.from({ length: 40 }, () => meaning.compare([7], PROMPT)));
  expect(compared.filter((one) => one !== undefined)).toEqual([]);
  expect(statements.sent).toBe(connections);
});

it('compares a prompt with the items that have a vector', async () => {
  expect(await meaningOn({ responds: true, sent: 0 }, 60_000).compare([7, 8], PROMPT)).toEqual(new Map([[7, 1]]));
});

describe('the prompts of one list', () => {
  const { signal } = new AbortController();
  const asked: string[] = [];
  const listOn = (embedPrompt: () => Promise<typeof PROMPT | undefined>): PromptVectors => {
    asked.length = 0;
    const meaning = { timeoutMs: 60_000, embedPrompt: (text: string) => (asked.push(text), embedPrompt()) };
    return new PromptVectors(meaning as never, 1);
  };

  it('are embedded once each', async () => {
    const prompts = listOn(() => Promise.resolve(PROMPT));
    for (const text of ['sofa', 'sofa', 'couch', 'sofa']) expect(await prompts.embed(text, signal)).toBe(PROMPT);
    expect(asked).toEqual(['sofa', 'couch']);
  });

  it('are not embedded any more after a failure', async () => {
    const prompts = listOn(() => Promise.resolve(undefined));
    for (const text of ['sofa', 'couch', 'sofa']) expect(await prompts.embed(text, signal)).toBeUndefined();
    expect(asked).toEqual(['sofa']);
  });
});
