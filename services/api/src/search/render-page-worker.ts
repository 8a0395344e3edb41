import { move } from 'piscina';
import { renderPage, type PageRequest } from './render-page.ts';

/** The entry point of the worker thread of `PageRenderer`. */
export default function render({ response, request }: { response: Uint8Array<ArrayBuffer>; request: PageRequest }) {
  return move(renderPage(response, request));
}
