import { expect, it } from '@jest/globals';
import { Meaning } from '@ugc/api/search/meaning/meaning';
import { createRankingMetrics } from '@ugc/api/search/meaning/ranking-metrics';
import { createLog } from '@ugc/shared/process/log';
import { Registry } from 'prom-client';

const PROMPT = { vector: Float32Array.of(1, 0), generation: 1 };

type Statements = { responds: boolean; sent: number };

/** PostgreSQL responds, or not at all. */
function meaningOn(statements: Statements, timeoutMs: number): Meaning {
  const query = (statement: { name: string }) => {
    if (statement.name === 'read-vectors') statements.sent += 1;
    return statements.responds ? Promise.resolve([{ contentId: 7, vector: Buffer.from([127, 0]) }]) : new Promise(() => undefined);
  };
  const deps = {
    database: { query },
    service: {},
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

it('at most four connections serve lists, also while PostgreSQL hangs', async () => {
  const statements = { responds: false, sent: 0 };
  const meaning = meaningOn(statements, 600);
  const compared = await Promise.all(Array.from({ length: 40 }, () => meaning.compare([7], PROMPT)));
  expect(compared.filter((one) => one !== undefined)).toEqual([]);
  expect(statements.sent).toBe(4);
});

it('compares a prompt with the items that have a vector', async () => {
  expect(await meaningOn({ responds: true, sent: 0 }, 60_000).compare([7, 8], PROMPT)).toEqual(new Map([[7, 1]]));
});
