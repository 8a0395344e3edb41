import { rowIsKept } from '@ugc/shared/contracts/hidden';
import {
  HAS_THUMBNAIL,
  LATEST_USER_DOWNLOADS,
  precedingBytes,
  USER_DOWNLOADS,
  WRITTEN,
  type StoredContent,
  type WrittenContent,
} from '@ugc/shared/contracts/content';
import type { Database } from '@ugc/shared/postgres/postgres';
import { toColumn } from '@ugc/shared/postgres/statements';
import { toTimestamp } from '../changes/content-item.ts';
import { UNPUBLISHED } from '../changes/unpublished-content.ts';
import { visibilityOf, type JoinedUnpublished } from './unpublished-line.ts';
import { exportBlocks, exportRatings, exportUsers, type Written } from './export-people.ts';
import { EXTERNAL_ID, externalIdOf, ownPrefix } from './external-id.ts';
import { firstLine, lastLine, type Selection } from './file-ends.ts';
import type { ItemLine } from './import-line.ts';

import { hashOf } from '../people/blocked-users.ts';
import { RESERVED_USER } from '../people/erase-user.ts';

/**
 * `hasPeople`: with lines of users, ratings and blocks; the lines of the items are then without the ratings that have lines.
 * `creatorId`: only the items of this user, as a copy for the user, which does not name who hid them.
 */
type ExportOptions = Selection & { hasThumbnails: boolean; hasPeople?: boolean; creatorId?: number };

type Counted =
  | 'createdAt'
  | 'updatedAt'
  | 'downloadsCount'
  | 'latestDownloadsCount'
  | 'userDownloads'
  | 'latestUserDownloads'
  | 'heatWeek'
  | 'ratingCount';
type Row = WrittenContent &
  Pick<StoredContent, 'contentId' | Counted> & {
    externalId: string | null;
    credential: string;
    username: string;
    ratingSum: number;
    heatDay: number | null;
    hasThumbnail: boolean;
    thumbnail: Buffer | null;
    hiddenAt: Date | null;
    hiddenBy: string | null | undefined;
    byBlock: boolean | null;
    reason: string | null;
  } & JoinedUnpublished;

const SLICE_ITEMS = 500;
const SLICE_BYTES = 2 * 1_024 * 1_024;

const COLUMNS = WRITTEN.map((field) => `c.${toColumn(field)}`).join(', ');
/** Each slice is a statement of its own, so that no transaction stays open while the lines are read. */
const SLICE = `
  select c.content_id, ${EXTERNAL_ID} as external_id, u.credential, u.username, ${COLUMNS}, c.created_at, c.updated_at,
    c.downloads_count, c.latest_downloads_count, ${USER_DOWNLOADS} as user_downloads, ${LATEST_USER_DOWNLOADS} as latest_user_downloads,
    c.heat_day, c.heat_week, c.rating_count - r.count as rating_count, c.rating_sum - r.sum as rating_sum, ${HAS_THUMBNAIL} as has_thumbnail,
    t.bytes as thumbnail,
    h.hidden_at, h.hidden_by, h.by_block, h.reason, ${UNPUBLISHED}
  from (
    select c.*, ${precedingBytes('c.content_id')} + coalesce(sum(octet_length(t.bytes))
      over (order by c.content_id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
      select * from content where content_id > $1 and content_id <= $6 and ${rowIsKept('content')}
        and ($3::bigint is null or creator_id = $3) and ($4::text is null or tags @> array[$4]) and ($5::timestamptz is null or updated_at >= $5)
      order by content_id limit ${SLICE_ITEMS}
    ) c left join content_thumbnail t on t.content_id = c.content_id and $2
  ) c
  join users u on u.user_id = c.creator_id
  left join content_thumbnail t on t.content_id = c.content_id and $2
  left join hidden_content h on h.content_id = c.content_id
  left join unpublished_content p on p.content_id = c.content_id
  cross join lateral (select count(*) as count, coalesce(sum(score), 0) as sum from rating where $7 and content_id = c.content_id) r
  where c.bytes_before < ${SLICE_BYTES} order by c.content_id`;

/** The lines of the selected items between a first line, which announces the last one, and the last line, which has their number. */
export async function* exportFile(database: Database, options: Omit<ExportOptions, 'creatorId'>): AsyncGenerator<object> {
  const { hasThumbnails: _, hasPeople = false, ...selection } = options;
  const prefix = await ownPrefix(database);
  yield firstLine(prefix, toTimestamp(new Date()), selection);
  let lines = 0;
  const written: Written = { userId: RESERVED_USER, contentId: selection.after ?? 0 };
  const items = exportItems(database, options);
  const withPeople = () => [exportUsers(database, written), items, exportRatings(database, prefix, written), exportBlocks(database)];
  const parts = hasPeople ? withPeople() : [items];
  for (const part of parts) {
    for await (const line of part) {
      yield line;
      lines += 1;
      if ('contentId' in line) written.contentId = line.contentId;
    }
  }
  yield lastLine(lines);
}

/**
 * The lines of an import, in the order of the ids. An item that exists all the time is in exactly one line.
 * @throws errors of the database
 */
async function* exportItems(database: Database, options: ExportOptions): AsyncGenerator<ItemLine & { contentId: number }> {
  const prefix = await ownPrefix(database);
  for await (const rows of slicesOf(database, options))
    for (const row of rows) yield toLine(options.creatorId === undefined ? row : { ...row, hiddenBy: undefined, byBlock: false }, prefix);
}

async function* slicesOf(database: Database, options: ExportOptions): AsyncGenerator<Row[]> {
  const { hasThumbnails, hasPeople, creatorId, tag, updatedFrom } = options;
  const isSparse = (tag ?? updatedFrom) !== undefined;
  const filters = [creatorId, tag, updatedFrom].map((value) => value ?? null);
  for (let { after = 0 } = options; ;) {
    const to = isSparse ? await endOfWindow(database, after) : Number.MAX_SAFE_INTEGER;
    const rows = await database.query<Row>(SLICE, [after, hasThumbnails, ...filters, to, hasPeople === true]);
    const last = rows.at(-1);
    if (to === null || (!last && !isSparse)) return;
    yield rows;
    after = last?.contentId ?? to;
  }
}

/** A statement that looks for few items among many reads no more than so many. */
const WINDOW_ITEMS = 10_000;

/** @returns null if there are no further items */
async function endOfWindow({ query }: Pick<Database, 'query'>, after: number): Promise<number | null> {
  const [row] = await query<{ end: number | null }>(
    `select max(content_id) as end from (select content_id from content where content_id > $1 order by content_id limit ${WINDOW_ITEMS}) c`,
    [after],
  );
  return row?.end ?? null;
}

/** @returns 0 without items */
export async function lastContentId({ query }: Pick<Database, 'query'>): Promise<number> {
  const [row] = await query<{ last: number | null }>('select max(content_id) as last from content');
  return row?.last ?? 0;
}

function toLine(row: Row, prefix: string): ItemLine & { contentId: number } {
  const {
    contentId,
    externalId,
    credential,
    username,
    thumbnail,
    ratingCount,
    ratingSum,
    hiddenAt,
    hiddenBy: by,
    byBlock,
    reason,
    fields,
    userDownloads,
    latestUserDownloads,
    heatDay,
    heatWeek,
    ...others
  } = row;
  const { kind, since, publishAt, mayPublish, wasPublic, accessKey, wantsUnlisted, refusedAt, refusedReason, ...item } = others;
  const joined = { kind, since, publishAt, mayPublish, wasPublic, accessKey, wantsUnlisted, refusedAt, refusedReason };
  return {
    externalId: externalIdOf({ externalId, contentId }, prefix),
    contentId,
    creator: { credential, username },
    ...item,
    ...(Object.keys(fields).length > 0 && { fields }),
    createdAt: toTimestamp(item.createdAt),
    updatedAt: toTimestamp(item.updatedAt),
    // An item whose downloads all count has the line of 1.0.0.
    ...(userDownloads !== item.downloadsCount && { userDownloads }),
    ...(latestUserDownloads !== Math.min(item.latestDownloadsCount, userDownloads) && { latestUserDownloads }),
    ...(heatDay !== null && heatWeek !== null && { heat: { day: heatDay, week: heatWeek } }),
    ratings: { count: ratingCount, sum: ratingSum },
    ...(thumbnail && { thumbnail: thumbnail.toString('base64') }),
    ...(hiddenAt && { hidden: { since: toTimestamp(hiddenAt), by, reason: reason ?? '', ...(byBlock && { byBlock }) } }),
    ...visibilityOf(joined),
  };
}

/**
 * What is stored of one person: the user, the own items as lines of an import, and the ratings of items of others. The
 * reason of a block is for operators.
 * @returns undefined if there is no such user · @throws errors of the database
 */
export async function exportUser(database: Database, userId: number): Promise<AsyncGenerator<object> | undefined> {
  const [user] = await database.query(
    `select user_id, username, credential, created_at, (
       select min(blocked_at) from blocked_user b where b.user_id = u.user_id or b.credential_hash = ${hashOf('credential')}
     ) as blocked_at from users u where user_id = $1`,
    [userId],
  );
  return user && linesOf(database, userId, user);
}

async function* linesOf(database: Database, userId: number, user: object): AsyncGenerator<object> {
  yield { user };
  yield* exportItems(database, { hasThumbnails: true, creatorId: userId });
  for (let after: number | undefined = 0; after !== undefined;) {
    const ratings: { contentId: number; score: number }[] = await database.query(
      'select content_id, score from rating where user_id = $1 and content_id > $2 order by content_id limit 1000',
      [userId, after],
    );
    for (const rating of ratings) yield { rating };
    after = ratings.at(-1)?.contentId;
  }
}
