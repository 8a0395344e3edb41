import type { ItemRevision } from '@ugc/shared/outbox/states';
import { z } from 'zod';
import type { AuthenticatedUser } from '@ugc/items/account';
import { deleteContent as deleteItem, editContent as edit, editOfHidden, notCreator } from '@ugc/items/changes/change-content';
import { ContentItem, fromRow, MARKS, withIncluded } from '@ugc/items/changes/content-item';
import { createContent, Uploaded } from '@ugc/items/changes/create-content';
import { noSuchContent } from '@ugc/items/changes/get-content';
import { getWithheldContent, toWithheldItem } from '@ugc/items/changes/withheld-content';
import { marksOf } from '@ugc/items/changes/unpublished-content';
import { notUnlisted, renewItemKey } from '@ugc/items/changes/renew-key';
import { asksVisibility, inReview } from '@ugc/items/changes/visibility';
import { getIndexStatus as readIndexStatus, IndexStatus } from '@ugc/items/changes/get-index-status';
import { IdempotencyKeyHeader, invalidKey, keyUsedForAnother, parseIdempotencyKey } from '@ugc/items/changes/idempotency';
import { editSchema, uploadSchema, type EditBody, type Upload } from '@ugc/items/fields/upload-schema';
import type { Limits } from '../env.ts';
import { editedSince } from '@ugc/items/changes/edits-match';
import { entityTag, ETAG, IF_MATCH, IF_NONE_MATCH, isNotModified, NOT_MODIFIED } from '../http/entity-tag.ts';
import { noSuchUser, otherCreator } from '@ugc/items/problems/problem';
import { ItemParameters } from '../search/parameters.ts';
import { endpoint, type Call, type EndpointDeps } from './endpoint.ts';
import { PREFER, PREFERENCE_APPLIED, wakeRelayAndWait } from './prefer-wait.ts';
import { assertVisibilityIsKnown, mayPublish, publishingRights, upgradeUnfinished } from './publishing.ts';
import { getThumbnail } from './thumbnail.ts';

const FIRST_REVISION = 1;

type ItemQuery = z.output<typeof ItemParameters>;

export const EXAMPLE_ITEM = {
  contentId: 42,
  creatorId: 1,
  creatorName: 'pixel_otter',
  data: '{"width":320,"height":180}',
  name: 'Lighthouse at dusk',
  description: 'A pixel-art wallpaper of a misty harbour.',
  version: 1,
  downloadsCount: 311,
  latestDownloadsCount: 40,
  avgRating: 4.5,
  createdAt: '2026-11-20T09:30:00.000+00:00',
  updatedAt: '2026-11-20T09:30:00.000+00:00',
};

const { contentId, creatorId, creatorName, name, description, version, data, createdAt, updatedAt } = EXAMPLE_ITEM;
const EXAMPLE_UPLOAD = { creatorId, name, description, version, data, tags: ['pixel art', 'wallpaper'], fileName: 'lighthouse.json' };
const EXAMPLE_UPLOADED = {
  content_id: contentId,
  data,
  creator: { user_id: creatorId, username: creatorName, credential: 'https://login.example.com|1' },
  name,
  description,
  version,
  contentDates: { content_id: contentId, created_at: createdAt, updated_at: updatedAt },
};

function uploadContent(limits: Limits) {
  return endpoint({
    method: 'post',
    path: '/content',
    cost: 'write',
    summary: 'Upload a content item, which becomes searchable shortly afterwards',
    headers: { 'Idempotency-Key': IdempotencyKeyHeader, ...PREFER },
    body: { schema: uploadSchema(limits), example: EXAMPLE_UPLOAD, invalid: { ...EXAMPLE_UPLOAD, name: undefined } },
    responses: {
      201: {
        description: 'The item is stored.',
        schema: Uploaded,
        example: EXAMPLE_UPLOADED,
        headers: { Location: { description: 'The path of the item.', example: '/api/content/42' }, ...PREFERENCE_APPLIED },
      },
    },
    errors: [noSuchUser(creatorId), otherCreator(creatorId), invalidKey(), keyUsedForAnother(), upgradeUnfinished()],
    async handle(deps, call) {
      await wakeRelayAndWait(deps, call, { ...(await storeUpload(deps, call)), revision: FIRST_REVISION });
    },
  });
}

/** Makes the response. A function of its own: what waits for the index must not keep the body. @returns the id of the item, and whether lists will show it */
async function storeUpload(deps: EndpointDeps, call: Call<unknown, Upload>): Promise<{ contentId: number; isPending: boolean }> {
  const { ctx, user } = call;
  const key = parseIdempotencyKey(ctx.get('idempotency-key'));
  const upload = await call.body();
  const userId = await uploaderOf(deps, user);
  if (upload.creatorId !== user.userId && !user.mayWriteForOthers) throw otherCreator(user.userId);
  await deps.blockedUsers.assertMayWrite({ userId: upload.creatorId });
  await assertVisibilityIsKnown(deps, upload);
  const rules = {
    key: key === undefined ? undefined : { userId, key },
    limits: deps.limits,
    declared: await deps.declaredFields.find(),
    mayPublish: mayPublish(deps, user),
  };
  const { uploaded, isPublic } = await createContent(deps.database, upload, rules);
  ctx.status = 201;
  ctx.set('Location', `${deps.publicPath}/api/content/${uploaded.content_id}`);
  ctx.body = uploaded;
  return { contentId: uploaded.content_id, isPending: isPublic };
}

/** @returns a negative number for an account without a user, whose token permits uploads for others */
async function uploaderOf({ tokenUsers }: EndpointDeps, user: AuthenticatedUser): Promise<number> {
  if (!user.mayWriteForOthers) return tokenUsers.require(user);
  return (await tokenUsers.find(user)) ?? user.limitKey;
}

function getContent() {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}',
    cost: 'read',
    summary: 'Get a content item',
    query: { schema: ItemParameters, invalid: 'include=all' },
    headers: IF_NONE_MATCH,
    responses: { 200: { description: 'The item.', schema: ContentItem, example: EXAMPLE_ITEM, headers: ETAG }, 304: NOT_MODIFIED },
    async handle(deps, call) {
      const { ctx, query } = call;
      const row = await deps.reader.load(call.contentId);
      if (!row) return getWithheld(deps, call);
      const declared = await deps.declaredFields.find();
      const downloads = deps.publicDownloads;
      const tag = entityTag(row, { downloads, ...(query.include.includes('fields') && { declared }) });
      ctx.set({ ETag: tag, 'Cache-Control': 'private, no-cache' });
      // `recent` becomes less without a change of the item.
      const mayBeSame = !query.include.includes('recent');
      if (mayBeSame && isNotModified(ctx.get('if-none-match'), tag)) ctx.status = 304;
      else ctx.body = withIncluded(fromRow(row, downloads), row, { ...query, declared });
    },
  });
}

/**
 * A copy of an item that lists do not show is never confirmed. Whoever may change an unpublished item, or decide
 * about it, gets an entity tag for `If-Match`; a hidden item has none.
 */
async function getWithheld(
  { database, declaredFields, publicDownloads }: EndpointDeps,
  { ctx, user, contentId, query }: Call<ItemQuery, unknown>,
): Promise<void> {
  const row = await getWithheldContent(database, contentId, { ...user, key: query.key });
  if (!row) throw noSuchContent();
  const { item, marks } = toWithheldItem(row, publicDownloads);
  ctx.set('Cache-Control', 'private, no-store');
  if (!item.hidden && (row.isOwn || user.mayModerate)) ctx.set('ETag', entityTag(row, { downloads: publicDownloads }));
  ctx.body = withIncluded(item, { ...row, marks }, { ...query, declared: await declaredFields.find() });
}

const CHANGED = {
  path: '/api/content/{id}',
  cost: 'write',
  headers: { ...IF_MATCH, ...PREFER },
} as const;

const CHANGE_ERRORS = [notCreator(), editedSince()];

function editContent(limits: Limits) {
  return endpoint({
    ...CHANGED,
    method: 'patch',
    summary: 'Edit an item with a JSON merge patch (RFC 7396)',
    errors: [...CHANGE_ERRORS, editOfHidden(), inReview(), upgradeUnfinished()],
    body: {
      schema: editSchema(limits),
      mediaTypes: ['application/merge-patch+json', 'application/json'],
      example: { name: 'Lighthouse at dawn', tags: null },
      invalid: { name: ' ' },
    },
    responses: {
      200: { description: 'The edited item.', schema: ContentItem, example: EXAMPLE_ITEM, headers: { ...ETAG, ...PREFERENCE_APPLIED } },
    },
    async handle(deps, call) {
      await wakeRelayAndWait(deps, call, await respondToEdit(deps, call));
    },
  });
}

/** Makes the response, as `storeUpload`. */
async function respondToEdit(deps: EndpointDeps, call: Call<unknown, EditBody>): Promise<ItemRevision & { isPending: boolean }> {
  const { ctx, user } = call;
  const changes = await call.body();
  const userId = await deps.tokenUsers.find(user);
  const request = {
    contentId: call.contentId,
    user,
    ifMatch: ctx.get('if-match'),
    limits: deps.limits,
    declared: await deps.declaredFields.find(),
    ...publishingRights(deps, user),
  };
  await assertVisibilityIsKnown(deps, changes);
  const { row, unpublished, isPending } = await edit(deps.database, request, changes);
  ctx.set('ETag', entityTag(row, { downloads: deps.publicDownloads }));
  const marks = unpublished ? marksOf(unpublished, row.creatorId === userId) : asksVisibility(changes) && { visibility: 'public' as const };
  ctx.body = { ...fromRow(row, deps.publicDownloads), ...marks };
  return { contentId: row.contentId, revision: row.revision, isPending };
}

function deleteContent() {
  return endpoint({
    ...CHANGED,
    method: 'delete',
    summary: 'Delete an item immediately and permanently',
    errors: CHANGE_ERRORS,
    responses: { 204: { description: 'The item is deleted.', headers: PREFERENCE_APPLIED } },
    async handle(deps, call) {
      const { ctx, user } = call;
      await deps.tokenUsers.find(user);
      const request = { contentId: call.contentId, user, ifMatch: ctx.get('if-match') };
      await wakeRelayAndWait(deps, call, await deleteItem(deps.database, request));
      ctx.status = 204;
    },
  });
}

function getIndexStatus() {
  return endpoint({
    method: 'get',
    path: '/api/content/{id}/index-status',
    cost: 'read',
    summary: 'Get whether the current revision of an item is searchable',
    responses: { 200: { description: 'The status.', schema: IndexStatus, example: { contentId, revision: 1, status: 'indexed' } } },
    async handle(deps, call) {
      await deps.tokenUsers.find(call.user);
      call.ctx.body = await readIndexStatus(deps.database, call.contentId, call.user);
    },
  });
}

const NewKey = z.object({ key: MARKS.key }).meta({ id: 'NewKey' });

function renewKey() {
  return endpoint({
    method: 'post',
    path: '/api/content/{id}/key',
    cost: 'write',
    summary: 'Give an unlisted item a new key; the former one ends',
    errors: [notCreator(), notUnlisted()],
    responses: { 200: { description: 'The new key.', schema: NewKey, example: { key: '6f1c2a30d94be8570f3b6a1c2d4e5f60' } } },
    async handle(deps, { ctx, user, contentId }) {
      await deps.tokenUsers.find(user);
      ctx.body = { key: await renewItemKey(deps.database, { contentId, user }) };
      ctx.set('Cache-Control', 'private, no-store');
    },
  });
}

export const items = { uploadContent, getContent, editContent, deleteContent, renewKey, getThumbnail, getIndexStatus };
