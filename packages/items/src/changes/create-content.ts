import type { Definitions } from '@ugc/fields/definition';
import { nonNegativeInt32, positive } from '@ugc/shared/contracts/content';
import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { insertPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import { sqlStateOf } from '@ugc/shared/postgres/errors';
import { HIDDEN_AT } from '@ugc/shared/contracts/hidden';
import type { Database, Query, Tx } from '@ugc/shared/postgres/postgres';
import { activeTraceparent } from '@ugc/shared/tracing/spans';
import { z } from 'zod';
import type { UploadLimits } from '../fields/limits.ts';
import { noSuchUser } from '../problems/problem.ts';
import { MARKS, toTimestamp, type Marks } from './content-item.ts';
import { checkItem, throwIfBroken, type Checked } from './item-rules.ts';
import { HEAT_COLUMNS, PUBLISHED_HEAT } from './popularity.ts';
import { claimKey, hashUpload, storeOutcome, type IdempotencyKey } from './idempotency.ts';
import { storeThumbnail } from './thumbnail-store.ts';
import { composeTexts, type Upload } from '../fields/upload-schema.ts';
import type { Asked } from '../fields/visibility-fields.ts';
import { insertUnpublished, marksOf, newAccessKey } from './unpublished-content.ts';
import { planVisibility, type Planned } from './visibility.ts';
import { AFTER_WRITTEN, WRITTEN_COLUMNS, WRITTEN_PARAMETERS, writtenValues } from './written-fields.ts';

const timestamp = z.string().meta({ format: 'date-time' });

/** The response to an upload. The specification defines these field names, unlike those of all other responses. */
export const Uploaded = z
  .object({
    content_id: positive,
    data: z.string(),
    creator: z.object({
      user_id: positive,
      username: z.string(),
      credential: z.string().describe('Public identifier of the account, such as `issuer|subject`.'),
    }),
    name: z.string(),
    description: z.string(),
    version: nonNegativeInt32,
    contentDates: z
      .object({ content_id: positive, created_at: timestamp, updated_at: timestamp })
      .describe('An item that is published later has the time of its first publication then.'),
    visibility: MARKS.visibility.optional().describe('Present if the upload asks for a visibility, or if the item is not public.'),
    publishAt: MARKS.publishAt.optional(),
    key: MARKS.key.optional(),
    afterReview: MARKS.afterReview.optional(),
  })
  .meta({ id: 'Uploaded' });
export type Uploaded = z.infer<typeof Uploaded>;

/** The dates are strings when read from `idempotency_key.outcome`. */
type Created = ItemRevision & {
  createdAt: Date | string;
  updatedAt: Date | string;
  userId: number;
  username: string;
  credential: string;
  marks?: Marks | undefined;
};

// One statement stores an item and its outbox row, so that an upload takes one round trip.
const INSERT_CONTENT = {
  name: 'insert-content',
  text: `with creator as (
       select user_id, username, credential from users where user_id = $1
     ), created as (
       insert into content (creator_id, ${WRITTEN_COLUMNS}, ${HEAT_COLUMNS})
       select user_id, ${WRITTEN_PARAMETERS}, ${PUBLISHED_HEAT} from creator
       returning content_id, created_at, updated_at, revision
     ), pending as (
       ${insertPending('created', { delayMs: '0', traceparent: AFTER_WRITTEN })}
     ), work as (${insertEmbeddingWork('created')})
     select created.*, creator.* from created, creator`,
};

/** Neither the outbox nor the queue of embeddings has anything of an item that is not public. */
const INSERT_UNPUBLISHED = {
  name: 'insert-unpublished',
  text: `with creator as (
       select user_id, username, credential from users where user_id = $1
     ), created as (
       insert into content (creator_id, deleted_at, ${WRITTEN_COLUMNS})
       select user_id, ${HIDDEN_AT}, ${WRITTEN_PARAMETERS} from creator
       returning content_id, created_at, updated_at, revision
     )
     select created.*, creator.* from created, creator`,
};

/** `mayPublish`: whether the token publishes without a review. */
type UploadRules = { key: IdempotencyKey | undefined; limits: UploadLimits; declared: Definitions; mayPublish?: boolean };

/** `isPublic`: whether lists will show the item. */
type Stored = { uploaded: Uploaded; isPublic: boolean };

/**
 * Stores an upload and its outbox row in one transaction, so that a stored item is indexed even after a crash.
 * The first response to a key is repeated even if the upload exceeds limits that are newer.
 * @throws Problem 400 if a rule is broken · 403 when the creator does not exist · 422 when the key was used for a different upload
 */
export async function createContent(
  database: Database,
  upload: Upload,
  { key, mayPublish = true, ...rules }: UploadRules,
): Promise<Stored> {
  const { visibility, publishAt, ...item } = composeTexts(upload);
  const asked = { visibility, publishAt };
  const check = (): Valid => ({
    item: checkItem({ before: undefined, edit: item, picture: item.thumbnail }, rules),
    planned: planVisibility(asked, 'new', { mayPublish }),
  });
  const valid = key ? undefined : check();
  if (valid && !valid.planned && !item.thumbnail) return toStored(item, asked, await insertContent(database.write, valid.item));
  return database.transaction(async (tx) => {
    // The hash of earlier processes is that of the texts as sent.
    const first = key && (await claimKey<Created>(tx, key, hashUpload(upload, rules.declared)));
    if (first) return toStored(item, asked, first);
    const created = await insertItem(tx, valid ?? check());
    if (item.thumbnail) await storeThumbnail(tx, created.contentId, item.thumbnail);
    if (key) await storeOutcome(tx, key, created);
    return toStored(item, asked, created);
  });
}

type Valid = { item: Checked<NewItem>; planned: Planned | undefined };
type NewItem = Omit<Upload, 'visibility' | 'publishAt'>;

async function insertItem(tx: Tx, { item, planned }: Valid): Promise<Created> {
  if (!planned) return insertContent(tx.query, item);
  const values = [item.creatorId, ...writtenValues(item)];
  const [created] = await tx.query<Created>(INSERT_UNPUBLISHED, values).catch(throwIfErased(item.creatorId));
  if (!created) throw noSuchUser(item.creatorId);
  const accessKey = planned.kind === 'unlisted' ? newAccessKey() : null;
  await insertUnpublished(tx, [{ contentId: created.contentId, creatorId: item.creatorId, accessKey, ...planned }]);
  return { ...created, marks: marksOf({ ...planned, accessKey, refusedAt: null, refusedReason: null }, true) };
}

async function insertContent(query: Query, upload: Checked<NewItem>): Promise<Created> {
  const values = [upload.creatorId, ...writtenValues(upload), activeTraceparent()];
  const [created] = await query<Created>(INSERT_CONTENT, values).catch(throwIfErased(upload.creatorId));
  if (!created) throw noSuchUser(upload.creatorId);
  return created;
}

const FOREIGN_KEY_VIOLATION = '23503';

/** Names the user who was erased while a statement waited. @throws Problem 403, 400 · the error of another cause */
export function throwIfErased(userId: number): (error: unknown) => never {
  return (error) => {
    if (sqlStateOf(error) === FOREIGN_KEY_VIOLATION) throw noSuchUser(userId);
    throwIfBroken(error);
  };
}

function toStored(upload: NewItem, { visibility }: Asked, created: Created): Stored {
  const marks = created.marks ?? (visibility && { visibility: 'public' });
  const uploaded = {
    content_id: created.contentId,
    data: upload.data,
    creator: { user_id: created.userId, username: created.username, credential: created.credential },
    name: upload.name,
    description: upload.description,
    version: upload.version,
    contentDates: {
      content_id: created.contentId,
      created_at: toTimestamp(new Date(created.createdAt)),
      updated_at: toTimestamp(new Date(created.updatedAt)),
    },
    ...marks,
  };
  return { uploaded, isPublic: created.marks === undefined };
}
