import type Router from '@koa/router';
import type { AuthenticatedUser } from '../auth/claims.ts';
import { fromRow, withTags } from '../content/content-item.ts';
import { createContent } from '../content/create-content.ts';
import { entityTag, isNotModified } from '../http/entity-tag.ts';
import { contentReader, getContent } from '../content/get-content.ts';
import { parseIdempotencyKey } from '../content/idempotency.ts';
import { checkRanges } from '../search/filters.ts';
import { ItemParameters, listParameters } from '../search/parameters.ts';
import { listContent, type ListResponse } from '../search/list.ts';
import { SharedLists } from '../search/shared-lists.ts';
import { uploadSchema, type Upload } from '../content/upload-schema.ts';
import { Problem } from '../http/problem.ts';
import { queryParser } from '../http/query-parser.ts';
import { readJson } from '../http/read-json.ts';
import type { State } from '../state.ts';
import { validate } from '../http/validate.ts';
import { contentIdOf, searchFor, wakeRelayAndWait, type ContentDeps } from './route-helpers.ts';

const JSON_TYPES = ['application/json'];
const FIRST_REVISION = 1;

/** The three endpoints of the specification: list, upload and get one item. */
export function contentRoutes(router: Router<State>, deps: ContentDeps): void {
  const Upload = uploadSchema(deps.limits);
  const parseListQuery = queryParser(listParameters(deps.limits), checkRanges);
  const parseItemQuery = queryParser(ItemParameters);
  const reader = contentReader(deps.database);
  const lists = new SharedLists<ListResponse>();

  router.get('/api/content', async (ctx) => {
    const parameters = parseListQuery(ctx.querystring);
    const { body, correction } = await lists.read(parameters, () =>
      searchFor(deps, ctx, (caller) => listContent(deps, parameters, caller)),
    );
    ctx.body = body;
    if (correction !== undefined) ctx.set('Search-Correction', correction);
    ctx.type = 'json';
  });

  router.post('/content', async (ctx) => {
    const key = parseIdempotencyKey(ctx.get('idempotency-key'));
    const upload = validate(Upload, await readJson(ctx, deps.limits.BODY_MAX_BYTES, JSON_TYPES));
    const userId = await uploaderOf(deps, ctx.state.user);
    requireOwnUser(ctx.state.user, upload);
    const uploaded = await createContent(deps.database, upload, key === undefined ? undefined : { userId, key });
    await wakeRelayAndWait(deps, ctx, { content_id: uploaded.content_id, revision: FIRST_REVISION });
    ctx.status = 201;
    ctx.set('Location', `/api/content/${uploaded.content_id}`);
    ctx.body = uploaded;
  });

  router.get('/api/content/:id', async (ctx) => {
    const { include } = parseItemQuery(ctx.querystring);
    const row = await getContent(reader, contentIdOf(ctx));
    ctx.set({ ETag: entityTag(row), 'Cache-Control': 'private, no-cache' });
    if (isNotModified(ctx.get('if-none-match'), entityTag(row))) ctx.status = 304;
    else ctx.body = withTags(fromRow(row), row.tags, include === 'tags');
  });
}

/** @returns a negative number for an account without a user, whose token permits uploads for others */
async function uploaderOf({ tokenUsers }: ContentDeps, user: AuthenticatedUser): Promise<number> {
  if (!user.mayWriteForOthers) return tokenUsers.require(user);
  return (await tokenUsers.find(user)) ?? user.limitKey;
}

function requireOwnUser({ userId, mayWriteForOthers }: AuthenticatedUser, { creatorId }: Upload): void {
  if (creatorId === userId || mayWriteForOthers) return;
  throw new Problem(403, `creatorId must be the user id of the token (${userId}).`);
}
