import { HIDDEN_AT } from '@ugc/shared/contracts/hidden';
import { STORED_CONTENT, type StoredContent } from '@ugc/shared/contracts/content';
import type { Database } from '@ugc/shared/postgres/postgres';
import type { AuthenticatedUser } from '../account.ts';
import { fromRow, type ContentItem, type Hidden, type Marks, type PublicDownloads } from './content-item.ts';
import { hidingOf } from './hidden-content.ts';
import { marksOf, UNPUBLISHED } from './unpublished-content.ts';
import type { Unpublished } from './visibility.ts';

// Items that lists do not show, for those who may read them nevertheless.

/** The user whose request reads an item, and the key of an unlisted one that the request has. */
export type Reader = Pick<AuthenticatedUser, 'userId' | 'account' | 'mayModerate'> & { key: string | undefined };

const IS_OWN = `coalesce(c.creator_id = $3 or c.creator_id = (select user_id from users where credential collate "C" = $4), false)`;

/**
 * A hidden item is read by its creator and moderators, a draft by its creator, an item in review by both, and an unlisted one
 * by its creator and whoever has its key. The first parameter is the id of the item.
 */
const WITHHELD = `content c left join hidden_content h on h.content_id = c.content_id
  left join unpublished_content p on p.content_id = c.content_id`;
const MAY_READ = `c.content_id = $1 and c.deleted_at = ${HIDDEN_AT} and (h.content_id is not null or p.content_id is not null) and (${IS_OWN}
  or ($2 and (h.content_id is not null or p.kind = 'review')) or (h.content_id is null and p.access_key = $5))`;

/** What an item has instead of a document: null where nobody has hidden it, or where it is published. */
export type WithheldFacts = { hiddenAt: Date | null; reason: string | null } & (Unpublished | { kind: null });
export type WithheldRow = StoredContent & WithheldFacts & { isOwn: boolean };
/** Columns of `hidden_content h` and `unpublished_content p`. */
export const WITHHELD_FACTS = `h.hidden_at, h.reason, ${UNPUBLISHED}`;

const GET_WITHHELD = {
  name: 'get-withheld-content',
  text: `select ${STORED_CONTENT}, ${WITHHELD_FACTS}, ${IS_OWN} as is_own from ${WITHHELD} join users u on u.user_id = c.creator_id
    where ${MAY_READ}`,
};

/** @returns undefined unless the item is hidden or unpublished, and the reader may read it */
export async function getWithheldContent(database: Database, contentId: number, reader: Reader): Promise<WithheldRow | undefined> {
  const [row] = await database.query<WithheldRow>(GET_WITHHELD, parametersOf(contentId, reader));
  return row;
}

const GET_WITHHELD_THUMBNAIL = {
  name: 'get-withheld-thumbnail',
  text: `select t.media_type, t.bytes from ${WITHHELD} join content_thumbnail t on t.content_id = c.content_id where ${MAY_READ}`,
};

/** @returns undefined unless the item is hidden or unpublished, has a thumbnail, and the reader may read it */
export async function getWithheldThumbnail(database: Database, contentId: number, reader: Reader) {
  const [row] = await database.query<{ mediaType: string; bytes: Buffer }>(GET_WITHHELD_THUMBNAIL, parametersOf(contentId, reader));
  return row;
}

function parametersOf(contentId: number, { userId, account, mayModerate, key }: Reader): unknown[] {
  return [contentId, mayModerate, userId ?? null, account?.credential ?? null, key ?? null];
}

/** @param isOwn whether the creator reads the item */
export function withheldMarks(row: WithheldFacts, isOwn: boolean): { hidden?: Hidden; marks?: Marks } {
  const { hiddenAt, reason } = row;
  return {
    ...(hiddenAt && { hidden: hidingOf({ hiddenAt, reason: reason ?? '' }) }),
    ...(row.kind && { marks: marksOf(row, isOwn) }),
  };
}

export function toWithheldItem(row: WithheldRow, downloads: PublicDownloads): { item: ContentItem; marks: Marks | undefined } {
  const { hidden, marks } = withheldMarks(row, row.isOwn);
  return { item: { ...fromRow(row, downloads), ...(hidden && { hidden }) }, marks };
}
