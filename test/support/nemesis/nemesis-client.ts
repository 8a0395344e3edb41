import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse, Client } from '../http/client.ts';
import { tokenOf } from '../http/tokens.ts';
import type { Uploads } from '../cluster/uploads.ts';

export type Operation = 'upload' | 'schedule' | 'fields' | 'edit' | 'delete' | 'rate' | 'list' | 'get' | 'hide' | 'show';

/** The statuses that a client may receive during faults; undefined means no response. */
const EXPECTED: Record<Operation, (number | undefined)[]> = {
  upload: [201, 503, undefined],
  schedule: [201, 503, undefined],
  // 400: a value does not fit the fields that are declared now.
  fields: [200, 400, 403, 404, 503, undefined],
  edit: [200, 403, 404, 503, undefined],
  delete: [204, 404, 503, undefined],
  rate: [204, 404, 503, undefined],
  // 429: all clients are one user, whose lists wait for each other on a slow machine.
  list: [200, 429, 500, undefined],
  get: [200, 404, 500, undefined],
  hide: [204, 404, 503, undefined],
  show: [204, 404, 503, undefined],
};

const operations = fc.oneof(
  { weight: 4, arbitrary: fc.constant('upload' as const) },
  { weight: 1, arbitrary: fc.constant('schedule' as const) },
  { weight: 2, arbitrary: fc.constant('fields' as const) },
  { weight: 3, arbitrary: fc.constant('edit' as const) },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
  { weight: 2, arbitrary: fc.constant('rate' as const) },
  { weight: 2, arbitrary: fc.constant('list' as const) },
  { weight: 2, arbitrary: fc.constant('get' as const) },
  { weight: 1, arbitrary: fc.constant('hide' as const) },
  { weight: 1, arbitrary: fc.constant('show' as const) },
);
const PLANNED_OPERATIONS = 20_000;
const PAUSE_MS = 20;
/** At the latest, scheduled items are due so long after their upload. */
const SCHEDULED_MAX_MS = 4_000;

/** A client that uploads, edits, deletes, hides, rates, lists and reads its own items and records the responses. */
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
    if (operation === 'schedule') return this.#upload(n, Date.now() + ((n * 37) % SCHEDULED_MAX_MS));
    if (operation === 'fields') return this.#send('PATCH', path, { fields: valuesOf(n) });
    if (operation === 'edit') return this.#edit(item, n + 2);
    if (operation === 'delete') return this.#delete(item);
    if (operation === 'hide') return this.#hide(item);
    if (operation === 'show') return this.#show(item);
    if (operation === 'rate') return this.#send('PUT', `${path}/rating`, { score: 1 + (n % 5) }, 2);
    return operation === 'list' ? this.#list() : this.#send('GET', path);
  }

  async #upload(n: number, publishAt?: number): Promise<ApiResponse | undefined> {
    const others = publishAt === undefined ? {} : { publishAt: new Date(publishAt).toISOString() };
    const response = await this.#uploads.send(this.#client, `${this.#name} ${n}`, {}, others);
    if (response?.status === 201) this.items.push(new Item(response.body.content_id, response.body.name, publishAt));
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

  async #list(): Promise<ApiResponse | undefined> {
    const response = await this.#send('GET', `/api/content?size=200&prompt=${this.#name}`);
    const readAt = Date.now();
    const listed = new Set((response?.body?.content ?? []).map(({ contentId }: { contentId: number }) => contentId));
    for (const { contentId } of this.items.filter((item) => item.isUnlisted && listed.has(item.contentId)))
      this.unexpected.push(`a list shows the hidden item ${contentId}`);
    for (const { contentId } of this.items.filter((item) => (item.publishAt ?? 0) > readAt && listed.has(item.contentId)))
      this.unexpected.push(`a list shows the item ${contentId} before its time`);
    return response;
  }

  async #hide(item: Item): Promise<ApiResponse | undefined> {
    const response = await this.#moderate('PUT', item);
    item.moderated('yes', response);
    if (item.isUnlisted) await this.#expectUnfound(item);
    return response;
  }

  /** Neither facets nor suggestions have it. */
  async #expectUnfound({ contentId, name }: Item): Promise<void> {
    const [phrase, prompt] = [`"${name}"`, name].map(encodeURIComponent);
    const facets = await this.#send('GET', `/api/content/facets?prompt=${phrase}&correct=false`);
    const suggestions = await this.#send('GET', `/api/content/suggest?prompt=${prompt}`);
    const texts = (suggestions?.body?.completions ?? []).map(({ text }: { text: string }) => text);
    if ((facets?.body?.totalElements ?? 0) > 0 || texts.includes(name))
      this.unexpected.push(`facets or suggestions contain the hidden item ${contentId}`);
  }

  async #show(item: Item): Promise<ApiResponse | undefined> {
    item.isUnlisted = false;
    const response = await this.#moderate('DELETE', item);
    item.moderated('no', response);
    return response;
  }

  async #moderate(method: 'PUT' | 'DELETE', { contentId }: Item): Promise<ApiResponse | undefined> {
    const token = await tokenOf(1, { scope: 'content:moderate' });
    const headers = { prefer: 'wait=2', 'content-type': 'application/json' };
    const body = JSON.stringify({ reason: 'a test' });
    const request = { token, headers, ...(method === 'PUT' && { body }) };
    return this.#client.request(method, `/api/content/${contentId}/hidden`, request).catch(() => undefined);
  }

  #send(method: string, path: string, body?: unknown, userId?: number): Promise<ApiResponse | undefined> {
    return this.#client.send(method, path, body, userId).catch(() => undefined);
  }

  #record(operation: Operation, response: ApiResponse | undefined): void {
    const what = `${operation}: ${response?.status ?? 'no response'}`;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    if (!EXPECTED[operation].includes(response?.status)) this.unexpected.push(`${what} ${response?.text ?? ''}`);
  }
}

/** Of two successive numbers, one is a value of a number, and one of a keyword. */
function valuesOf(n: number): object {
  return { players: n % 2 === 0 ? n : `${n}`, studio: `studio ${n % 9}` };
}

/**
 * The possible states of an item that only one client changes: without a response, a change may have been stored or
 * not.
 */
export class Item {
  readonly contentId: number;
  versions = [1];
  deleted: 'no' | 'unknown' | 'yes' = 'no';
  hidden: 'no' | 'unknown' | 'yes' = 'no';
  /** Lists must not show it: it was hidden, the wait has ended, and nobody has begun to show it again. */
  isUnlisted = false;
  readonly name: string;
  /** In no list before; undefined for an item that is public at once. */
  readonly publishAt: number | undefined;

  constructor(contentId: number, name: string, publishAt?: number) {
    this.contentId = contentId;
    this.name = name;
    this.publishAt = publishAt;
  }

  moderated(to: 'no' | 'yes', response: ApiResponse | undefined): void {
    if (response?.status === 204) this.hidden = to;
    else if (isUnknown(response) && this.hidden !== to) this.hidden = 'unknown';
    if (to === 'yes' && response?.headers.has('preference-applied')) this.isUnlisted = true;
  }

  edited(version: number, response: ApiResponse | undefined): void {
    if (response?.status === 200) this.versions = [version];
    else if (isUnknown(response)) this.versions.push(version);
  }

  removed(response: ApiResponse | undefined): void {
    if (response?.status === 204) this.deleted = 'yes';
    else if (isUnknown(response)) this.deleted = 'unknown';
  }

  /** @returns a description of the fault if the stored item is in none of the possible states */
  faultOf({ version, deleted, hidden }: { version: number; deleted: boolean; hidden: boolean }): string | undefined {
    if (!deleted && this.hidden !== 'unknown' && hidden !== (this.hidden === 'yes'))
      return `item ${this.contentId} is ${hidden ? '' : 'not '}hidden, but the moderator has left it otherwise`;
    if (deleted) return this.deleted === 'no' ? `item ${this.contentId} is deleted, but the client did not delete it` : undefined;
    if (this.deleted === 'yes') return `item ${this.contentId} exists, but the client deleted it`;
    if (this.versions.includes(version)) return undefined;
    return `item ${this.contentId} has version ${version}; possible are ${this.versions.join(', ')}`;
  }
}

function isUnknown(response: ApiResponse | undefined): boolean {
  return response === undefined || (response.body?.detail ?? '').includes('It is unknown');
}
