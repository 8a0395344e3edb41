import Router from '@koa/router';
import type { Database } from '@ugc/shared/postgres';
import { METHODS } from 'node:http';
import { fromDocument, fromRow } from '../content/content-item.ts';
import { createContent } from '../content/create-content.ts';
import { getContent, parseContentId } from '../content/get-content.ts';
import { parseListParameters } from '../content/list-parameters.ts';
import { toPage } from '../content/page.ts';
import { searchContent, type SearchDeps } from '../content/search-content.ts';
import { uploadSchema, type Upload } from '../content/upload.ts';
import { toUploaded } from '../content/uploaded.ts';
import type { Caller } from '../auth/claims.ts';
import type { Limits } from '../env.ts';
import { Problem } from '../problem.ts';
import { readJson } from '../read-json.ts';
import type { State } from '../state.ts';
import { validate } from '../validate.ts';

export type ContentDeps = SearchDeps & {
  database: Database;
  limits: Limits;
  /** A hint to the relay that there is something to do; never waited for. */
  wakeRelay: () => void;
};

/** The three endpoints of the specification. Koa's context ends here. */
export function contentRoutes(deps: ContentDeps): Router<State> {
  // All methods are known, so that one without a route is 405 where there is a path and 404 where there is none.
  const router = new Router<State>({ strict: true, sensitive: true, methods: METHODS });
  const Upload = uploadSchema(deps.limits);

  router.get('/api/content', async (ctx) => {
    const parameters = parseListParameters(ctx.querystring, deps.limits);
    const { documents, total } = await searchContent(deps, parameters);
    ctx.body = toPage(documents.map(fromDocument), { number: parameters.page, size: parameters.size, total });
  });

  router.get('/api/content/:id', async (ctx) => {
    const contentId = parseContentId(ctx.params['id'] ?? '');
    const row = contentId === undefined ? undefined : await getContent(deps.database, contentId);
    if (!row) throw new Problem(404, 'There is no content item with this id. An id is a positive integer, as `contentId` in a list.');
    ctx.body = fromRow(row);
  });

  router.post('/content', async (ctx) => {
    const upload = validate(Upload, await readJson(ctx, deps.limits.BODY_MAX_BYTES));
    requireOwnName(ctx.state.caller, upload);
    const created = await createContent(deps.database, upload);
    if (!created) throw new Problem(403, `There is no user ${upload.creatorId}.`);
    deps.wakeRelay();
    ctx.status = 201;
    ctx.set('Location', `/api/content/${created.content_id}`);
    ctx.body = toUploaded(upload, created);
  });

  return router;
}

function requireOwnName({ userId, mayWriteForOthers }: Caller, { creatorId }: Upload): void {
  if (creatorId === userId || mayWriteForOthers) return;
  throw new Problem(403, `creatorId must be the token's own user (${userId}).`);
}
