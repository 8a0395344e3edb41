import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse, Client } from '../http/client.ts';
import { until } from '../jest/until.ts';

/** The fields of an upload are derived from its name, so that a test can compare stored items with the uploads. */
export function fieldsOf(name: string) {
  return { name, description: `all about ${name}`, data: `data of ${name}`, tags: [name, 'fault'] };
}

/** How many uploads `sendUntil` has named. */
let named = 0;

/** The uploads of a test by their responses, with the response times. */
export class Uploads {
  /** Response 201: names by id. */
  readonly accepted = new Map<number, string>();
  /** The response says that nothing was stored. */
  readonly notStored: string[] = [];
  /** No response, or one that says the result is unknown. */
  readonly unknown: string[] = [];
  readonly durationsMs: number[] = [];
  readonly #statuses = new Set<number | undefined>();

  /** @param others fields that the name does not decide · @returns the response, undefined when there was none */
  async send(client: Client, name: string, headers: Record<string, string> = {}, others: object = {}): Promise<ApiResponse | undefined> {
    const startedAt = performance.now();
    const response = await client.tryUpload({ ...fieldsOf(name), ...others }, 1, headers).catch(() => undefined);
    this.durationsMs.push(performance.now() - startedAt);
    this.#statuses.add(response?.status);
    if (response?.status === 201) this.accepted.set(response.body.content_id, name);
    else if (response?.body?.detail?.includes('Nothing was stored')) this.notStored.push(name);
    else this.unknown.push(name);
    return response;
  }

  /** An upload with an Idempotency-Key takes several statements, other uploads take one. */
  sendWithKey(client: Client, name: string): Promise<ApiResponse | undefined> {
    return this.send(client, name, { 'idempotency-key': name.replaceAll(' ', '-') });
  }

  /** Sends uploads until one has this status. Their names differ, also between tests, since only some of them may be stored. */
  async sendUntil(client: Client, status: number, prefix: string): Promise<void> {
    const send = () => this.send(client, `${prefix} ${++named}`);
    await until(`an upload is ${status}`, async () => (await send())?.status === status);
  }

  /** Sends uploads one at a time. */
  async sendMany(client: Client, prefix: string, count: number): Promise<void> {
    for (let n = 0; n < count; n++) await this.send(client, `${prefix} ${n}`);
  }

  /** Sends uploads one at a time until `work` is done. @returns the result of `work` */
  async sendDuring<T>(client: Client, prefix: string, work: Promise<T>, pauseMs = 0): Promise<T> {
    const progress = { ended: false };
    const ended = work.finally(() => (progress.ended = true));
    ended.catch(() => undefined);
    for (let n = 0; !progress.ended; n++) {
      await this.send(client, `${prefix} ${n}`);
      await delay(pauseMs);
    }
    return ended;
  }

  /** @returns the other statuses; undefined for a connection that failed */
  statusesBut(...expected: number[]): (number | undefined)[] {
    return [...this.#statuses].filter((status) => status === undefined || !expected.includes(status));
  }

  /** The 99th percentile of the response times; with few uploads, the slowest but two. */
  p99Ms(): number {
    const rank = Math.max(2, Math.floor(this.durationsMs.length / 100));
    return this.durationsMs.toSorted((a, b) => b - a)[rank] ?? 0;
  }
}

/** The p99 that the README guarantees for uploads while Redis or Elasticsearch is unavailable. */
const PROMISED_MS = 300;

/** The guaranteed p99, or three times the p99 without a fault on a slow machine. */
export async function promisedUploadMs(client: Client): Promise<number> {
  const withoutFault = new Uploads();
  await withoutFault.sendMany(client, 'without a fault', 200);
  return Math.max(PROMISED_MS, 3 * withoutFault.p99Ms());
}

/** The responses of the endpoints that read, that write in a transaction, and that write with one statement. */
type Responses = { read: ApiResponse[]; written: ApiResponse[]; counted: ApiResponse[]; slowestMs: number };

/** Sends more concurrent requests than there are connections, to every endpoint that needs PostgreSQL. */
export async function requestEveryEndpoint(client: Client, id: number): Promise<Responses> {
  const path = `/api/content/${id}`;
  const startedAt = performance.now();
  const reads = () => [client.get(path), client.get(`${path}/index-status`), client.get(`${path}/rating`)];
  const writes = () => [
    client.tryUpload(fieldsOf('not stored')),
    client.send('PATCH', path, { name: 'not stored' }),
    client.send('DELETE', path),
    client.send('PUT', `${path}/rating`, { score: 5 }, 2),
  ];
  const repeated = Array.from({ length: 6 }, () => undefined);
  const [read, written, counted] = await Promise.all([
    Promise.all(repeated.flatMap(reads)),
    Promise.all(repeated.flatMap(writes)),
    Promise.all(repeated.map(() => client.send('POST', `${path}/downloads`))),
  ]);
  return { read, written, counted, slowestMs: performance.now() - startedAt };
}
