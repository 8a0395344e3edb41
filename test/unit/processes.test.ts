import { describe, expect, it, jest } from '@jest/globals';
import { RequestHistory } from '@ugc/api/operators/request-history';
import { toJsonLine } from '@ugc/shared/cli/output';
import { Liveness } from '@ugc/shared/process/lifecycle';
import { BacklogHistory } from '@ugc/api/operators/backlog-history';
import { indexersWanted } from '@ugc/api/operators/indexers-wanted';
import { describeStatement } from '@ugc/shared/postgres/statements';
import { createLog, logRepeated } from '@ugc/shared/process/log';
import { inOneLine } from '@ugc/shared/process/terminal';
import { startListening } from '@ugc/shared/process/operations-server';
import { readPart } from '@ugc/shared/status/read-part';
import { repeat } from '@ugc/shared/timing/repeat';
import { formatTraceparent, parseTraceparent } from '@ugc/shared/tracing/spans';
import fc from 'fast-check';
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../support/jest/until.ts';
import { loadedPackages } from '../support/processes/loaded-modules.ts';
import { CHECKOUT } from '@ugc/local-stack/service-process';

const CHECKS_UNTIL_STUCK = 10;
const options = { stuckAfterMs: CHECKS_UNTIL_STUCK * 1_000, checkEveryMs: 1_000 };

async function check(liveness: Liveness, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await liveness.check();
}

describe('a process', () => {
  it('is not live after a number of checks without progress although progress is possible', async () => {
    const liveness = new Liveness(options);
    await check(liveness, CHECKS_UNTIL_STUCK - 1);
    expect(liveness.isLive()).toBe(true);
    await check(liveness, 1);
    expect(liveness.isLive()).toBe(false);
  });

  it('is live as long as it makes progress before that number of checks', async () => {
    const liveness = new Liveness(options);
    for (let round = 0; round < 5; round++) {
      await check(liveness, CHECKS_UNTIL_STUCK - 1);
      liveness.progressed();
    }
    expect(liveness.isLive()).toBe(true);
  });

  it('is live for any time while it has no work or a store is unavailable', async () => {
    const liveness = new Liveness({ ...options, canProgress: () => Promise.resolve(false) });
    await check(liveness, 1_000);
    expect(liveness.isLive()).toBe(true);
  });

  it('is live when the check itself fails, because a store is unavailable', async () => {
    const liveness = new Liveness({ ...options, canProgress: () => Promise.reject(new Error('unavailable')) });
    await check(liveness, 1_000);
    expect(liveness.isLive()).toBe(true);
  });

  it('is not live when the check itself never completes', () => {
    const liveness = new Liveness({ ...options, canProgress: () => new Promise(() => undefined) });
    for (let n = 0; n < CHECKS_UNTIL_STUCK; n++) void liveness.check();
    expect(liveness.isLive()).toBe(false);
  });

  it('is judged by the number of checks and not by the clock, so that a long suspension has no effect', async () => {
    const liveness = new Liveness(options);
    await check(liveness, CHECKS_UNTIL_STUCK / 2);
    // After a suspension of any length the timer fires only once.
    await check(liveness, 1);
    expect(liveness.isLive()).toBe(true);
  });
});

const LONG_MS = 60_000;

it('a pass is repeated, also after an error, and stop waits for the end of the present one', async () => {
  const errors: unknown[] = [];
  let [begun, ended] = [0, 0];
  const pass = async (): Promise<void> => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    ended += 1;
    if (ended === 1) throw new Error('the first pass fails');
  };
  const { stop } = repeat(pass, { everyMs: 1, onError: (error) => errors.push(error) });
  await until('three passes began', () => begun >= 3);
  await stop();
  expect(errors).toEqual([new Error('the first pass fails')]);
  const stoppedAt = ended;
  expect(begun).toBe(stoppedAt);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toBe(stoppedAt);
});

it('a wake-up ends the wait; one during a pass begins another pass', async () => {
  const passes: boolean[] = [];
  const pass = (woken: boolean): Promise<void> => {
    passes.push(woken);
    if (passes.length === 2) wake();
    return Promise.resolve();
  };
  const { wake, stop } = repeat(pass, { everyMs: LONG_MS, onError: () => undefined });
  await until('the first pass ended', () => passes.length === 1);
  wake();
  await until('three passes ended', () => passes.length === 3);
  await stop();
  expect(passes).toEqual([false, true, true]);
});

it('a pass decides when the next one begins; one that begins at once knows of the last wake-up', async () => {
  const passes: boolean[] = [];
  const waits = [LONG_MS, 0, 0, 1, LONG_MS];
  const { wake, stop } = repeat((woken) => Promise.resolve(waits[passes.push(woken) - 1]), { everyMs: LONG_MS, onError: () => undefined });
  await until('the first pass ended', () => passes.length === 1);
  wake();
  await until('all passes ended', () => passes.length === waits.length);
  await stop();
  expect(passes).toEqual([false, true, true, true, false]);
});

it('an error after the stop is not reported: the stop may be its cause', async () => {
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const pass = () => new Promise<void>((_, reject) => stopping.signal.addEventListener('abort', () => reject(new Error('stopped'))));
  const { stop } = repeat(pass, { everyMs: 1, onError: (error) => errors.push(error), stopping });
  await stop();
  expect(errors).toEqual([]);
});

const backlog = (pending: number) => ({ pending, rejected: 0, oldestPendingSeconds: pending === 0 ? null : 1.5 });

it('the samples of the backlog are in the order of time, and the oldest are dropped', async () => {
  let reads = 0;
  const history = new BacklogHistory(() => Promise.resolve(backlog(++reads)), { intervalMs: 1, keptMs: 10 });
  history.start();
  await until('more samples were taken than are kept', () => reads > 30);
  await history.stop();
  const { samples } = history;
  expect(samples.length).toBeLessThanOrEqual(11);
  const pending = samples.map((sample) => sample.pending ?? 0);
  expect(pending.at(-1)).toBe(reads);
  expect(pending).toEqual(pending.toSorted((a, b) => a - b));
});

it('a backlog that cannot be read is a sample without a number, and sampling continues', async () => {
  let reads = 0;
  const read = () => (++reads === 1 ? Promise.reject(new Error('down')) : Promise.resolve(backlog(0)));
  const history = new BacklogHistory(read, { intervalMs: 1 });
  history.start();
  await until('two samples were taken', () => history.samples.length >= 2);
  await history.stop();
  expect(history.samples.slice(0, 2)).toEqual([
    { time: expect.any(String), pending: null, oldestPendingSeconds: null },
    { time: expect.any(String), pending: 0, oldestPendingSeconds: null },
  ]);
});

it('the requests of each minute are counted, those of an hour are kept, and a minute without requests has none', () => {
  const { now } = Date;
  const clock = jest.spyOn(Date, 'now');
  const inMinute = (minute: number) => clock.mockImplementation(() => Date.parse('2026-11-27T10:00:30Z') + minute * 60_000);
  inMinute(0);
  const history = new RequestHistory();
  history.count({ method: 'GET', route: '/api/content', status: 200 });
  history.count({ method: 'GET', route: '/api/content/:id', status: 500 });
  inMinute(2);
  history.count({ method: 'POST', route: '/content', status: 201 });
  history.count({ method: 'POST', route: '/content', status: 400 });
  expect(history.samples).toEqual([
    { time: '2026-11-27T10:00:00.000Z', searches: 1, uploads: 0, failures: 1 },
    { time: '2026-11-27T10:01:00.000Z', searches: 0, uploads: 0, failures: 0 },
    { time: '2026-11-27T10:02:00.000Z', searches: 0, uploads: 1, failures: 0 },
  ]);
  inMinute(61);
  expect(history.samples.map(({ uploads }) => uploads)).toEqual([1, ...Array.from({ length: 59 }, () => 0)]);
  clock.mockImplementation(now).mockRestore();
});

const SCALING = { pendingPerIndexer: 20_000, maxIndexers: 3 };

describe('the number of indexers that are wanted', () => {
  it.each([
    [0, { pending: 0, isIdle: true, canShare: true }, 'nothing is to be done'],
    [0, { pending: 0, isIdle: true, canShare: false }, 'nothing is to be done, and Elasticsearch is down'],
    [1, { pending: 1, isIdle: true, canShare: true }, 'a change is pending'],
    [1, { pending: 0, isIdle: false, canShare: true }, 'the index or a purge needs one'],
    [1, { pending: 20_000, isIdle: true, canShare: true }, 'as many changes as one indexer takes are pending'],
    [2, { pending: 20_001, isIdle: true, canShare: true }, 'one change more is pending'],
    [3, { pending: 5_000_000, isIdle: false, canShare: true }, 'the backlog exceeds the maximum'],
    [1, { pending: 5_000_000, isIdle: false, canShare: false }, 'more indexers would help nobody'],
  ])('is %i with %j: %s', (wanted, work) => {
    expect(indexersWanted(work, SCALING)).toBe(wanted);
  });

  it('never falls when more changes are pending, and stays between 0 and the maximum', () => {
    const work = fc.record({ pending: fc.nat(1_000_000), isIdle: fc.boolean(), canShare: fc.boolean() });
    fc.assert(
      fc.property(work, fc.nat(1_000_000), fc.integer({ min: 1, max: 20 }), (now, more, maxIndexers) => {
        const scaling = { ...SCALING, maxIndexers };
        const [before, after] = [indexersWanted(now, scaling), indexersWanted({ ...now, pending: now.pending + more }, scaling)];
        expect(before).toBeGreaterThanOrEqual(0);
        expect(after).toBeGreaterThanOrEqual(before);
        expect(after).toBeLessThanOrEqual(maxIndexers);
      }),
    );
  });
});

const FULL_DISK = '/dev/full';
const LOGS_AND_EXITS = `
  import { createLog } from '@ugc/shared/process/log';
  const log = createLog('test', 'info');
  let lines = 0;
  setInterval(() => {
    log.fatal('a line');
    if (++lines === 25) process.exit(42);
  }, 20);
`;

(existsSync(FULL_DISK) ? it : it.skip)('a log on a full disk neither crashes the process nor prevents its exit', async () => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', LOGS_AND_EXITS];
  const disk = openSync(FULL_DISK, 'w');
  const service = spawn(process.execPath, args, { stdio: ['ignore', disk, 'inherit'], timeout: 30_000 });
  closeSync(disk);
  expect(await once(service, 'exit')).toEqual([42, null]);
});

function run(program: string): ChildProcessByStdio<null, Readable, Readable> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-e', program];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
}

const LOGS_DURING_A_WRITE = `
  import { createLog } from '@ugc/shared/process/log';
  const log = createLog('test', 'info');
  log.info('x'.repeat(1_000_000));
  setTimeout(() => log.info('the last line'), 100);
  setTimeout(() => process.stderr.write('both are logged'), 1_000);
  setInterval(() => undefined, 1_000);
`;

it('a log writes every line while the process runs, also those that come during a write', async () => {
  const service = run(LOGS_DURING_A_WRITE);
  // The pipe takes a part of the first line, and the rest when it is read.
  await once(service.stderr, 'data');
  let written = '';
  for await (const chunk of service.stdout.setEncoding('utf8')) {
    written += String(chunk);
    if (written.includes('the last line')) break;
  }
  service.kill('SIGKILL');
  expect(written.indexOf('the last line')).toBeGreaterThan(1_000_000);
});

const FAILS = (failure: string) => `
  import { logUncaught } from '@ugc/shared/process/lifecycle';
  import { createLog } from '@ugc/shared/process/log';
  import { Readable } from 'node:stream';
  const log = createLog('test', 'info');
  logUncaught(log);
  setInterval(() => undefined, 1_000);
  setTimeout(() => {
    for (let n = 0; n < 100; n++) log.info('x'.repeat(10_000));
    ${failure}
  }, 10);
`;

it.each([
  ['an error', `throw Object.assign(new TypeError('no listener'), { body: 'a secret' })`, 'TypeError', 'uncaughtException'],
  ['an error of a stream', `new Readable().destroy(new TypeError('no listener'))`, 'TypeError', 'uncaughtException'],
  ['a rejection', `void Promise.reject(new RangeError('no listener'))`, 'RangeError', 'unhandledRejection'],
])(
  '%s that nobody catches is the last line of the log, without its other fields, and the exit code is 1',
  async (_, failure, type, origin) => {
    const service = run(FAILS(failure));
    const [lines, printed, [code]] = await Promise.all([text(service.stdout), text(service.stderr), once(service, 'exit')]);
    const last = JSON.parse(lines.trim().split('\n').at(-1) ?? '') as object;
    expect(last).toMatchObject({ level: 60, origin, err: { type, message: 'no listener', stack: expect.stringContaining('at ') } });
    expect([code, lines.includes('a secret'), printed]).toEqual([1, false, '']);
    expect(lines.split('\n')).toHaveLength(102);
  },
);

it('a connection that cannot be accepted ends no process and is logged, once a minute', async () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const server = createServer();
  await startListening(server, { port: 0, address: '127.0.0.1', log });
  for (let n = 0; n < 3; n++) server.emit('error', new Error('accept EMFILE'));
  server.close();
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'a connection could not be accepted',
      err: expect.objectContaining({ message: 'accept EMFILE' }),
    }),
  ]);
  await expect(startListening(createServer(), { port: 0, address: '192.0.2.1', log })).rejects.toThrow('EADDRNOTAVAIL');
});

/** Moves the cursor, ends a line, or overrides a direction. */
const HARMFUL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

it('what others have written is a part of one line in print, and has the same value as JSON, whatever it contains', () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom('\x1b', '\x9b', '\r', '\n', '\t', '\u202e', '\u2069', 'a'), fc.string({ unit: 'binary' })),
  });
  fc.assert(
    fc.property(text, (written) => {
      expect([inOneLine(written).length, HARMFUL.test(inOneLine(written))]).toEqual([written.length, false]);
      const json = toJsonLine({ written });
      expect(HARMFUL.test(json.slice(0, -1))).toBe(false);
      expect([JSON.parse(json), json.at(-1)]).toEqual([{ written }, '\n']);
    }),
  );
});

it.each(['Zoë Brontë', '👩‍👩‍👧', 'می‌خواهم', 'ד״ר‏ כהן', '北京', 'e\u0301'])('the name %s is printed as it is', (name) => {
  expect(inOneLine(name)).toBe(name);
});

it('a line of the log contains no character that moves the cursor of a terminal', () => {
  const lines: string[] = [];
  createLog('test', 'info', { write: (line) => void lines.push(line) }).warn({ reason: 'a\x9b2K\u202eb\n{"level":60}' }, 'a\x1bmessage');
  expect(lines).toHaveLength(1);
  expect(HARMFUL.test(lines[0]?.trimEnd() ?? '')).toBe(false);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ reason: 'a\x9b2K\u202eb\n{"level":60}', msg: 'a\x1bmessage' });
});

it('a failure that repeats is one line a minute with a count, and another failure is logged at once', () => {
  let nowMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const lines: [string, number | undefined][] = [];
  const report = logRepeated(({ err, count }) => void lines.push([(err as Error).message, count]));
  for (; nowMs <= 120_000; nowMs += 500) report(new Error('the same'));
  report(new Error('another'));
  clock.mockRestore();
  expect(lines).toEqual([
    ['the same', undefined],
    ['the same', 120],
    ['the same', 120],
    ['another', undefined],
  ]);
});

it('failures that repeat are one line each, also as many different ones as are remembered', () => {
  const lines: string[] = [];
  const report = logRepeated(({ err }) => void lines.push((err as Error).message));
  const messages = Array.from({ length: 20 }, (_, n) => `failure ${n}`);
  for (const message of [...messages, ...messages]) report(new Error(message));
  expect(lines).toEqual(messages);
});

it('a part of the status that a store refuses is not said to have taken too long, and the cause is reported', async () => {
  const reported: unknown[] = [];
  const refused = new Error('refused');
  const part = await readPart('Redis', Promise.reject(refused), (error) => void reported.push(error));
  expect([part, reported]).toEqual([{ problem: 'Redis did not return it: the log has the error.' }, [refused]]);
});

const COUNTS_WRITES = `
  import { createLog } from '@ugc/shared/process/log';
  import fs from 'node:fs';
  import { setTimeout as delay } from 'node:timers/promises';
  let writes = 0;
  const { write } = fs;
  fs.write = (...args) => (writes++, write(...args));
  createLog('test', 'info').info('a line');
  let before = -1;
  while (writes === 0 || writes !== before) {
    before = writes;
    await delay(500);
  }
  console.error('the log is quiet');
`;

it('a log writes nothing after its lines are written', async () => {
  const { stdout, stderr } = run(COUNTS_WRITES);
  stdout.resume();
  expect(await text(stderr)).toContain('the log is quiet');
});

const [TRACE, SPAN] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

it.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-ff`, 255],
  [`cc-${TRACE}-${SPAN}-01-what-a-later-version-adds`, 1],
])('the traceparent %s is valid', (text, traceFlags) => {
  const parsed = parseTraceparent(text);
  expect(parsed).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  expect(parsed && parseTraceparent(formatTraceparent(parsed))).toEqual(parsed);
});

it.each([
  '',
  'nonsense',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01\n`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
])('the traceparent %j is not valid', (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

it.each([
  ['/* outbox: claim */ with due as (select 1) update index_outbox set claims = 1', 'outbox: claim'],
  [`with changed as (select 1) /* outbox: mark pending */ insert into index_outbox select 1`, 'outbox: mark pending'],
  [{ name: 'insert-content', text: 'insert into content values ($1)' }, 'insert-content'],
  [`select data from content where name = 'a text'`, 'select content'],
  [`select 'a text from users'`, 'select'],
  ['update users set username = $2 where user_id = $1', 'update users'],
  ['commit', 'commit'],
])('the span of the statement %j has the name %s', (statement, name) => {
  expect(describeStatement(statement)).toEqual({ name, attributes: { 'db.system.name': 'postgresql' } });
});

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };

/** Packages that take a command long to load, and that it does not need before it knows its arguments. */
const HEAVY = [
  '@elastic/elasticsearch',
  'bullmq',
  'csv-parse/sync',
  'eld/small',
  'ioredis',
  'koa',
  'luxon',
  'pino',
  'prom-client',
  'sharp',
];
const isHeavy = (name: string): boolean => HEAVY.includes(name) || name.startsWith('@opentelemetry/');
/** The commands of indices use Elasticsearch, some of them the queue too, and describe what happens in the form of the log. */
const NEEDED_FOR_INDICES = ['@elastic/elasticsearch', 'bullmq', 'ioredis', 'pino'];

const COMMANDS = globSync('services/*/src/commands/*.ts', { cwd: CHECKOUT }).filter((file) =>
  /^await run\w*Command\(/m.test(readFileSync(join(CHECKOUT, file), 'utf8')),
);

it.each(COMMANDS)('%s loads only what it needs', (file) => {
  const needed = file.startsWith('services/indexer/') ? NEEDED_FOR_INDICES : [];
  const loaded = [...loadedPackages(file)].filter(([name]) => isHeavy(name) && !needed.includes(name));
  expect(loaded.map(([name, importer]) => `${importer} imports ${name}`)).toEqual([]);
});

it('a service finds its packages by the same imports', () => {
  const packages = [...loadedPackages('services/indexer/src/main.ts').keys()];
  expect(packages).toEqual(expect.arrayContaining(['@elastic/elasticsearch', 'bullmq', 'pino', 'prom-client', 'zod']));
});

it('the SDK of OpenTelemetry is imported only if the environment names a collector', async () => {
  const without: Record<string, string>[] = [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }];
  expect(await importsSdk([...without, COLLECTOR])).toEqual([false, false, true]);
});

/** Whether a process that starts with these environments, one after the other, has imported the SDK. */
async function importsSdk(environments: Record<string, string>[]): Promise<boolean[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ resolve: (name, context, next) => { const found = next(name, context); urls.push(found.url); return found; } });
    await import('@ugc/api/start-api');
    await import('@ugc/indexer/start-indexer');
    const { parseEnv } = await import('@ugc/shared/config/env');
    const { IndexerEnv } = await import('@ugc/indexer/env');
    const { createLog } = await import('@ugc/shared/process/log');
    const { startTracing } = await import('@ugc/shared/tracing/start-tracing');
    const imported = [];
    for (const env of JSON.parse(process.env.ENVIRONMENTS)) {
      await startTracing(parseEnv(IndexerEnv, { ...process.env, ...env }), 'ugc-test', createLog('test', 'silent'));
      imported.push(urls.some((url) => /opentelemetry.(sdk-trace|exporter|context-async-hooks)/.test(url)));
    }
    console.log(JSON.stringify(imported));
    process.exit();`;
  const stores = { DATABASE_URL: 'postgresql://a@b/c', REDIS_URL: 'redis://a', ELASTICSEARCH_URL: 'http://a' };
  const options = { cwd: new URL('../', import.meta.url), env: { ...stores, ENVIRONMENTS: JSON.stringify(environments) } };
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return JSON.parse(stdout) as boolean[];
}
