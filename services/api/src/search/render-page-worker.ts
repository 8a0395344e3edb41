import { move } from 'piscina';
import { IndexMoved } from './response.ts';
import { ownMemory, renderPage, type PageRequest } from './render-page.ts';

/**
 * The entry point of the worker thread of `PageRenderer`. @returns undefined for IndexMoved: errors lose their class
 */
export default function render({ response, request }: { response: Uint8Array<ArrayBuffer>; request: PageRequest }) {
  try {
    const page = renderPage(response, request);
    return page && move(ownMemory(page));
  } catch (error) {
    if (error instanceof IndexMoved) return undefined;
    throw error;
  }
}
