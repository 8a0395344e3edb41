import { createClient } from './generated/client/index.ts';
import { Operations } from './generated/sdk.gen.ts';
import type {
  ContentItem,
  ContentPage,
  ContentSlice,
  ContentSummary,
  ContentSummaryPage,
  ContentSummarySlice,
  IndexStatus,
  ListContentData,
  Upload,
  Uploaded,
} from './generated/types.gen.ts';
import { ProblemError } from './problem-error.ts';
import { delay, retryingFetch, type RetryOptions } from './retrying-fetch.ts';

/** `baseUrl` is, for example, `http://localhost:3000`. A function as `token` is called for each request. */
export type UgcClientOptions = RetryOptions & { baseUrl: string; token?: string | (() => string | Promise<string>) };
export type Abortable = { signal?: AbortSignal };
/** Uploads with the same key within 24 hours are one upload; the key is a new one unless given. */
export type UploadOptions = Abortable & { idempotencyKey?: string };
/** `timeoutSeconds` is 60 unless given. */
export type WaitOptions = UploadOptions & { timeoutSeconds?: number };
export type ListQuery = NonNullable<ListContentData['query']>;
/** With `fields=summary`, items are without `data`; with `totals=false`, pages are without totals. */
export type PageOf<Q extends ListQuery> = Q extends { totals: false | 'false' } ? SliceOf<Q> : CountedPageOf<Q>;
type SliceOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummarySlice : ContentSlice;
type CountedPageOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummaryPage : ContentPage;
export type ItemOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummary : ContentItem;

/** Also the time until the next refresh of the index, after which lists show an indexed item. */
const POLL_EVERY_MS = 1_000;

/** Methods for all operations, which resolve to `{ data, response }`, and those below. @throws ProblemError */
export class UgcClient extends Operations {
  constructor({ baseUrl, token, ...retries }: UgcClientOptions) {
    const client = createClient({ baseUrl, auth: token, throwOnError: true, fetch: retryingFetch(retries) });
    client.interceptors.error.use((error, response) => (response ? new ProblemError(response, error) : error));
    super({ client });
  }

  async upload(body: Upload, { idempotencyKey = randomKey(), signal }: UploadOptions = {}): Promise<Uploaded> {
    return (await this.uploadContent({ body, signal, headers: { 'Idempotency-Key': idempotencyKey } })).data;
  }

  /** Uploads an item and waits until lists show it. @throws NotSearchableError */
  async uploadAndWait(body: Upload, options: WaitOptions = {}): Promise<Uploaded> {
    const { idempotencyKey = randomKey(), signal, timeoutSeconds = 60 } = options;
    const deadline = performance.now() + timeoutSeconds * 1_000;
    const headers = { 'Idempotency-Key': idempotencyKey, Prefer: `wait=${Math.min(10, timeoutSeconds)}` };
    const { data, response } = await this.uploadContent({ body, signal, headers });
    if (!response.headers.has('Preference-Applied')) await this.#untilSearchable(data.content_id, deadline, signal);
    return data;
  }

  async #untilSearchable(id: number, deadline: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const { data } = await this.getIndexStatus({ path: { id }, signal });
      if (data.status === 'indexed') return delay(POLL_EVERY_MS, signal);
      if (data.status !== 'pending' || performance.now() > deadline) throw new NotSearchableError(data);
      await delay(POLL_EVERY_MS, signal);
    }
  }

  /** One page of a list. `listContent` also gives its headers. */
  async list<Q extends ListQuery>(query?: Q, { signal }: Abortable = {}): Promise<PageOf<Q>> {
    return (await this.listContent({ query, signal })).data as PageOf<Q>;
  }

  /**
   * The pages of a list without their totals, from `query.page` on. In the order `createdAt,desc`, which is the default, an
   * item that stays in the list is in exactly one of them, whatever changes meanwhile. In other orders, changes may move items
   * to a page that was read before, or to a second one.
   */
  async *pages<Q extends ListQuery>(query?: Q, { signal }: Abortable = {}): AsyncGenerator<SliceOf<Q>, void> {
    const { page: first = 0, after: place, ...list } = query ?? ({} as Q);
    let position: { page?: number; after?: string } = place === undefined ? { page: first } : { after: place };
    for (;;) {
      const { data, response } = await this.listContent({ query: { ...list, ...position, totals: false }, signal });
      yield data as SliceOf<Q>;
      if (data.last) return;
      const after = nextAfter(response.headers.get('Link'));
      position = after === undefined ? { page: (position.page ?? 0) + 1 } : { after };
    }
  }

  /** The items of `pages`. */
  async *items<Q extends ListQuery>(query?: Q, options: Abortable = {}): AsyncGenerator<ItemOf<Q>, void> {
    for await (const { content } of this.pages(query, options)) yield* content as ItemOf<Q>[];
  }
}

/** The item is stored, but lists do not show it: it is not indexed in time, or was rejected. */
export class NotSearchableError extends Error {
  override readonly name = 'NotSearchableError';
  readonly indexStatus: IndexStatus;

  constructor(indexStatus: IndexStatus) {
    super(`Item ${indexStatus.contentId} is stored, but lists do not show it: it is ${indexStatus.status}.`);
    this.indexStatus = indexStatus;
  }
}

/** Reads a header such as `<?size=10&after=…>; rel="next"`. */
function nextAfter(link: string | null): string | undefined {
  const [, query] = /<\?([^>]*)>; rel="next"/.exec(link ?? '') ?? [];
  return new URLSearchParams(query).get('after') ?? undefined;
}

/** crypto.randomUUID is missing from pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
