import { nextRevision } from '@ugc/shared/contracts/unpublished';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Tx } from '@ugc/shared/postgres/postgres';
import type { Heat } from '../changes/popularity.ts';
import type { LockedItem, Target } from './change-items.ts';
import type { ImportLine } from './import-line.ts';

/** Fields that only a new item takes, unless an import updates the counters. */
export type IgnoredField =
  'createdAt' | 'creator' | 'creatorId' | 'creator.username' | 'hidden' | 'visibility' | 'publishAt' | keyof Counters;
type Counters = Pick<ImportLine, 'downloadsCount' | 'latestDownloadsCount' | 'userDownloads' | 'latestUserDownloads' | 'heat' | 'ratings'>;

/** @returns the fields of a line that say something new about an item, and that an edit does not take */
export function newsOf({ line, importedDownloads: imported }: Target, item: CountedItem | undefined): IgnoredField[] {
  if (!item) return [];
  const own = item.downloadsCount - (imported ?? item.downloadsCount);
  const ratings = importedRatings(item);
  const news: Record<IgnoredField, boolean> = {
    createdAt: differs(line.createdAt, item.createdAt.getTime()),
    creatorId: differs(line.creatorId, item.creatorId),
    creator: differs(line.creator?.credential, item.credential),
    'creator.username': line.creator?.credential === item.credential && differs(line.creator.username, item.creatorName),
    hidden: differs(line.hidden?.reason, item.hiddenReason),
    ...newsOfVisibility(line, item),
    downloadsCount: differs(line.downloadsCount, item.downloadsCount - own),
    latestDownloadsCount: differs(line.latestDownloadsCount, item.latestDownloadsCount - own),
    heat: isHotter(line.heat, item.heatWeek),
    ratings: differs(line.ratings?.count, ratings.count) || differs(line.ratings?.sum, ratings.sum),
    ...newsByUsers(line, item, own),
  };
  return (Object.keys(news) as IgnoredField[]).filter((field) => news[field]);
}

function newsOfVisibility({ visibility, publishAt }: ImportLine, { kind, publishAt: stored }: CountedItem) {
  const at = stored ? stored.getTime() : null;
  return { visibility: differs(visibility, kind ?? 'public'), publishAt: differs(publishAt ?? undefined, at) };
}

/** @param own how many downloads were counted here: how many of them are by users is not known */
function newsByUsers(line: ImportLine, item: CountedItem, own: number): Record<keyof UserDownloads, boolean> {
  const news = own === 0 ? userDownloadsOf(line, item) : {};
  return { userDownloads: 'userDownloads' in news, latestUserDownloads: 'latestUserDownloads' in news };
}

/** What a line lacks says nothing. */
function differs<T>(given: T | undefined, stored: T | null): boolean {
  return given !== undefined && given !== stored;
}

/** What has happened here makes an item hotter than the line. */
function isHotter(given: Heat | undefined, stored: number | null): boolean {
  return given !== undefined && given.week > (stored ?? -Infinity) + ROUNDING;
}

/** Far below what an event adds to the hottest item. */
const ROUNDING = 1e-9;

/** Those that no user of this service has given. */
function importedRatings({ ratingCount, ratingSum, ownRatings }: CountedItem): Ratings {
  return { count: ratingCount - ownRatings.count, sum: ratingSum - ownRatings.sum };
}

type Ratings = { count: number; sum: number };
/** `ownRatings`: those that users of this service have given. */
export type CountedItem = LockedItem & { ownRatings: Ratings };

/** Reads the ratings by users only where it matters. @returns the items of the targets */
export async function withOwnRatings(tx: Tx, targets: Target[], stored: Map<number, LockedItem>): Promise<CountedItem[]> {
  const ids = targets.flatMap(({ line: { ratings }, contentId }) => {
    const item = stored.get(contentId);
    return item && ratings && (ratings.count !== item.ratingCount || ratings.sum !== item.ratingSum) ? [contentId] : [];
  });
  const text = `select content_id, count(*) as count, sum(score) as sum from rating where content_id = any($1::bigint[]) group by content_id`;
  const rows = ids.length === 0 ? [] : await tx.query<Ratings & { contentId: number }>(text, [ids]);
  const own = new Map(rows.map(({ contentId, ...ratings }) => [contentId, ratings]));
  return [...stored.values()].map((item) => ({ ...item, ownRatings: own.get(item.contentId) ?? { count: 0, sum: 0 } }));
}

/** The counters that change. */
type UserDownloads = { userDownloads?: number; latestUserDownloads?: number };
export type Update = UserDownloads & { downloadsCount?: number; latestDownloadsCount?: number; ratings?: Ratings };

/** @returns what the lines change of items that have no downloads, or no ratings, of their own, by their ids */
export function countersOf(targets: Target[], items: Map<number, CountedItem>): Map<number, Update> {
  const updates = new Map<number, Update>();
  for (const target of targets) {
    const item = items.get(target.contentId);
    const update = item && { ...downloadsOf(target, item), ...ratingsOf(target, item) };
    if (update && Object.keys(update).length > 0) updates.set(target.contentId, update);
  }
  return updates;
}

function downloadsOf({ line, importedDownloads }: Target, item: CountedItem): Update {
  if (importedDownloads !== item.downloadsCount) return {};
  const { downloadsCount = item.downloadsCount, latestDownloadsCount = item.latestDownloadsCount } = line;
  const latest = Math.min(latestDownloadsCount, downloadsCount);
  return {
    ...(downloadsCount !== item.downloadsCount && { downloadsCount }),
    ...(latest !== item.latestDownloadsCount && { latestDownloadsCount: latest }),
    ...userDownloadsOf(line, item),
  };
}

/** Without them in the line, as many downloads as before are not by users. */
function userDownloadsOf(
  { downloadsCount, latestDownloadsCount, userDownloads, latestUserDownloads }: ImportLine,
  item: CountedItem,
): UserDownloads {
  // What is stored is the difference to all downloads, so it is also given again when these change.
  const isNew = differs(downloadsCount, item.downloadsCount) || differs(userDownloads, item.userDownloads);
  const isNewLatest = differs(latestDownloadsCount, item.latestDownloadsCount) || differs(latestUserDownloads, item.latestUserDownloads);
  return {
    ...(userDownloads !== undefined && isNew && { userDownloads }),
    ...(latestUserDownloads !== undefined && isNewLatest && { latestUserDownloads }),
  };
}

function ratingsOf({ line: { ratings } }: Target, { ownRatings, ratingCount, ratingSum }: CountedItem): Update {
  const isNew = ratings && (ratings.count !== ratingCount || ratings.sum !== ratingSum);
  return isNew && ownRatings.count === 0 ? { ratings } : {};
}

/** @param updates by the ids of items that are locked */
export async function updateCounters(tx: Tx, updates: Map<number, Update>): Promise<ItemRevision[]> {
  if (updates.size === 0) return [];
  const column = (of: (update: Update) => number | undefined) => [...updates.values()].map((update) => of(update) ?? null);
  return tx.query<ItemRevision>(
    `update content c set downloads_count = coalesce(u.downloads, c.downloads_count),
       latest_downloads_count = coalesce(u.latest, c.latest_downloads_count),
       other_downloads = coalesce(coalesce(u.downloads, c.downloads_count) - u.users, least(c.other_downloads, u.downloads)),
       latest_other_downloads = coalesce(coalesce(u.latest, c.latest_downloads_count) - u.latest_users,
         least(c.latest_other_downloads, u.latest)),
       rating_count = coalesce(u.ratings, c.rating_count), rating_sum = coalesce(u.sum, c.rating_sum), revision = ${nextRevision('c')}
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
       u (content_id, downloads, latest, ratings, sum, users, latest_users)
     where c.content_id = u.content_id returning c.content_id, c.revision`,
    [
      [...updates.keys()],
      column(({ downloadsCount }) => downloadsCount),
      column(({ latestDownloadsCount }) => latestDownloadsCount),
      column(({ ratings }) => ratings?.count),
      column(({ ratings }) => ratings?.sum),
      column(({ userDownloads }) => userDownloads),
      column(({ latestUserDownloads }) => latestUserDownloads),
    ],
  );
}
