import { afterEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { startCluster, type Cluster } from '../support/cluster/cluster.ts';
import { insertItems } from '../support/database/insert-items.ts';
import { forAllTests } from '../support/jest/for-all-tests.ts';
import { until } from '../support/jest/until.ts';
import { otlpReceiver, type Receiver, type Span } from '../support/servers/otlp-receiver.ts';

type Traced = { receiver: Receiver; cluster: Cluster; stop(): Promise<void> };

async function startTraced(): Promise<Traced> {
  const receiver = await otlpReceiver();
  const cluster = await startCluster({}, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k%201' });
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await receiver.stop();
  };
  return { receiver, cluster, stop };
}

/** The trace of a client, with the header that its request has. */
function newTrace() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

const pause = (cluster: Cluster) => cluster.database.query('update index_control set paused_at = now()');
const resume = (cluster: Cluster) => cluster.database.query('update index_control set paused_at = null');

async function logLines(path = ''): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('with a collector', () => {
  const traced = forAllTests(startTraced);
  const spansOf = (traceId: string): Span[] => traced.receiver.spans.filter((span) => span.traceId === traceId);
  const named = (traceId: string, name: string): Span | undefined => spansOf(traceId).find((span) => span.name === name);
  const received = async (traceId: string, name: string): Promise<Span> => {
    await until(`the span ${name} is received`, () => named(traceId, name) !== undefined);
    return named(traceId, name) as Span;
  };
  const batchOf = (change: Span): Span | undefined =>
    traced.receiver.spans.find(({ name, links }) => name === 'index-content' && links.some((link) => link.spanId === change.spanId));

  it('the trace of an upload ends when the upload is indexed, and links to the job that indexed it', async () => {
    const trace = newTrace();
    const response = await traced.cluster.client.tryUpload({}, 1, trace.headers);
    expect(response.status).toBe(201);
    const searchable = await received(trace.traceId, 'searchable');
    const request = await received(trace.traceId, 'POST /content');
    await until('the job is received', () => batchOf(request) !== undefined);
    const job = batchOf(request);
    expect(request).toMatchObject({ service: 'ugc-api', parentSpanId: trace.spanId, attributes: { 'http.response.status_code': 201 } });
    expect(searchable).toMatchObject({ service: 'ugc-indexer', parentSpanId: request.spanId, links: [{ spanId: job?.spanId }] });
    expect(searchable.attributes['ugc.content_id']).toBe(response.body.content_id);
    expect(BigInt(searchable.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
    expect(job).toMatchObject({ service: 'ugc-indexer', attributes: { 'ugc.changes': 1 } });
    expect(job?.parentSpanId).toBeUndefined();
    const children = traced.receiver.spans.filter(({ parentSpanId }) => parentSpanId === job?.spanId).map(({ name }) => name);
    expect(children).toEqual(expect.arrayContaining(['outbox: read pending changes', 'elasticsearch bulk', 'outbox: remove indexed']));
    expect(named(trace.traceId, 'insert-content')?.parentSpanId).toBe(request.spanId);
  });

  it('if two edits are combined, the trace of the newer one ends when both are indexed, and the job links to it', async () => {
    const { cluster } = traced;
    const contentId = await cluster.client.upload();
    await cluster.indexed();
    await pause(cluster);
    const [older, newer] = [newTrace(), newTrace()];
    for (const [name, { headers }] of Object.entries({ older, newer })) {
      const response = await cluster.client.send('PATCH', `/api/content/${contentId}`, { name }, 1, headers);
      expect(response.status).toBe(200);
    }
    await resume(cluster);
    const searchable = await received(newer.traceId, 'searchable');
    const edit = await received(newer.traceId, 'PATCH /api/content/:id');
    await until('the job is received', () => batchOf(edit) !== undefined);
    expect(searchable.parentSpanId).toBe(edit.spanId);
    expect(BigInt(searchable.startTimeUnixNano)).toBeGreaterThan(BigInt((await received(older.traceId, edit.name)).endTimeUnixNano));
    expect(named(older.traceId, 'searchable')).toBeUndefined();
  });

  it('a job of more than 100 changes links to 100 of them and says how many they are', async () => {
    const { cluster, receiver } = traced;
    await pause(cluster);
    await insertItems(cluster.database, { count: 150 });
    await cluster.database.query(`update index_outbox set traceparent = '00-' || md5(content_id::text) || '-00f067aa0ba902b7-01'`);
    await resume(cluster);
    const isLarge = ({ name, attributes }: Span): boolean => name === 'index-content' && attributes['ugc.changes'] === 150;
    await until('the job is received', () => receiver.spans.some(isLarge));
    expect(receiver.spans.find(isLarge)?.links).toHaveLength(100);
    await until('every trace ends', () => receiver.spans.filter((span) => span.parentSpanId === '00f067aa0ba902b7').length === 150);
  });

  it('changes of the previous release, which have no trace, are indexed', async () => {
    const { cluster } = traced;
    const [contentId] = await insertItems(cluster.database, { count: 1 });
    await cluster.database.query('update index_outbox set changed_at = null where content_id = $1', [contentId]);
    await cluster.indexed();
    expect((await cluster.client.list({ size: 200 })).body.content.map((item) => item.contentId)).toContain(contentId);
  });

  it.each(['', 'nonsense', '00-00000000000000000000000000000000-00f067aa0ba902b7-01', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`])(
    'a request with the traceparent "%s" begins a new trace',
    async (traceparent) => {
      const { cluster, receiver } = traced;
      const requestId = randomBytes(8).toString('hex');
      await cluster.client.send('GET', '/api/content/facets', undefined, 1, { traceparent, 'x-request-id': requestId });
      const isOwn = (span: Span): boolean => span.attributes['ugc.request_id'] === requestId;
      await until('its span is received', () => receiver.spans.some(isOwn));
      const span = receiver.spans.find(isOwn);
      expect(span?.parentSpanId).toBeUndefined();
      expect(span?.traceId).not.toBe('a'.repeat(32));
    },
  );

  it('the log lines of a request have the id of its trace', async () => {
    const trace = newTrace();
    await traced.cluster.client.tryUpload({ name: '' }, 1, trace.headers);
    const own = async () => (await logLines(traced.cluster.apiLogs[0])).filter(({ traceId }) => traceId === trace.traceId);
    await until('the line is written', async () => (await own()).length > 0);
    expect(await own()).toEqual([expect.objectContaining({ msg: 'request', status: 400, route: '/content' })]);
  });

  it('a span contains no prompt, no token and nothing of an item', async () => {
    const { cluster, receiver } = traced;
    const trace = newTrace();
    const secret = `s${randomBytes(8).toString('hex')}`;
    const texts = { name: secret, description: secret, data: secret, tags: [secret] };
    await cluster.client.tryUpload(texts, 1, { ...trace.headers, tracestate: `vendor=${secret}`, baggage: `key=${secret}` });
    await received(trace.traceId, 'searchable');
    const listed = newTrace();
    await cluster.client.send('GET', `/api/content?prompt=${secret}&tags=${secret}`, undefined, 1, listed.headers);
    await received(listed.traceId, 'GET /api/content');
    expect(spansOf(listed.traceId).map(({ name }) => name)).toContain('elasticsearch search');
    const sent = receiver.bodies.join('\n');
    expect(sent).toContain('"x-key":"k 1"');
    for (const text of [secret, 'Bearer', 'eyJ']) expect(sent).not.toContain(text);
  });

  it('health checks and passes of the relay without changes have no spans', async () => {
    const { cluster, receiver } = traced;
    await cluster.client.send('GET', '/health/ready');
    const trace = newTrace();
    await cluster.client.tryUpload({}, 1, trace.headers);
    await received(trace.traceId, 'searchable');
    const passes = receiver.spans.filter(({ name }) => name === 'relay pass');
    expect(passes.length).toBeGreaterThan(0);
    for (const { attributes } of passes) expect(attributes['ugc.changes']).toBeGreaterThan(0);
    expect(receiver.spans.filter(({ name }) => name.includes('/health'))).toEqual([]);
  });
});

describe('with a collector that does not work', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** A collector that closes connections at once, or never responds. */
  async function brokenCollector(what: 'closes' | 'hangs') {
    const seen = { requests: 0, url: '' };
    const server = createServer((socket) => {
      seen.requests += 1;
      socket.on('error', () => undefined).resume();
      if (what === 'closes') socket.destroy();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stops.push(async () => void server.close());
    return seen;
  }

  it.each(['closes', 'hangs'] as const)('that %s, uploads, lists and indexing work, and each process logs one warning', async (what) => {
    const collector = await brokenCollector(what);
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
    const cluster = await startCluster({}, env);
    stops.unshift(() => cluster.stop());
    const [apiLog, indexerLog] = [cluster.apiLogs[0], cluster.indexerLogs[0]];
    const warnings = async (path?: string) => (await logLines(path)).filter(({ msg }) => String(msg).startsWith('the collector'));
    const uploaded: number[] = [];
    await until('both processes have tried often', async () => {
      uploaded.push(await cluster.client.upload({ name: 'untraced' }));
      const warned = await Promise.all([apiLog, indexerLog].map(async (path) => (await warnings(path)).length > 0));
      return warned.every(Boolean) && collector.requests >= 8;
    });
    await cluster.indexed();
    expect((await cluster.client.list({ prompt: 'untraced' })).body.totalElements).toBe(uploaded.length);
    for (const path of [apiLog, indexerLog]) expect(await warnings(path)).toHaveLength(1);
    await Promise.all([cluster.api.stop(), cluster.indexer.stop()]);
    for (const path of [apiLog, indexerLog])
      expect(await logLines(path)).toContainEqual(expect.objectContaining({ msg: 'stopped', code: 0 }));
  });
});

describe('without a collector', () => {
  const service = forAllTests(() => startCluster());

  it('the outbox has no trace, and log lines have the trace id only if the client sent one', async () => {
    await pause(service);
    const trace = newTrace();
    const [plain, withTrace] = [await service.client.tryUpload(), await service.client.tryUpload({}, 1, trace.headers)];
    const rows = await service.database.query(`select traceparent from index_outbox where traceparent is not null`);
    expect(rows).toEqual([]);
    await resume(service);
    const lineOf = async (response: typeof plain) =>
      (await logLines(service.apiLogs[0])).find(({ requestId }) => requestId === response.headers.get('x-request-id'));
    await until('both lines are written', async () => (await lineOf(plain)) !== undefined && (await lineOf(withTrace)) !== undefined);
    expect((await lineOf(plain))?.['traceId']).toBeUndefined();
    expect((await lineOf(withTrace))?.['traceId']).toBe(trace.traceId);
  });
});
