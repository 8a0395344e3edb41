import type { Definitions } from '@ugc/fields/definition';
import { nonNegativeInt32, positive } from '@ugc/shared/contracts/content';
import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { insertPending } from '@ugc/shared/outbox/mark-pending';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import { sqlStateOf } from '@ugc/shared/postgres/errors';
import type { Database, Query } from '@ugc/shared/postgres/postgres';
import { activeTraceparent } from '@ugc/shared/tracing/spans';
import { z } from 'zod';
import type { UploadLimits } from '../fields/limits.ts';
import { noSuchUser } from '../problems/problem.ts';
import { toTimestamp } from './content-item.ts';
import { checkItem, throwIfBroken, type Checked } from './item-rules.ts';
import { HEAT_COLUMNS, PUBLISHED_HEAT } from './popularity.ts';
import { claimKey, hashUpload, storeOutcome, type IdempotencyKey } from './idempotency.ts';
import { storeThumbnail } from './thumbnail-store.ts';
import { composeTexts, type Upload } from '../fields/upload-schema.ts';
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
    contentDates: z.object({ content_id: positive, created_at: timestamp, updated_at: timestamp }),
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

type UploadRules = { key: IdempotencyKey | undefined; limits: UploadLimits; declared: Definitions };

/**
 * Stores an upload and its outbox row in one transaction, so that a stored item is indexed even after a crash.
 * The first response to a key is repeated even if the upload exceeds limits that are newer.
 * @throws Problem 400 if a rule is broken · 403 when the creator does not exist · 422 when the key was used for a different upload
 */
export async function createContent(database: Database, upload: Upload, { key, ...rules }: UploadRules): Promise<Uploaded> {
  const item = composeTexts(upload);
  const check = (): Checked<Upload> => checkItem({ before: undefined, edit: item, picture: item.thumbnail }, rules);
  const valid = key ? undefined : check();
  if (valid && !item.thumbnail) return toUploadResponse(item, await insertContent(database.write, valid));
  return database.transaction(async (tx) => {
    // The hash of earlier processes is that of the texts as sent.
    const first = key && (await claimKey<Created>(tx, key, hashUpload(upload, rules.declared)));
    if (first) return toUploadResponse(item, first);
    const created = await insertContent(tx.query, valid ?? check());
    if (item.thumbnail) await storeThumbnail(tx, created.contentId, item.thumbnail);
    if (key) await storeOutcome(tx, key, created);
    return toUploadResponse(item, created);
  });
}

async function insertContent(query: Query, upload: Checked<Upload>): Promise<Created> {
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

function toUploadResponse(upload: Upload, created: Created): Uploaded {
  return {
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
  };
}
