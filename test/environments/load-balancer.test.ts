import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connectionLimit } from '@ugc/api/limits/open-files';
import { IndexerEnv } from '@ugc/indexer/env';
import { startIndexer } from '@ugc/indexer/start-indexer';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { parseEnv } from '@ugc/shared/config/env';
import { createLog } from '@ugc/shared/process/log';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { COMPILE_CACHE, createEnvironment } from '../support/processes/environment.ts';
import { shutDown } from '../support/processes/service.ts';
import { untilCountedInRedis } from '../support/servers/redis.ts';
import { Client } from '../support/http/client.ts';
import { scrape } from '../support/http/scrape.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { long } from '../support/jest/long.ts';
import { openRequests, head, parseRaw, readAnswer } from '../support/http/raw-http.ts';
import { until } from '../support/jest/until.ts';

const HEALTH = head('GET', '/health/live');

describe('a connection of a load balancer', () => {
  let api: ApiAlone;
  const requests = openRequests(() => api.client.baseUrl);
  beforeEach(async () => {
    api = await startApiAlone();
  });
  afterEach(async () => {
    requests.destroy();
    await api.stop();
  });

  async function open(): Promise<Socket> {
    const socket = requests.open();
    await once(socket, 'connect');
    return socket;
  }
  function recorded(socket: Socket): { bytes: string; closed: boolean } {
    const record = { bytes: '', closed: false };
    socket.on('data', (bytes: Buffer) => (record.bytes += String(bytes)));
    socket.on('close', () => (record.closed = true));
    return record;
  }
  async function ask(socket: Socket): Promise<number> {
    socket.write(HEALTH);
    return (await readAnswer(socket)).status;
  }

  long.it(
    'gets no response before its first request, nor between two requests, however long it waits, and then serves requests',
    async () => {
      const [inAdvance, kept] = [await open(), await open()];
      expect(await ask(kept)).toBe(200);
      const records = [recorded(inAdvance), recorded(kept)];
      const slow = await open();
      slow.write('G');
      // It was opened last, so the time of the others has passed as well.
      expect(parseRaw(await text(slow)).status).toBe(408);
      expect(records).toEqual([
        { bytes: '', closed: false },
        { bytes: '', closed: false },
      ]);
      expect(await ask(inAdvance)).toBe(200);
      expect(await ask(kept)).toBe(200);
      expect(await ask(inAdvance)).toBe(200);
    },
  );

  long.it(
    'gets a 408 for a header that is not complete in time, counted from its first byte',
    async () => {
      const [inAdvance, kept, first] = [await open(), await open(), await open()];
      expect(await ask(kept)).toBe(200);
      first.write('G');
      expect(parseRaw(await text(first)).status).toBe(408);
      // These have waited as long as the first one.
      const records = [recorded(inAdvance), recorded(kept)];
      const begun = [inAdvance, kept].map((socket) => socket.write('GET /health/live HTTP/1.1\r\nX-Slow: '));
      expect(begun).toEqual([true, true]);
      const dripping = setInterval(() => [inAdvance, kept].forEach((socket) => socket.writable && socket.write('x')), 500);
      const second = await open();
      second.write('G');
      const received = await Promise.all([inAdvance, kept].map((socket) => once(socket, 'end')));
      clearInterval(dripping);
      expect(received).toHaveLength(2);
      for (const { bytes } of records) expect(parseRaw(bytes).status).toBe(408);
    },
    90_000,
  );

  long.it(
    'is closed without a response if it sends empty lines for ever and no request',
    async () => {
      const [inAdvance, kept] = [await open(), await open()];
      expect(await ask(kept)).toBe(200);
      const records = [recorded(inAdvance), recorded(kept)];
      const waited = await open();
      waited.write('G');
      await text(waited);
      const dripping = setInterval(() => [inAdvance, kept].forEach((socket) => socket.writable && socket.write('\r\n')), 500);
      await until('both are closed', () => records.every(({ closed }) => closed), 180_000);
      clearInterval(dripping);
      expect(records[1]?.bytes).toBe('');
    },
    240_000,
  );

  it('gets responses for SHUTDOWN_DELAY_MS after the beginning of a stop, while readiness is 503', async () => {
    const stopping = await startApiAlone({ SHUTDOWN_DELAY_MS: '10000' });
    const readiness = () => stopping.client.get('/health/ready');
    await until('it is ready', async () => (await readiness()).status === 200);
    const stopped = stopping.stop();
    await until('it is not ready', async () => (await readiness()).status === 503);
    expect((await readiness()).body.status).toBe('stopping');
    expect((await stopping.client.tryUpload({ name: 'meanwhile' })).status).toBe(201);
    await stopped;
    await expect(readiness()).rejects.toThrow();
  });

  it('that was never used does not delay a stop', async () => {
    const inAdvance = await open();
    const closed = once(inAdvance, 'close');
    const body = JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' });
    const upload = await requests.beginUpload(1, `Content-Length: ${body.length}`);
    const stopped = api.stop();
    // The upload is still active: a stop waits for it.
    await closed;
    upload.write(body);
    expect((await readAnswer(upload)).status).toBe(201);
    await stopped;
    api = await startApiAlone();
  });
});

type Logged = { msg: string; limit?: number };

describe('a process that may open 256 files', () => {
  const OPEN_FILES = 256;
  const ACCEPTED = connectionLimit(1_000, 10, OPEN_FILES);

  let [child, url, operationsUrl]: [ChildProcess | undefined, string, string] = [undefined, '', ''];
  const logged: Logged[] = [];
  const requests = openRequests(() => url);
  beforeAll(async () => {
    const [port = 0, operationsPort = 0] = await freePorts(2);
    [url, operationsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${operationsPort}`];
    const ports = { PORT: String(port), OPERATIONS_PORT: String(operationsPort) };
    const env = await createEnvironment({ ...ports, LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: '10' });
    const limited = [`ulimit -n ${OPEN_FILES}; exec "$0" "$@"`, process.execPath, join(CHECKOUT, 'services/api/src/main.ts')];
    child = spawn('sh', ['-c', ...limited], { env: { ...env, ...COMPILE_CACHE }, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout as Readable }).on('line', (line) => logged.push(JSON.parse(line) as Logged));
    await until('it serves', async () => (await fetch(`${url}/health/live`).catch(() => undefined))?.ok === true);
  });
  afterAll(async () => {
    requests.destroy();
    child?.kill();
    if (child) await once(child, 'exit');
  });

  it('says at its start that it accepts fewer connections', async () => {
    const warning = `only ${ACCEPTED} connections are accepted: raise the limit of open files, ${OPEN_FILES}`;
    await until('the log says so', () => logged.some(({ msg }) => msg === warning));
  });

  it('closes idle connections beyond them, counts and logs that, and serves lists and uploads on all that it has accepted', async () => {
    const idle = Array.from({ length: OPEN_FILES }, () => requests.open());
    await until('as many are open as are accepted', () => idle.filter(({ destroyed }) => !destroyed).length <= ACCEPTED);
    expect((await scrape(operationsUrl)).get('ugc_http_connections_dropped_total')).toBeGreaterThanOrEqual(OPEN_FILES - ACCEPTED);
    const isWarning = ({ msg, limit }: Logged): boolean => msg === 'connections are closed: no more are accepted' && limit === ACCEPTED;
    await until('the log says so', () => logged.some(isWarning));
    const authorization = `Authorization: Bearer ${await tokenOf(1)}`;
    const statuses = await Promise.all(
      Array.from({ length: ACCEPTED }, async () => {
        const socket = requests.open();
        socket.write(head('GET', '/api/content/1', [authorization]));
        return (await readAnswer(socket)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect((await new Client(url).tryUpload()).status).toBe(201);
    expect(logged.filter(({ msg }) => /EMFILE/.test(msg))).toEqual([]);
  });
});

describe('the limit of failed tokens behind trusted proxies', () => {
  let api: ApiAlone;
  afterEach(() => api.stop());

  async function start(proxies: string): Promise<void> {
    const limits = { RATE_LIMIT_FAILED_TOKENS_PER_MINUTE: '6', RATE_LIMIT_LISTS_PER_MINUTE: '10000' };
    api = await startApiAlone({ TRUST_PROXY: proxies, ...limits });
    await untilCountedInRedis(api, 900);
  }
  /** Requests without a valid token, when six are allowed in a minute, until one is 429. A slow machine needs more than seven. */
  async function guess(forwardedFor: (attempt: number) => string, attempts = 40): Promise<number[]> {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < attempts && statuses.at(-1) !== 429; attempt += 1) {
      const headers = { 'x-forwarded-for': forwardedFor(attempt) };
      statuses.push((await api.client.request('GET', '/api/content/1', { token: 'x.y.z', headers })).status);
    }
    return statuses;
  }

  /** What an address may be written as is a unit test of `clientNetwork`. */
  const NOTATIONS: [string, (attempt: number) => string][] = [
    ['a port, after an entry of the client', (n) => `192.0.2.${n}, 198.51.100.1:${50_000 + n}`],
    ['empty entries', (n) => `192.0.2.${n}, 198.51.100.1, ,`],
    ['an identifier that the proxy invents', (n) => `_hidden${n}`],
  ];

  it.each(NOTATIONS)('counts one client together if the proxy writes its address with %s', async (_, forwardedFor) => {
    await start('1');
    expect((await guess(forwardedFor)).slice(-1)).toEqual([429]);
  });

  it('counts different clients apart, also with ports', async () => {
    await start('1');
    expect(new Set(await guess((n) => `198.51.100.${n}:443`, 7))).toEqual(new Set([403]));
    expect(new Set(await guess((n) => `[2001:db8:1:${n}::1]:443`, 7))).toEqual(new Set([403]));
  });

  it('counts by the nearer proxy if the entry of the farther one is no address', async () => {
    await start('2');
    expect((await guess((n) => `_client${n}, 10.0.0.1:${n + 1}`)).at(-1)).toBe(429);
    expect(new Set(await guess((n) => `_client, 10.0.1.${n}`, 7))).toEqual(new Set([403]));
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

(hasIpv6 ? describe : describe.skip)(`a machine with IPv6${hasIpv6 ? '' : ' (skipped: this machine has no ::1)'}`, () => {
  const portOf = (url: string): string => new URL(url).port;
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

  it.each([
    ['::1', ['[::1]'], ['127.0.0.1']],
    ['::', ['[::1]', '127.0.0.1'], []],
  ])('has both services, their probes and the operators page at BIND_ADDRESS=%s', async (address, hosts, others) => {
    const api = await startApiAlone({ BIND_ADDRESS: address });
    const log = createLog('test', 'silent');
    const indexer = await startIndexer(parseEnv(IndexerEnv, api.env), log);
    const [port, operationsPort] = [portOf(api.client.baseUrl), portOf(api.operationsUrl)];
    for (const host of hosts) {
      const client = new Client(`http://${host}:${port}`);
      await until('the item is found', async () => (await client.list()).status === 200);
      const { status, headers } = await client.tryUpload();
      expect([status, (await client.get(headers.get('location') ?? '')).status]).toEqual([201, 200]);
      const probes = [
        `${port}/health/live`,
        `${port}/health/ready`,
        `${operationsPort}/health/live`,
        `${indexer.operationsPort}/health/live`,
      ];
      for (const path of [...probes, `${operationsPort}/`, `${operationsPort}/status`, `${operationsPort}/metrics`])
        expect([path, await statusOf(`http://${host}:${path}`)]).toEqual([path, 200]);
    }
    for (const host of others) await expect(statusOf(`http://${host}:${port}/health/live`)).rejects.toThrow();
    await shutDown(log, indexer.shutdown);
    await api.stop();
  });
});
