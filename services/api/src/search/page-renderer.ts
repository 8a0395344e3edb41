import { Piscina } from 'piscina';
import type { Hold } from '../limits/shares.ts';
import { RENDERING_THREADS } from '../limits/traffic.ts';
import { IndexMoved, SearchFailed } from './response.ts';
import { ownMemory, renderPage, type PageRequest } from './render-page.ts';

/** Transferring a response to the worker thread takes about 1 ms, as long as rendering a page of this size. */
const LARGE_BYTES = 256 * 1_024;
/** Finding the marks in so many units of searched text takes up to 20 ms. */
const MARKED_UNITS_MAX = 32_768;
const IDLE_TIMEOUT_MS = 60_000;

/** Renders pages, large ones in a worker thread: parsing and serializing 32 MiB blocks a thread for 300 ms. */
export class PageRenderer {
  readonly #threads = new Piscina({
    filename: new URL('./render-page-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: RENDERING_THREADS.process,
    idleTimeout: IDLE_TIMEOUT_MS,
  });

  /**
   * The response may be transferred, and must not be used afterwards.
   * @param takeThread waits for the user's turn · @throws SearchFailed · IndexMoved · errors of `takeThread`
   */
  async render(response: Buffer, request: PageRequest, takeThread: () => Promise<Hold>): Promise<Buffer> {
    const isSmall = response.byteLength + (request.data?.bytes ?? 0) < LARGE_BYTES;
    const page = isSmall ? renderPage(response, request, { markedUnitsMax: MARKED_UNITS_MAX }) : undefined;
    if (page) return page;
    const thread = await takeThread();
    try {
      return await this.#renderInThread(response, request);
    } finally {
      thread.release();
    }
  }

  /** It cannot be aborted: Piscina would end the thread, and start no other for pages that wait. */
  async #renderInThread(response: Buffer, request: PageRequest): Promise<Buffer> {
    const transferable = ownMemory(response);
    const task = this.#threads.run({ response: transferable, request }, { transferList: [transferable.buffer] });
    const page = await (task as Promise<Uint8Array<ArrayBuffer> | undefined>).catch((cause: unknown) => {
      throw new SearchFailed('rendering the page failed', { cause });
    });
    if (!page) throw new IndexMoved();
    return Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  }

  async close(): Promise<void> {
    await this.#threads.destroy();
  }
}
