import { createStore, useStore } from '../../shared/store.ts';
import type { View } from '../location/query-string.ts';
import { listItems } from './content.ts';
import { neighboursOf, type Listed } from './neighbours.ts';
import type { ContentSummaryPage } from './types.ts';

/** The list that is shown, so that an open item leads to its neighbours. */
const listed = createStore<Listed | undefined>(undefined);

export function showListed(view: View, page: ContentSummaryPage): void {
  listed.set({ view, ids: idsOf(page), pageCount: page.totalPages });
}

export function useNeighbours(item: number): ReturnType<typeof neighboursOf> {
  return neighboursOf(useStore(listed), item, async (view) => idsOf(await listItems(view)));
}

function idsOf({ content }: ContentSummaryPage): number[] {
  return content.map(({ contentId }) => contentId);
}
