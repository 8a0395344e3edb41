import { createStore } from '../../shared/store.ts';
import type { View } from '../location/query-string.ts';
import { withoutDeleted } from './deletions.ts';
import type { Listed } from './neighbours.ts';
import type { ListPage } from './types.ts';

/** The list that is shown, so that an open item leads to its neighbours. */
export const listed = createStore<Listed | undefined>(undefined);

export function showListed(view: View, page: ListPage): void {
  listed.set({ view, ids: idsOf(page), isLast: page.last });
}

export function idsOf(page: ListPage): number[] {
  return withoutDeleted(page).content.map(({ contentId }) => contentId);
}
