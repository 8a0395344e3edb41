import { Piscina } from 'piscina';
import { IndexMoved, SearchFailed } from './response.ts';
import { renderPage, type PageRequest } from './render-page.ts';

/** Transferring a response to the worker thread takes about 1 ms, as long as rendering a page of this size. */
const LARGE_BYTES = 256 * 1_024;
/** Finding the marks takes about ten times as long as the rest. */
const LARGE_BYTES_WITH_MARKS = 64 * 1_024;
const IDLE_TIMEOUT_MS = 60_000;

/** Renders pages, large ones in a worker thread: parsing and serializing 32 MiB blocks a thread for 300 ms. */
export class PageRenderer {
  readonly #thread = new Piscina({
    filename: new URL('./render-page-worker.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
  });

  /**
   * The response may be transferred, and must not be used afterwards. @throws SearchFailed, IndexMoved · the signal's
   * reason
   */
  async render(response: Buffer, request: PageRequest, signal: AbortSignal): Promise<Buffer> {
    const largeBytes = request.highlighted ? LARGE_BYTES_WITH_MARKS : LARGE_BYTES;
    if (response.byteLength < largeBytes) return renderPage(response, request);
    const transferable = ownMemory(response);
    const task = this.#thread.run({ response: transferable, request }, { signal, transferList: [transferable.buffer] });
    const page = await (task as Promise<Uint8Array<ArrayBuffer> | undefined>).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new SearchFailed('rendering the page failed', { cause });
    });
    if (!page) throw new IndexMoved();
    return Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  }

  async close(): Promise<void> {
    await this.#thread.destroy();
  }
}

/** Memory that the buffer shares with others cannot be transferred. */
function ownMemory(buffer: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer: memory } = buffer;
  return memory instanceof ArrayBuffer && memory.byteLength === buffer.byteLength ? new Uint8Array(memory) : new Uint8Array(buffer);
}
