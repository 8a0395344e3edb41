import type { PictureField } from '@ugc/shared/contracts/content';
import type { Session } from '../session.ts';

type WithPicture = { contentId?: number | undefined; hasThumbnail?: boolean | undefined };

/** Says of completions that are items whether they have a thumbnail. Reads the documents of these alone: they may be large. */
export async function withPictures<T extends WithPicture>(session: Session, completions: T[]): Promise<T[]> {
  const ids = completions.flatMap(({ contentId }) => (contentId === undefined ? [] : [String(contentId)]));
  if (ids.length === 0) return completions;
  const search = { query: { ids: { values: ids } }, size: ids.length, track_total_hits: false, _source: ['hasThumbnail'] };
  const [found] = await session.searchMany([search]);
  const known = new Map((found?.hits.hits ?? []).map(({ _id, _source }) => [Number(_id), _source as Partial<PictureField> | undefined]));
  return completions.map((completion) => ({ ...completion, ...known.get(completion.contentId ?? NaN) }));
}
