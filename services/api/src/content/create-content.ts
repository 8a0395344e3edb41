import { insertEmbeddingWork } from '@ugc/shared/embeddings/embedding-work';
import { insertPending } from '@ugc/shared/outbox/mark-pending';
import type { Database, Query } from '@ugc/shared/stores/postgres';
import { activeTraceparent } from '@ugc/shared/tracing/spans';
import type { Limits } from '../env.ts';
import { Problem } from '../http/problem.ts';
import { assertWithinLimits } from './item-limits.ts';
import { claimKey, hashUpload, storeOutcome, type IdempotencyKey } from './idempotency.ts';
import { storeThumbnail } from './thumbnail-store.ts';
import type { Upload } from './upload-schema.ts';
import { toUploadResponse, type Created, type Uploaded } from './upload-response.ts';
import { AFTER_WRITTEN, WRITTEN_COLUMNS, WRITTEN_PARAMETERS, writtenValues } from './written-fields.ts';

// One statement stores an item and its outbox row, so that an upload takes one round trip.
const insertWith = (name: string, parts: string) => ({
  name,
  text: `with creator as (
       select user_id, username, credential from users where user_id = $1
     ), created as (
       insert into content (creator_id, ${WRITTEN_COLUMNS})
       select user_id, ${WRITTEN_PARAMETERS} from creator
       returning content_id, created_at, updated_at, revision
     ), pending as (
       ${insertPending('created', { delayMs: '0', traceparent: AFTER_WRITTEN })}
     )${parts}
     select created.*, creator.* from created, creator`,
});

const INSERT_CONTENT = insertWith('insert-content', '');
const INSERT_EMBEDDED_CONTENT = insertWith('insert-embedded-content', `, work as (${insertEmbeddingWork('created')})`);

/** `isEmbedded`: whether items are embedded. */
type UploadRules = { key: IdempotencyKey | undefined; limits: Limits; isEmbedded?: boolean };

/**
 * Stores an upload and its outbox row in one transaction, so that a stored item is indexed even after a crash.
 * The first response to a key is repeated even if the upload exceeds limits that are newer.
 * @throws Problem 400 above the limits · 403 when the creator does not exist · 422 when the key was used for a different upload
 */
export async function createContent(
  database: Database,
  upload: Upload,
  { key, limits, isEmbedded = false }: UploadRules,
): Promise<Uploaded> {
  const check = (): void => assertWithinLimits(upload, undefined, limits);
  if (!key) check();
  if (!key && !upload.thumbnail) return toUploadResponse(upload, await insertContent(database.write, upload, isEmbedded));
  return database.transaction(async (tx) => {
    const first = key && (await claimKey<Created>(tx, key, hashUpload(upload)));
    if (first) return toUploadResponse(upload, first);
    if (key) check();
    const created = await insertContent(tx.query, upload, isEmbedded);
    if (upload.thumbnail) await storeThumbnail(tx, created.contentId, upload.thumbnail);
    if (key) await storeOutcome(tx, key, created);
    return toUploadResponse(upload, created);
  });
}

async function insertContent(query: Query, upload: Upload, isEmbedded: boolean): Promise<Created> {
  const statement = isEmbedded ? INSERT_EMBEDDED_CONTENT : INSERT_CONTENT;
  const [created] = await query<Created>(statement, [upload.creatorId, ...writtenValues(upload), activeTraceparent()]);
  if (!created) throw new Problem(403, `User ${upload.creatorId} does not exist.`);
  return created;
}
