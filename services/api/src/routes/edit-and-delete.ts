import type Router from '@koa/router';
import { fromRow } from '../content/content-item.ts';
import { deleteContent } from '../content/delete-content.ts';
import { editContent } from '../content/edit-content.ts';
import { editSchema } from '../content/edit-schema.ts';
import { entityTag } from '../http/entity-tag.ts';
import { readJson } from '../http/read-json.ts';
import type { State } from '../state.ts';
import { validate } from '../http/validate.ts';
import { changeRequest, wakeRelayAndWait, type ContentDeps } from './route-helpers.ts';

const MERGE_PATCH_TYPES = ['application/merge-patch+json', 'application/json'];

export function editAndDeleteRoutes(router: Router<State>, deps: ContentDeps): void {
  const Edit = editSchema(deps.limits);

  router.patch('/api/content/:id', async (ctx) => {
    const request = changeRequest(ctx);
    const edit = validate(Edit, await readJson(ctx, deps.limits.BODY_MAX_BYTES, MERGE_PATCH_TYPES));
    await deps.tokenUsers.find(ctx.state.user);
    const row = await editContent(deps.database, request, edit);
    await wakeRelayAndWait(deps, ctx, row);
    ctx.set('ETag', entityTag(row));
    ctx.body = fromRow(row);
  });

  router.delete('/api/content/:id', async (ctx) => {
    await deps.tokenUsers.find(ctx.state.user);
    const deleted = await deleteContent(deps.database, changeRequest(ctx));
    await wakeRelayAndWait(deps, ctx, deleted);
    ctx.status = 204;
  });
}
