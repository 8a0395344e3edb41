import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse, Client } from '../http/client.ts';
import type { Uploads } from '../cluster/uploads.ts';
import { Item } from './item.ts';

export type Operation = 'upload' | 'edit' | 'delete' | 'rate' | 'list' | 'get';

/** The statuses that a client may receive during faults; undefined means no response. */
const EXPECTED: Record<Operation, (number | undefined)[]> = {
  upload: [201, 503, undefined],
  edit: [200, 404, 503, undefined],
  delete: [204, 404, 503, undefined],
  rate: [204, 404, 503, undefined],
  list: [200, 500, undefined],
  get: [200, 404, 500, undefined],
};

const operations = fc.oneof(
  { weight: 4, arbitrary: fc.constant('upload' as const) },
  { weight: 3, arbitrary: fc.constant('edit' as const) },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
  { weight: 2, arbitrary: fc.constant('rate' as const) },
  { weight: 2, arbitrary: fc.constant('list' as const) },
  { weight: 2, arbitrary: fc.constant('get' as const) },
);
const PLANNED_OPERATIONS = 20_000;
const PAUSE_MS = 20;

/** A client that uploads, edits, deletes, rates, lists and reads its own items and records the responses. */
export class NemesisClient {
  readonly items: Item[] = [];
  readonly counts: Record<string, number> = {};
  readonly unexpected: string[] = [];
  readonly #name: string;
  readonly #client: Client;
  readonly #uploads: Uploads;
  readonly #plan: Operation[];

  constructor(name: string, { client, uploads, seed }: { client: Client; uploads: Uploads; seed: number }) {
    this.#name = name;
    this.#client = client;
    this.#uploads = uploads;
    this.#plan = fc.sample(operations, { seed, numRuns: PLANNED_OPERATIONS });
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const operation = this.#plan[n % this.#plan.length] ?? 'upload';
      const item = this.items.at((n * 7) % Math.max(this.items.length, 1));
      const response = item ? await this.#perform(operation, item, n) : await this.#upload(n);
      this.#record(item ? operation : 'upload', response);
      await delay(PAUSE_MS);
    }
  }

  #perform(operation: Operation, item: Item, n: number): Promise<ApiResponse | undefined> {
    const path = `/api/content/${item.contentId}`;
    if (operation === 'upload') return this.#upload(n);
    if (operation === 'edit') return this.#edit(item, n + 2);
    if (operation === 'delete') return this.#delete(item);
    if (operation === 'rate') return this.#send('PUT', `${path}/rating`, { score: 1 + (n % 5) });
    return this.#send('GET', operation === 'list' ? `/api/content?size=10&prompt=${this.#name}` : path);
  }

  async #upload(n: number): Promise<ApiResponse | undefined> {
    const response = await this.#uploads.send(this.#client, `${this.#name} ${n}`);
    if (response?.status === 201) this.items.push(new Item(response.body.content_id));
    return response;
  }

  async #edit(item: Item, version: number): Promise<ApiResponse | undefined> {
    const response = await this.#send('PATCH', `/api/content/${item.contentId}`, { version });
    item.edited(version, response);
    return response;
  }

  async #delete(item: Item): Promise<ApiResponse | undefined> {
    const response = await this.#send('DELETE', `/api/content/${item.contentId}`);
    item.removed(response);
    // A deleted item loses its fields, so it can no longer be compared with its upload.
    if (item.deleted !== 'no') this.#uploads.accepted.delete(item.contentId);
    return response;
  }

  #send(method: string, path: string, body?: unknown): Promise<ApiResponse | undefined> {
    return this.#client.send(method, path, body).catch(() => undefined);
  }

  #record(operation: Operation, response: ApiResponse | undefined): void {
    const what = `${operation}: ${response?.status ?? 'no response'}`;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    if (!EXPECTED[operation].includes(response?.status)) this.unexpected.push(`${what} ${response?.text ?? ''}`);
  }
}
