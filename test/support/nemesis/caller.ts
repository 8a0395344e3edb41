import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Client } from '../client.ts';
import type { Uploads } from '../uploads.ts';
import { Item } from './item.ts';

export type Act = 'upload' | 'edit' | 'delete' | 'rate' | 'list' | 'get';

/** The statuses that a caller may see while stores and processes come and go; no answer at all is one of them. */
const EXPECTED: Record<Act, (number | undefined)[]> = {
  upload: [201, 503, undefined],
  edit: [200, 404, 503, undefined],
  delete: [204, 404, 503, undefined],
  rate: [204, 404, 503, undefined],
  list: [200, 500, undefined],
  get: [200, 404, 500, undefined],
};

const acts = fc.oneof(
  { weight: 4, arbitrary: fc.constant('upload' as const) },
  { weight: 3, arbitrary: fc.constant('edit' as const) },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
  { weight: 2, arbitrary: fc.constant('rate' as const) },
  { weight: 2, arbitrary: fc.constant('list' as const) },
  { weight: 2, arbitrary: fc.constant('get' as const) },
);
const ACTS_PLANNED = 20_000;
const BETWEEN_ACTS_MS = 20;

/** Uploads, edits, deletes, rates, lists and reads items of its own, and remembers what it was answered. */
export class Caller {
  readonly items: Item[] = [];
  readonly counts: Record<string, number> = {};
  readonly unexpected: string[] = [];
  readonly #name: string;
  readonly #client: Client;
  readonly #uploads: Uploads;
  readonly #plan: Act[];

  constructor(name: string, { client, uploads, seed }: { client: Client; uploads: Uploads; seed: number }) {
    this.#name = name;
    this.#client = client;
    this.#uploads = uploads;
    this.#plan = fc.sample(acts, { seed, numRuns: ACTS_PLANNED });
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const act = this.#plan[n % this.#plan.length] ?? 'upload';
      const item = this.items.at((n * 7) % Math.max(this.items.length, 1));
      const answer = item ? await this.#act(act, item, n) : await this.#upload(n);
      this.#note(item ? act : 'upload', answer);
      await delay(BETWEEN_ACTS_MS);
    }
  }

  #act(act: Act, item: Item, n: number): Promise<Answer | undefined> {
    const path = `/api/content/${item.contentId}`;
    if (act === 'upload') return this.#upload(n);
    if (act === 'edit') return this.#edit(item, n + 2);
    if (act === 'delete') return this.#delete(item);
    if (act === 'rate') return this.#ask('PUT', `${path}/rating`, { score: 1 + (n % 5) });
    return this.#ask('GET', act === 'list' ? `/api/content?size=10&prompt=${this.#name}` : path);
  }

  async #upload(n: number): Promise<Answer | undefined> {
    const answer = await this.#uploads.send(this.#client, `${this.#name} ${n}`);
    if (answer?.status === 201) this.items.push(new Item(answer.body.content_id));
    return answer;
  }

  async #edit(item: Item, version: number): Promise<Answer | undefined> {
    const answer = await this.#ask('PATCH', `/api/content/${item.contentId}`, { version });
    item.edited(version, answer);
    return answer;
  }

  async #delete(item: Item): Promise<Answer | undefined> {
    const answer = await this.#ask('DELETE', `/api/content/${item.contentId}`);
    item.removed(answer);
    // What is deleted is emptied, so it is no longer what was uploaded.
    if (item.deleted !== 'no') this.#uploads.taken.delete(item.contentId);
    return answer;
  }

  #ask(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    return this.#client.send(method, path, body).catch(() => undefined);
  }

  #note(act: Act, answer: Answer | undefined): void {
    const what = `${act}: ${answer?.status ?? 'no answer'}`;
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    if (!EXPECTED[act].includes(answer?.status)) this.unexpected.push(`${what} ${answer?.text ?? ''}`);
  }
}
