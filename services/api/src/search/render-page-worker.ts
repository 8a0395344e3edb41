import { move } from 'piscina';
import { IndexMoved } from './response.ts';
import { renderPage, type PageRequest } from './render-page.ts';

/**
 * The entry point of the worker thread of `PageRenderer`. @returns undefined for IndexMoved: errors lose their class
 */
export default function render({ response, request }: { response: Uint8Array<ArrayBuffer>; request: PageRequest }) {
  try {
    return move(renderPage(response, request) as Buffer<ArrayBuffer>);
  } catch (error) {
    if (error instanceof IndexMoved) return undefined;
    throw error;
  }
}
