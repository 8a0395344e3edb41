import { render, type VNode } from 'preact';
import './own-texts.ts';

/** Shows the page in place of what was drawn until its script was loaded: `render` alone leaves that where it is. */
export function showPage(page: VNode): void {
  const root = document.querySelector('#page') as HTMLElement;
  root.replaceChildren();
  render(page, root);
}
