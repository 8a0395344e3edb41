/** What only the parts of the page read that are loaded later. */
import { formatList, listOf, type View } from '../location/query-string.ts';
import { pathOf, read, shelfOf, withKey } from './content.ts';
import { learnNames } from './creator-names.ts';
import { withoutDeleted } from './deletions.ts';
import { RequestFailed, send } from './request.ts';
import type { ContentSummary, ContentSummaryPage, ContentSummarySlice, Creator, OwnRating, SimilarSummaries } from './types.ts';

/** The number of items of a list that is not shown. */
export async function countItems(view: View, signal: AbortSignal): Promise<number> {
  const counted: View = { ...view, page: 0, size: 1 };
  const path = view.hidden ? shelfOf(counted) : `api/content?${formatList(counted)}&fields=summary`;
  const { totalElements, removed } = withoutDeleted((await read<ContentSummaryPage>({ path, signal })).body);
  return totalElements - removed;
}

export async function listSimilar(contentId: number, size: number, signal: AbortSignal): Promise<ContentSummary[]> {
  return (await send<SimilarSummaries>({ path: `${pathOf(contentId)}/similar?size=${size}&fields=summary&include=thumbnail`, signal })).body
    .content;
}

/** The newest items of a creator. */
export async function listOfCreator(creatorId: number, size: number, signal: AbortSignal): Promise<ContentSummary[]> {
  return listRow({ ...listOf(creatorId), size }, signal);
}

/** The first items of a list, without its total. Of a list that the index cannot have yet there are none. */
export async function listRow(view: View, signal: AbortSignal): Promise<ContentSummary[]> {
  const path = `api/content?${formatList(view)}&fields=summary&include=thumbnail&totals=false`;
  const answer = send<Pick<ContentSummarySlice, 'content'>>({ path, signal }).catch((error: unknown) => {
    if (error instanceof RequestFailed && !error.isTemporary) return { body: { content: [] } };
    throw error;
  });
  const { content } = (await answer).body;
  learnNames(content);
  return content;
}

/** @throws RequestFailed 404 without items in lists */
export async function readCreator(creatorId: number, signal: AbortSignal): Promise<Creator> {
  const { body } = await send<Creator>({ path: `api/users/${creatorId}`, signal });
  learnNames([{ creatorId, creatorName: body.username }]);
  return body;
}

/** @returns the user's own rating, 1 to 5; null without one */
export async function getRating(contentId: number, signal: AbortSignal): Promise<number | null> {
  return (await send<OwnRating>({ path: withKey(contentId, 'rating'), signal })).body.score;
}
