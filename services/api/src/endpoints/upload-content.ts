import type { AuthenticatedUser } from '../auth/claims.ts';
import { createContent } from '../content/create-content.ts';
import { IdempotencyKeyHeader, keyUsedForAnother, parseIdempotencyKey } from '../content/idempotency.ts';
import { Uploaded } from '../content/upload-response.ts';
import { uploadSchema, type Upload } from '../content/upload-schema.ts';
import type { Limits } from '../env.ts';
import { invalidToken, Problem } from '../http/problem.ts';
import { endpoint, type Endpoint, type EndpointDeps } from './endpoint.ts';
import { EXAMPLE_ITEM, ITEMS_TAG } from './examples.ts';
import { PREFER, PREFERENCE_APPLIED, wakeRelayAndWait } from './prefer-wait.ts';

const FIRST_REVISION = 1;

const { contentId, creatorId, creatorName, name, description, version, data, createdAt, updatedAt } = EXAMPLE_ITEM;
const EXAMPLE_UPLOAD = { creatorId, name, description, version, data, tags: ['pixel art', 'wallpaper'] };
const EXAMPLE_UPLOADED = {
  content_id: contentId,
  data,
  creator: { user_id: creatorId, username: creatorName, credential: 'https://login.example.com|1' },
  name,
  description,
  version,
  contentDates: { content_id: contentId, created_at: createdAt, updated_at: updatedAt },
};

export function uploadContent(limits: Limits): Endpoint {
  return endpoint({
    method: 'post',
    path: '/content',
    cost: 'write',
    tag: ITEMS_TAG,
    operationId: 'uploadContent',
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
    errors: [
      { problem: invalidToken(), description: 'There is no valid token, the user does not exist, or creatorId is another user.' },
      { problem: keyUsedForAnother() },
    ],
    async handle(deps, call) {
      const { ctx, user } = call;
      const key = parseIdempotencyKey(ctx.get('idempotency-key'));
      const upload = await call.body();
      const userId = await uploaderOf(deps, user);
      requireOwnUser(user, upload);
      const uploaded = await createContent(deps.database, upload, {
        key: key === undefined ? undefined : { userId, key },
        limits: deps.limits,
        isEmbedded: deps.meaning !== undefined,
      });
      await wakeRelayAndWait(deps, call, { contentId: uploaded.content_id, revision: FIRST_REVISION });
      ctx.status = 201;
      ctx.set('Location', `/api/content/${uploaded.content_id}`);
      ctx.body = uploaded;
    },
  });
}

/** @returns a negative number for an account without a user, whose token permits uploads for others */
async function uploaderOf({ tokenUsers }: EndpointDeps, user: AuthenticatedUser): Promise<number> {
  if (!user.mayWriteForOthers) return tokenUsers.require(user);
  return (await tokenUsers.find(user)) ?? user.limitKey;
}

function requireOwnUser({ userId, mayWriteForOthers }: AuthenticatedUser, upload: Upload): void {
  if (upload.creatorId === userId || mayWriteForOthers) return;
  throw new Problem(403, `creatorId must be the user id of the token (${userId}).`);
}
