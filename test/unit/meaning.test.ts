import { describe, expect, it } from '@jest/globals';
import { fuse, type Match } from '@ugc/api/search/meaning/read-ranked-page';
import { createRankingMetrics, Meaning, promptText, PromptVectors } from '@ugc/api/search/meaning/meaning';
import { connectEmbeddingService, EmbeddingFailed, type EmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { embeddingsFields } from '@ugc/shared/embeddings/embeddings-env';
import { cosine, vectorBytes } from '@ugc/shared/embeddings/vectors';
import { createLog } from '@ugc/shared/process/log';
import { Breaker, BreakerOpen } from '@ugc/shared/timing/breaker';
import { corrected } from '@ugc/text/prompt/alternatives';
import { parsePrompt } from '@ugc/text/prompt/parse-prompt';
import { NEWEST_RULES } from '@ugc/text/rules/text-rules';
import fc from 'fast-check';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { asWritten } from '../support/search/searching.ts';
import { type Behaviour, EmbeddingServer } from '../support/servers/embedding-server.ts';

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

it.each([
  ['lighthuose at dusk', 'lighthouse at dusk'],
  ['harbour -crane -"tall crane"', 'harbour'],
  ['harbour –crane', 'harbour'],
  ['lamp -“red desk”', 'lamp'],
  ['lamp -«red desk» ＂old lamp＂', 'lamp old lamp'],
  ['“lamp – Desk”', 'lamp – Desk'],
  ['דו”ח -"דו"ח שנתי" רבעוני', 'דו"ח רבעוני'],
  ['commit --amend -G', 'commit --amend -G'],
  ['harbour NOT crane', 'harbour'],
  ['DO NOT DISTURB', 'DO NOT DISTURB'],
])('a prompt is embedded with its corrections and without what it excludes: %s', (prompt, text) => {
  const written = asWritten(parsePrompt(prompt, NEWEST_RULES));
  const alternatives = [...written.alternatives, corrected(['lighthuose'], 'lighthouse')];
  expect(promptText({ ...written, alternatives })).toBe(text);
});

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

describe('a service that returns wrong vectors', () => {
  const GENERATION = { generation: 1, model: 'm', dimensions: null, queryPrefix: '', textPrefix: '' };

  async function meaningWith(embed: (text: string) => Promise<Float32Array[]>) {
    const query = (statement: { name: string }) =>
      Promise.resolve(statement.name === 'read-vectors' ? [{ contentId: 7, vector: Buffer.from([127, 0]) }] : [GENERATION]);
    const warnings: unknown[] = [];
    const log = { warn: ({ err }: { err: Error }) => warnings.push(err.message), info: () => undefined };
    const asked: string[] = [];
    const service = { embed: ([text = '']) => (asked.push(text), embed(text)) } as EmbeddingService;
    const deps = { database: { query }, service, poolSize: 20, timeoutMs: 60_000, log, metrics: createRankingMetrics(new Registry()) };
    const meaning = new Meaning(deps as never);
    await setImmediate();
    const ask = (user: number) => meaning.embedPrompt('sofa', { signal: new AbortController().signal, timeoutMs: 60_000, user });
    return { meaning, warnings, asked, ask };
  }

  it('of another length than those of items counts as one that fails, which is said, and is not asked any more', async () => {
    const { meaning, warnings, asked, ask } = await meaningWith(async () => [Float32Array.of(1, 0, 0)]);
    const vector = await ask(1);
    expect(await meaning.compare([7], vector!)).toBeUndefined();
    for (const user of [1, 2, 3, 4, 5]) expect(await ask(user)).toBeUndefined();
    expect(asked).toHaveLength(4);
    expect(warnings).toEqual(['the embedding service returned 3 numbers, and vectors of items have 2']);
  });

  it('for the prompts of one user is still asked for those of others', async () => {
    const { asked, ask } = await meaningWith(() => Promise.reject(new EmbeddingFailed('no vectors')));
    for (let n = 0; n < 5; n += 1) await ask(1);
    expect(asked).toHaveLength(3);
    await ask(2);
    expect(asked).toHaveLength(4);
  });
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

describe('the fused order', () => {
  const match = (contentId: number, words: number, similarity?: number, bonus = 0, factor = 1): Match => ({
    contentId,
    score: (words + bonus) * factor,
    bonus,
    tier: 0,
    factor,
    cosine: similarity,
  });
  /** Below all others, by words and by meaning. */
  const fillers = (count: number): Match[] => Array.from({ length: count }, (_, n) => match(1_000 + n, 1, 0.1));

  it('lets the meaning count .4 of 50 matches or more', () => {
    const [first, second] = [match(1, 10, 0.1), match(2, 6.1, 1)];
    expect(fuse([first, second, ...fillers(48)]).slice(0, 2)).toEqual([2, 1]);
    expect(fuse([match(1, 10, 0.1), match(2, 3.2, 1), ...fillers(48)]).slice(0, 2)).toEqual([1, 2]);
  });

  it('lets the meaning count less of fewer matches', () => {
    expect(fuse([match(1, 10, 0.1), match(2, 6.1, 1), ...fillers(3)]).slice(0, 2)).toEqual([1, 2]);
  });

  it('does not depend on the scale of the cosines', () => {
    const scaled = (scale: number): Match[] => [match(1, 10, 0.1 * scale), match(2, 9, 0.5 * scale), match(3, 8, 0.9 * scale), ...fillers(50).map((one) => ({ ...one, cosine: 0.1 * scale }))]; // prettier-ignore
    expect(fuse(scaled(1))).toEqual(fuse(scaled(0.01)));
  });

  it('keeps items first whose name is the prompt, and compares words without that bonus', () => {
    const named = match(3, 2, 0.1, 1_000);
    expect(fuse([named, match(1, 10, 0.2), match(2, 9.9, 1), ...fillers(48)]).slice(0, 3)).toEqual([3, 2, 1]);
    expect(fuse([named, match(1, 10, 0.2), match(2, 3, 1), ...fillers(48)]).slice(0, 3)).toEqual([3, 1, 2]);
  });

  it('gives an item without a vector the mean cosine', () => {
    expect(fuse([match(1, 10, 0), match(2, 9), match(3, 9, 0.4), match(4, 9, 0.9), ...fillers(46).map((one) => ({ ...one, cosine: 0.5 }))]).slice(0, 4)).toEqual([4, 2, 3, 1]); // prettier-ignore
  });

  it('keeps the order by words where all else is equal', () => {
    expect(fuse([match(5, 1, 0.3), match(3, 1, 0.3), match(4, 1, 0.3)])).toEqual([5, 3, 4]);
    expect(fuse([match(5, 0, 0.3), match(3, 0), match(4, 0, 0.3)])).toEqual([5, 3, 4]);
  });

  it('lets the quality decide between items that are equally relevant, and keeps items first whose name is the prompt', () => {
    const named = match(3, 2, 0.1, 1_000, 3 / 4);
    expect(fuse([match(4, 2, 0.1, 500, 4 / 3), named, match(1, 5, 0.5), match(2, 5, 0.5, 0, 1.1)])).toEqual([3, 4, 2, 1]);
  });

  it('lets an item pass a more relevant one only if its factor is that much higher', () => {
    const matches = fc.array(
      fc.record({
        words: fc.double({ min: 0.01, max: 30, noNaN: true }),
        similarity: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
        factor: fc.double({ min: 3 / 4, max: 4 / 3, noNaN: true }),
      }),
      { minLength: 1, maxLength: 100 },
    );
    fc.assert(
      fc.property(matches, (drawn) => {
        const fused = fuse(drawn.map(({ words, similarity, factor }, at) => match(at, words, similarity, 0, factor)));
        const relevance = relevancesOf(drawn);
        const [factors, ranked] = [drawn.map(({ factor }) => factor), fused.slice(1)];
        expect(fused.toSorted((one, other) => one - other)).toEqual(drawn.map((_, at) => at));
        for (const [at, next] of ranked.entries()) {
          const previous = fused[at] ?? NaN;
          const passed = (relevance[next] ?? NaN) / (relevance[previous] ?? NaN);
          expect(passed).toBeLessThanOrEqual(((factors[previous] ?? NaN) / (factors[next] ?? NaN)) * (1 + 1e-9));
        }
      }),
    );
  });

  /** Decision 37, without bonus and quality. */
  function relevancesOf(matches: { words: number; similarity: number | undefined }[]): number[] {
    const weight = 0.4 * Math.min(1, matches.length / 50);
    const known = matches.flatMap(({ similarity }) => similarity ?? []);
    const [least, greatest, mean] = [Math.min(...known), Math.max(...known), known.reduce((sum, one) => sum + one, 0) / known.length];
    const most = Math.max(...matches.map(({ words }) => words));
    return matches.map(({ words, similarity = mean }) => {
      const meaning = greatest > least ? (similarity - least) / (greatest - least) : 0;
      return ((1 - weight) * words) / most + weight * meaning;
    });
  }

  it('is a permutation of one match, and of none', () => {
    expect(fuse([match(7, 3, 0.5)])).toEqual([7]);
    expect(fuse([])).toEqual([]);
  });
});

it('vectors of a byte per dimension have the cosines of the vectors that they were made of', () => {
  const vectors = [1, 2, 3].map((seed) => unit(Array.from({ length: 384 }, (_, n) => Math.sin(seed * (n + 1) ** 1.5))));
  for (const one of vectors)
    for (const other of vectors) {
      const exact = one.reduce((sum, value, n) => sum + value * (other[n] ?? 0), 0);
      expect(cosine(one, vectorBytes(other))).toBeCloseTo(exact, 2);
    }
  expect(cosine(unit([1, 2, 3]), vectorBytes(unit([1, 2])))).toBeUndefined();
});

function unit(values: number[]): Float32Array {
  const norm = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / norm);
}

describe('a breaker', () => {
  const fail = (): Promise<never> => Promise.reject(new Error('down'));
  const succeed = (): Promise<string> => Promise.resolve('up');

  it('makes no call for some time after three failures in succession, and then one at a time', async () => {
    let nowMs = 0;
    const breaker = new Breaker({ failures: 3, openMs: 10_000, now: () => nowMs });
    for (const call of [fail, fail, succeed, fail, fail]) await breaker.run(call).catch(() => undefined);
    expect(breaker.isOpen()).toBe(false);
    await expect(breaker.run(fail)).rejects.toThrow('down');
    nowMs = 9_999;
    await expect(breaker.run(succeed)).rejects.toThrow(BreakerOpen);
    nowMs = 10_000;
    const probe = breaker.run(fail);
    await expect(breaker.run(succeed)).rejects.toThrow(BreakerOpen);
    await expect(probe).rejects.toThrow('down');
    nowMs = 19_999;
    expect(breaker.isOpen()).toBe(true);
    nowMs = 20_000;
    expect(await breaker.run(succeed)).toBe('up');
    expect(breaker.isOpen()).toBe(false);
  });

  it('does not count errors that say nothing about other calls', async () => {
    const breaker = new Breaker({ failures: 1, openMs: 10_000 });
    await breaker.run(fail, { isFailure: () => false }).catch(() => undefined);
    expect(breaker.isOpen()).toBe(false);
  });

  it('counts calls that fail at the same time once', async () => {
    const breaker = new Breaker({ failures: 3, openMs: 10_000 });
    const failAtOnce = () => Promise.allSettled(Array.from({ length: 20 }, () => breaker.run(fail)));
    await failAtOnce();
    await failAtOnce();
    expect(breaker.isOpen()).toBe(false);
    await failAtOnce();
    expect(breaker.isOpen()).toBe(true);
  });

  it('stops the calls of a user whose calls fail, and those of all users when the calls of three fail', async () => {
    const breaker = new Breaker({ failures: 3, openMs: 10_000 });
    const failFor = (user: number): Promise<void> => breaker.run(fail, { user }).catch(() => undefined);
    for (const user of [1, 1, 1, 1]) await failFor(user);
    expect([breaker.isOpen(1), breaker.isOpen(2), breaker.isOpen()]).toEqual([true, false, false]);
    for (const user of [2, 2, 3]) await failFor(user);
    expect([breaker.isOpen(1), breaker.isOpen(2), breaker.isOpen(4)]).toEqual([true, true, true]);
  });
});

describe('a user whose calls fail is stopped', () => {
  const fail = (): Promise<never> => Promise.reject(new Error('down'));
  const succeed = (): Promise<string> => Promise.resolve('up');
  function createBreaker() {
    const changes: boolean[] = [];
    const clock = { nowMs: 0 };
    const breaker = new Breaker({ failures: 3, openMs: 10_000, onChange: (isOpen) => changes.push(isOpen), now: () => clock.nowMs });
    const run = (user: number, call: () => Promise<unknown>): Promise<unknown> => breaker.run(call, { user }).catch(() => undefined);
    return { breaker, clock, changes, run };
  }

  it('until a call of the same user succeeds, whatever the calls of others do', async () => {
    const { breaker, clock, changes, run } = createBreaker();
    for (const user of [1, 1, 1]) {
      await run(user, fail);
      await run(2, succeed);
    }
    expect([breaker.isOpen(1), breaker.isOpen(2)]).toEqual([true, false]);
    clock.nowMs = 10_000;
    await run(1, succeed);
    expect(breaker.isOpen(1)).toBe(false);
    // The log says when the calls of all users stop.
    expect(changes).toEqual([]);
  });

  it('and counts again among all users after a success of another', async () => {
    const { breaker, run } = createBreaker();
    for (const user of [1, 3]) await run(user, fail);
    await run(2, succeed);
    for (const user of [1, 3]) await run(user, fail);
    expect(breaker.isOpen(2)).toBe(false);
    await run(4, fail);
    expect(breaker.isOpen(2)).toBe(true);
  });

  it('unless a thousand others have failed since, so that memory stays bounded', async () => {
    const { breaker, run } = createBreaker();
    for (const user of [1, 1, 1]) await run(user, fail);
    for (let user = 10; user < 1_010; user += 1) {
      await run(user, fail);
      await run(2, succeed);
    }
    expect(breaker.isOpen(1)).toBe(false);
  });
});

describe('the client of an embedding service', () => {
  const started = forAllTests(async () => {
    const server = await EmbeddingServer.start();
    return { server, stop: () => server.stop() };
  });
  const embed = async (behaviour: Behaviour, texts = ['one', 'two'], timeoutMs = 60_000): Promise<Float32Array[]> => {
    started.server.behaviour = behaviour;
    const service = connectEmbeddingService({ EMBEDDINGS_URL: `${started.server.url}/embeddings` });
    return service?.embed(texts, { model: 'm', dimensions: null }, { timeoutMs }) ?? [];
  };
  const base64 = (vector: unknown): string => Buffer.from(Float32Array.from(vector as number[]).buffer).toString('base64');

  it('returns a vector of length 1 for each text, whether as numbers or as base64', async () => {
    const [numbers, texts] = [await embed({}), await embed({ change: (vectors) => vectors.map(base64) })];
    expect(numbers.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1), expect.closeTo(1)]);
    expect(texts).toEqual(numbers);
  });

  const PADDED = (more: string) => `{"data":[{"embedding":[1,1]},{"embedding":[1,1]}],"more":${more}}`;

  it.each<[string, Behaviour]>([
    ['it has more than 128 KiB, and 128 KiB for each text', { body: PADDED(`"${'x'.repeat(3 * 131_072)}"`) }],
    ['it has more values than its vectors can have', { body: PADDED(`[${'[],'.repeat(13_000)}1]`) }],
    ['it has more strings and names than its vectors need', { body: PADDED(`[${'"",'.repeat(200)}1]`) }],
    ['a vector is missing', { change: ([first]) => [first] }],
    ['a vector is too short', { change: ([first, second]) => [first, (second as number[]).slice(1)] }],
    ['a number is not one', { change: ([first, second]) => [first, ['NaN', ...(second as number[]).slice(1)]] }],
    ['a number is null', { change: ([first, second]) => [first, [null, ...(second as number[]).slice(1)]] }],
    ['a vector has no direction', { change: ([first, second]) => [first, (second as number[]).map(() => 0)] }],
    ['numbers are not finite', { body: '{"data":[{"embedding":[1e999,1]},{"embedding":[1,1]}]}' }],
    ['the vectors are empty', { change: () => [[], []] }],
    ['the JSON has NaN', { body: '{"data":[{"embedding":[NaN]},{"embedding":[1]}]}' }],
    ['it is another document', { body: '<html></html>' }],
    ['it is null', { body: 'null' }],
    ['a vector is null', { body: '{"data":[null,null]}' }],
  ])('refuses a response if %s', async (_, behaviour) => {
    const error = await embed(behaviour).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EmbeddingFailed);
    expect(error).toMatchObject({ isInvalid: true, isRefusal: false });
  });

  it.each([
    [400, true],
    [413, true],
    [422, true],
    [401, false],
    [404, false],
    [429, false],
    [500, false],
    [503, false],
  ])('tells from the status %i whether the texts are refused', async (status, isRefusal) =>
    expect(await embed({ status }).catch((reason: unknown) => reason)).toMatchObject({ status, isRefusal }),
  );

  it.each(['7', '0', 'Wed, 21 Oct 2015 07:28:00 GMT', 'soon'])('an error with Retry-After: %s is no refusal of a text', async (value) =>
    expect(await embed({ status: 400, headers: { 'retry-after': value } }).catch((reason: unknown) => reason)).toMatchObject({
      isRefusal: false,
      mustWait: true,
    }),
  );

  it('an error has nothing of the response but the status and a code', async () => {
    const body = '{"error":{"message":"wrong key sk-secret for one","code":"context_length_exceeded"}}';
    const error = await embed({ status: 400, body }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: 'the embedding service responded with 400', errorCode: 'context_length_exceeded' });
  });

  it.each([
    ['7', 7_000],
    ['31536000', 300_000],
    ['Wed, 21 Oct 2099 07:28:00 GMT', 300_000],
  ])('knows how long to wait, at most five minutes: %s', async (value, retryAfterMs) =>
    expect(await embed({ status: 429, headers: { 'retry-after': value } }).catch((reason: unknown) => reason)).toMatchObject({
      retryAfterMs,
    }),
  );

  it('does not follow a redirect, which would take the key to another server', async () =>
    expect(embed({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })).rejects.toThrow('not reachable'));

  it('ends when the service does not respond in time', async () =>
    expect(embed({ hangs: true }, ['one'], 100)).rejects.toThrow('did not respond within 100 ms'));
});

describe('the URL of the service', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1/embeddings'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/v1/embeddings'],
    ['http://h/v1', 'http://h/v1/embeddings'],
    ['https://h/openai/v1/', 'https://h/openai/v1/embeddings'],
    ['http://h/v1/embeddings', 'http://h/v1/embeddings'],
    ['http://h/v1/embeddings?api-version=1', 'http://h/v1/embeddings?api-version=1'],
  ])('may be %s', (url, endpoint) => expect(embeddingsFields.EMBEDDINGS_URL.parse(url)).toBe(endpoint));

  it.each(['h:80', 'ftp://h', 'http://user:secret@h/v1', 'http://:secret@h/v1', ''])('may not be %s', (url) =>
    expect(embeddingsFields.EMBEDDINGS_URL.safeParse(url).success).toBe(false),
  );
});
