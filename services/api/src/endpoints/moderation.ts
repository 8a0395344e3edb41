import type { AuthenticatedUser } from '@ugc/items/account';
import { hideContent as hide, Hiding, notModerator, showContent as show } from '@ugc/items/changes/hidden-content';
import { assertMayBePublished, creatorIsBlocked } from '@ugc/items/people/blocked-users';
import type { Limits } from '../env.ts';
import { SMALL_BODY_MAX_BYTES } from '../http/body.ts';
import { Decision, reviewContent as review, reviewOfHidden } from '@ugc/items/changes/review';
import { IF_MATCH } from '../http/entity-tag.ts';
import { single } from '../http/query-parameters.ts';
import { HiddenPage, toPage } from '../search/page.ts';
import { DEFAULT_PAGE_SIZE, fields, include, pageParameters, type ListParameters } from '../search/parameters.ts';
import { editedSince } from '@ugc/items/changes/edits-match';
import { z } from 'zod';
import { endpoint, type Call, type EndpointDeps } from './endpoint.ts';
import { EXAMPLE_ITEM } from './items.ts';
import { PREFER, PREFERENCE_APPLIED, wakeRelayAndWait } from './prefer-wait.ts';
import { respondWithheld } from './respond-withheld.ts';

const REASON = 'The picture is that of another site.';
const HIDDEN_ITEM = { ...EXAMPLE_ITEM, hidden: { since: '2026-11-21T08:00:00.000+00:00', reason: REASON } };

const MODERATED = {
  path: '/api/content/{id}/hidden',
  cost: 'write',
  headers: PREFER,
  errors: [notModerator()],
} as const;

function hideContent() {
  return endpoint({
    ...MODERATED,
    method: 'put',
    summary: 'Hide an item from everybody but its creator and moderators, or change the reason',
    body: { schema: Hiding, maxBytes: SMALL_BODY_MAX_BYTES, example: { reason: REASON }, invalid: { reason: ' ' } },
    responses: { 204: { description: 'The item is hidden.', headers: PREFERENCE_APPLIED } },
    async handle(deps, call) {
      const moderator = await moderatorOf(deps, call.user);
      const { reason } = await call.body();
      const { hasChanged, ...change } = await hide(deps.database, call.contentId, { moderator, reason });
      if (hasChanged) deps.log.info({ contentId: call.contentId, moderator }, 'a moderator has hidden an item');
      await wakeRelayAndWait(deps, call, change);
      call.ctx.status = 204;
    },
  });
}

function showContent() {
  return endpoint({
    ...MODERATED,
    method: 'delete',
    summary: 'Show a hidden item again, as it was before',
    responses: { 204: { description: 'The item is not hidden.', headers: PREFERENCE_APPLIED } },
    async handle(deps, call) {
      const moderator = await moderatorOf(deps, call.user);
      const { hasChanged, ...change } = await show(deps.database, call.contentId);
      if (hasChanged) deps.log.info({ contentId: call.contentId, moderator }, 'a moderator has shown a hidden item again');
      await wakeRelayAndWait(deps, call, change);
      call.ctx.status = 204;
    },
  });
}

/** The id of the user, or the credential of an account that has none. @throws Problem 403 without the scope */
async function moderatorOf({ tokenUsers }: EndpointDeps, user: AuthenticatedUser): Promise<string> {
  if (!user.mayModerate) throw notModerator();
  return String((await tokenUsers.find(user)) ?? user.account?.credential);
}

function reviewContent() {
  return endpoint({
    method: 'put',
    path: '/api/content/{id}/review',
    cost: 'write',
    summary: 'Publish an item that waits for a review, or refuse it with a reason',
    headers: { ...IF_MATCH, ...PREFER },
    errors: [notModerator(), creatorIsBlocked(), reviewOfHidden(), editedSince()],
    body: {
      schema: Decision,
      maxBytes: SMALL_BODY_MAX_BYTES,
      example: { decision: 'refuse', reason: REASON },
      invalid: { decision: 'refuse' },
    },
    responses: { 204: { description: 'The item is public, unlisted, or refused.', headers: PREFERENCE_APPLIED } },
    async handle(deps, call) {
      const moderator = await moderatorOf(deps, call.user);
      const decision = await call.body();
      const { contentId } = call;
      const request = { contentId, decision, ifMatch: call.ctx.get('if-match'), assertMayBePublished };
      const { hasChanged, ...change } = await review(deps.database, request);
      if (hasChanged) deps.log.info({ contentId, moderator, decision: decision.decision }, 'a moderator has reviewed an item');
      await wakeRelayAndWait(deps, call, change);
      call.ctx.status = 204;
    },
  });
}

type HiddenQuery = Pick<ListParameters, 'page' | 'size' | 'include' | 'fields'> & {
  kind: 'moderation' | 'review';
  order?: 'newest' | 'oldest' | undefined;
};

const kind = single(z.enum(['moderation', 'review'], 'must be moderation or review').default('moderation')).describe(
  'With `review`, the items that wait for a moderator; for other users, also their own that were refused.',
);
const order = single(z.enum(['newest', 'oldest'], 'must be newest or oldest').optional()).describe(
  'By when an item was hidden, or a review was asked for. The default is `oldest` for reviews, and else `newest`.',
);

function listHiddenContent(limits: Limits) {
  return endpoint({
    method: 'get',
    path: '/api/content/hidden',
    cost: 'list',
    summary: 'List hidden items, or those that wait for a review: for moderators all, for other users their own',
    query: { schema: z.object({ ...pageParameters(limits), include, fields, kind, order }), invalid: 'size=0' },
    responses: {
      200: {
        description: 'The page.',
        schema: HiddenPage,
        example: toPage([HIDDEN_ITEM], { number: 0, size: DEFAULT_PAGE_SIZE, total: 1 }),
      },
    },
    async handle(deps, call: Call<HiddenQuery, unknown>) {
      const { kind, order = kind === 'review' ? 'oldest' : 'newest' } = call.query;
      await respondWithheld(deps, call, { kind, order, isOfAll: call.user.mayModerate });
    },
  });
}

export const moderation = { hideContent, showContent, reviewContent, listHiddenContent };
