import { editItem } from './edit-item.ts';
import { createClient } from './generated/client/index.ts';
import { Operations } from './generated/sdk.gen.ts';
import type {
  ContentItem,
  ContentPage,
  ContentSlice,
  ContentSummary,
  ContentSummaryPage,
  ContentSummarySlice,
  Edit,
  IndexStatus,
  ListContentData,
  Upload,
  Uploaded,
} from './generated/types.gen.ts';
import { withBase64, type WithPicture } from './pictures.ts';
import { ProblemError } from './problem-error.ts';
import { delay, retryingFetch, type RetryOptions } from './retrying-fetch.ts';
import { stoppedAt, type WalkPlace } from './walk-place.ts';

/** `baseUrl` is, for example, `http://localhost:3000`. A function as `token` is called for each request, and again if the token expires while the request is repeated. */
export type UgcClientOptions = RetryOptions & { baseUrl: string; token?: string | (() => string | Promise<string>) };
export type Abortable = { signal?: AbortSignal };
/** Uploads with the same key within 24 hours are one upload; the key is a new one unless given. */
export type UploadOptions = Abortable & { idempotencyKey?: string };
/** `timeoutSeconds` is 60 unless given. */
type Timeout = { timeoutSeconds?: number };
export type WaitOptions = UploadOptions & Timeout;
/** An upload, and what changes of an item. A `thumbnail` is a Blob, bytes or base64. */
export type NewItem = WithPicture<Upload>;
export type Changes = WithPicture<Edit>;
/** What changes, or a function that says so of the item as it is; undefined for nothing. */
export type Change = Changes | ((item: ContentItem) => Changes | undefined | Promise<Changes | undefined>);
/** What is known of a new item, in the spelling of all items. `Seen` are those of who sees it, where the response has them. */
export type UploadedItem = Pick<
  ContentItem,
  'contentId' | 'creatorId' | 'creatorName' | 'name' | 'description' | 'version' | 'data' | 'createdAt' | 'updatedAt' | Seen
>;
type Seen = 'visibility' | 'publishAt' | 'key';
export type ListQuery = NonNullable<ListContentData['query']>;
/** With `fields=summary`, items are without `data`; with `totals=false`, pages are without totals; so are those of `after`, which is not part of the type: give both. */
export type PageOf<Q extends ListQuery> = Q extends { totals: false | 'false' } ? SliceOf<Q> : CountedPageOf<Q>;
type SliceOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummarySlice : ContentSlice;
type CountedPageOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummaryPage : ContentPage;
export type ItemOf<Q extends ListQuery> = Q extends { fields: 'summary' } ? ContentSummary : ContentItem;

const POLL_EVERY_MS = 1_000;
const UNKNOWN_REVISION = 0;
/** A poll is repeated anyway, until the caller's own deadline. */
const POLL_RETRIES: RetryOptions = { maxRetries: 3 };

type Written = Pick<ContentItem, 'contentId' | 'updatedAt' | 'visibility' | 'hidden'>;

/** Whether no list shows the item: a draft, an unlisted or scheduled one, one in review, or one that a moderator has hidden. */
function isWithheld({ visibility = 'public', hidden }: Partial<Written>): boolean {
  return visibility !== 'public' || hidden !== undefined;
}

/** Methods for all operations, which resolve to `{ data, response }`, and those below. @throws ProblemError */
export class UgcClient extends Operations {
  readonly #fetchWith: (own: RetryOptions, onUnknown?: () => void) => typeof globalThis.fetch;

  constructor({ baseUrl, token, ...retries }: UgcClientOptions) {
    const renewToken = typeof token === 'function' ? async () => token() : undefined;
    const fetchWith = (own: RetryOptions, onUnknown?: () => void) =>
      retryingFetch({ ...own, ...retries }, { renewToken, ...(onUnknown && { onUnknown }) });
    const client = createClient({ baseUrl, auth: token, throwOnError: true, fetch: fetchWith({}) });
    // A response with another status has broken off in its body.
    client.interceptors.error.use((error, response) => (response && !response.ok ? new ProblemError(response, error) : error));
    super({ client });
    this.#fetchWith = fetchWith;
  }

  async upload(item: NewItem, { idempotencyKey = randomKey(), signal }: UploadOptions = {}): Promise<UploadedItem> {
    const body = await withBase64(item);
    return toItem((await this.uploadContent({ body, signal, headers: { 'Idempotency-Key': idempotencyKey } })).data);
  }

  /** Uploads an item and waits until lists show it, unless it is not public. @throws NotSearchableError */
  async uploadAndWait(item: NewItem, options: WaitOptions = {}): Promise<UploadedItem> {
    const { idempotencyKey = randomKey(), signal, timeoutSeconds = 60 } = options;
    const deadline = performance.now() + timeoutSeconds * 1_000;
    const headers = { 'Idempotency-Key': idempotencyKey, Prefer: preferWait(timeoutSeconds) };
    const { data, response } = await this.uploadContent({ body: await withBase64(item), signal, headers });
    const uploaded = toItem(data);
    if (!isWithheld(uploaded)) await this.#untilListed(uploaded, response, deadline, signal);
    return uploaded;
  }

  /**
   * Reads the item with its tags, and edits it unless it has been edited meanwhile: then it reads it again, and asks `change`
   * again.
   */
  async edit(id: number, change: Change, { signal }: Abortable = {}): Promise<ContentItem> {
    return (await this.#edit(id, change, { signal })).data;
  }

  /** Edits the item as `edit` does, and waits until lists show it, or do not show one that is not public. @throws NotSearchableError, Error */
  async editAndWait(id: number, change: Change, { signal, timeoutSeconds = 60 }: Abortable & Timeout = {}): Promise<ContentItem> {
    const deadline = performance.now() + timeoutSeconds * 1_000;
    const { data, response } = await this.#edit(id, change, { signal, headers: { Prefer: preferWait(timeoutSeconds) } });
    if (isWithheld(data)) await this.#untilGone(id, response, deadline, { what: 'not public', signal });
    else await this.#untilListed(data, response, deadline, signal);
    return data;
  }

  async #edit(id: number, change: Change, { signal, headers }: Abortable & { headers?: object }) {
    return editItem(
      change,
      (include) => this.getContent({ path: { id }, query: { include }, signal }),
      async (changes, ifMatch, onUnknown) =>
        this.editContent({
          path: { id },
          body: await withBase64(changes),
          signal,
          headers: { ...headers, 'If-Match': ifMatch },
          fetch: this.#fetchWith({}, onUnknown),
        }),
    );
  }

  /** Deletes the item. One that does not exist is deleted: a request that was repeated may have done so. */
  async delete(id: number, { signal }: Abortable = {}): Promise<void> {
    await this.#delete(id, { signal });
  }

  /** Deletes the item as `delete` does, and waits until lists do not show it. @throws Error if they may still do so in the end */
  async deleteAndWait(id: number, { signal, timeoutSeconds = 60 }: Abortable & Timeout = {}): Promise<void> {
    const deadline = performance.now() + timeoutSeconds * 1_000;
    const deleted = await this.#delete(id, { signal, headers: { Prefer: preferWait(timeoutSeconds) } });
    await this.#untilGone(id, deleted, deadline, { what: 'deleted', signal });
  }

  async #untilGone(id: number, response: Response | undefined, deadline: number, { what, signal }: Abortable & { what: string }) {
    if (response?.headers.has('Preference-Applied')) return;
    while (await this.#findById(id, signal).catch(() => true)) {
      if (performance.now() > deadline) throw new Error(`Item ${id} is ${what}, but lists may still show it.`);
      await delay(POLL_EVERY_MS, signal);
    }
  }

  async #delete(id: number, options: Abortable & { headers?: Record<string, string> }): Promise<Response | undefined> {
    try {
      return (await this.deleteContent({ path: { id }, ...options })).response;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'item-unknown') return undefined;
      throw error;
    }
  }

  /** The prompt `#7` finds the item 7 first. */
  async #findById(id: number, signal?: AbortSignal): Promise<ContentSummary | undefined> {
    const query = { prompt: `#${id}`, sort: ['relevance' as const], size: 1, fields: 'summary' as const };
    const { content } = (await this.listContent({ query, signal, fetch: this.#fetchWith(POLL_RETRIES) })).data as ContentSummaryPage;
    return content.find(({ contentId }) => contentId === id);
  }

  /**
   * An indexed item is in lists after the next refresh of the index. A list that shows this state or a newer one shows the
   * change. A request that fails says nothing new: the item is stored, and its caller must not store it again.
   */
  async #untilListed({ contentId: id, updatedAt }: Written, { headers }: Response, deadline: number, signal?: AbortSignal): Promise<void> {
    if (headers.has('Preference-Applied')) return;
    let known: IndexStatus = { contentId: id, revision: UNKNOWN_REVISION, status: 'pending' };
    for (;;) {
      const last = known;
      const fetch = this.#fetchWith(POLL_RETRIES);
      known = await this.getIndexStatus({ path: { id }, signal, fetch }).then(({ data }) => data, () => last); // prettier-ignore
      const isIndexed = known.status === 'indexed';
      const listed = isIndexed ? await this.#findById(id, signal).catch(() => undefined) : undefined;
      if (listed && listed.updatedAt >= updatedAt) return;
      if (!(isIndexed || known.status === 'pending') || performance.now() > deadline) throw new NotSearchableError(known);
      await delay(POLL_EVERY_MS, signal);
    }
  }

  /**
   * The picture of an item, for `URL.createObjectURL` or a file. Lists say with `include: ['thumbnail']` which items have one.
   * @throws ProblemError 404 `thumbnail-unknown` for an item without one
   */
  async thumbnail(id: number, { signal }: Abortable = {}): Promise<Blob> {
    return (await this.getThumbnail({ path: { id }, parseAs: 'blob', signal })).data;
  }

  /** One page of a list. `listContent` also gives its headers. */
  async list<Q extends ListQuery>(query?: Q, { signal }: Abortable = {}): Promise<PageOf<Q>> {
    return (await this.listContent({ query, signal })).data as PageOf<Q>;
  }

  /**
   * The pages of a list without their totals, from `query.page` on. In the order `createdAt,desc`, which is the default, an
   * item that stays in the list is in exactly one of them, whatever changes meanwhile. In other orders, changes may move items
   * to a page that was read before, or to a second one. An error that ends them tells where: `placeOf`.
   */
  async *pages<Q extends ListQuery>(query?: Q, { signal }: Abortable = {}): AsyncGenerator<SliceOf<Q>, void> {
    const { page: first = 0, after: place, include: included = [], ...list } = query ?? ({} as Q);
    const include = [...new Set([...included, 'next' as const])];
    let position: WalkPlace & { page?: number } = place === undefined ? { page: first } : { after: place };
    for (;;) {
      const { data } = await this.listContent({ query: { ...list, include, ...position, totals: false }, signal }).catch(
        (error: unknown) => {
          // The reason of an abort is not the walk's own.
          throw signal?.aborted ? error : stoppedAt(error, position);
        },
      );
      yield data as SliceOf<Q>;
      if (data.last) return;
      position = typeof data.next === 'string' ? { after: data.next } : { page: (position.page ?? 0) + 1 };
    }
  }

  /** The items of `pages`. */
  async *items<Q extends ListQuery>(query?: Q, options: Abortable = {}): AsyncGenerator<ItemOf<Q>, void> {
    for await (const { content } of this.pages(query, options)) yield* content as ItemOf<Q>[];
  }
}

/**
 * The item is stored, but lists do not show it: it is not indexed or not refreshed in time, or was rejected. `indexStatus` is
 * what is known last; its revision is 0 if no request for it succeeded.
 */
export class NotSearchableError extends Error {
  override readonly name = 'NotSearchableError';
  readonly indexStatus: IndexStatus;

  constructor(indexStatus: IndexStatus) {
    super(`Item ${indexStatus.contentId} is stored, but lists do not show it: it is ${indexStatus.status}.`);
    this.indexStatus = indexStatus;
  }
}

function toItem({ content_id: contentId, creator, contentDates, ...fields }: Uploaded): UploadedItem {
  const { user_id: creatorId, username: creatorName } = creator;
  const { created_at: createdAt, updated_at: updatedAt } = contentDates;
  return { contentId, creatorId, creatorName, ...fields, createdAt, updatedAt };
}

/** The service waits for at most 10 s. */
function preferWait(timeoutSeconds: number): string {
  return `wait=${Math.min(10, timeoutSeconds)}`;
}

/** crypto.randomUUID is missing from pages without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
