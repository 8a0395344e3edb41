import { move } from 'piscina';
import { renderPage, type PageRequest } from './render-page.ts';

/** Runs in a thread of its own; see `PageRenderer`. */
export default function render({ answer, request }: { answer: Uint8Array<ArrayBuffer>; request: PageRequest }) {
  return move(renderPage(answer, request));
}
