import { Piscina } from 'piscina';
import { renderPage, SearchFailed, type PageRequest } from './render-page.ts';

/** Handing an answer to the other thread takes about a millisecond; so does making a page of this size. */
const LARGE_BYTES = 256 * 1_024;
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Makes pages. Large ones are made in a second thread: parsing and printing 32 MiB takes some 300 ms, during which the API could answer
 * nobody else.
 */
export class PageRenderer {
  readonly #thread = new Piscina({
    filename: new URL('./render-page-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
  });

  /**
   * @param answer the body of a search answer; it can't be used afterwards
   * @throws SearchFailed · the signal's reason
   */
  async render(answer: Uint8Array<ArrayBuffer>, request: PageRequest, signal: AbortSignal): Promise<Buffer> {
    if (answer.byteLength < LARGE_BYTES) return renderPage(answer, request);
    const rendered = this.#thread.run({ answer, request }, { signal, transferList: [answer.buffer] }) as Promise<Uint8Array<ArrayBuffer>>;
    const page = await rendered.catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new SearchFailed('the page could not be made', { cause });
    });
    return Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  }

  async close(): Promise<void> {
    await this.#thread.destroy();
  }
}
