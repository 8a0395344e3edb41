import { expect, it } from '@jest/globals';
import { parseTraceparent, formatTraceparent } from '@ugc/shared/tracing/traceparent';
import { describeStatement } from '@ugc/shared/stores/statement';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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

it('the SDK of OpenTelemetry is imported only if the environment names a collector and does not disable it', async () => {
  const without: Record<string, string>[] = [{}, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, { ...COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }];
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/traces' };
  expect(await importsSdk([...without, traces])).toEqual([false, false, false, true]);
});

/** Whether a process that starts with these environments, one after the other, has imported the SDK. */
async function importsSdk(environments: Record<string, string>[]): Promise<boolean[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ resolve: (name, context, next) => { const found = next(name, context); urls.push(found.url); return found; } });
    await import('@ugc/api/start-api');
    await import('@ugc/indexer/start-indexer');
    const { parseEnv } = await import('@ugc/shared/process/env');
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
