import type { ContentItem } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { parseView } from '../location/query-string.ts';
import { closeDialog } from '../location/view.ts';
import { session } from '../token/session.ts';

type Decided = Pick<ContentItem, 'creatorId' | 'visibility'>;

/**
 * Reads the item again that a moderator has decided about. One that only its creator, and whoever has its link, see by now is
 * closed: to the moderator, there is no such item.
 */
export function readOrClose(decided: Decided): void {
  if (!isReadByModerator(decided)) closeDialog();
  readAgain();
}

function isReadByModerator({ creatorId, visibility = 'public' }: Decided): boolean {
  const isSeen = visibility === 'public' || visibility === 'review';
  const hasLink = visibility === 'unlisted' && parseView(location.search).key !== undefined;
  return isSeen || hasLink || session.get().user?.userId === creatorId;
}
