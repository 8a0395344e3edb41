import type { UnpublishedKind } from '@ugc/shared/contracts/unpublished';
import { badRequest, Problem } from '../problems/problem.ts';
import type { Asked, Choice } from '../fields/visibility-fields.ts';

// Who sees an item: what a request asks for, and what it gets. Pure.

/** The creator's side of an item that lists do not show: a row of `unpublished_content`. */
export type Unpublished = {
  kind: UnpublishedKind;
  since: Date;
  publishAt: Date | null;
  mayPublish: boolean;
  wasPublic: boolean;
  accessKey: string | null;
  wantsUnlisted: boolean;
  refusedAt: Date | null;
  refusedReason: string | null;
};

/** What is to be stored for an item that does not become public. */
export type Planned = Pick<Unpublished, 'kind' | 'publishAt' | 'mayPublish' | 'wantsUnlisted'>;

/** `mayPublish`: whether the token publishes without a review. `now`: see `assertFuture`. */
type Right = { mayPublish: boolean; now?: number };
type NewItem = 'new';

/** @returns whether a request says anything about who sees the item */
export function asksVisibility({ visibility, publishAt }: Asked): boolean {
  return visibility !== undefined || publishAt !== undefined;
}

/**
 * @param before what the item is; undefined for a public one
 * @returns undefined if it becomes public, or stays so
 * @throws Problem 400 for a time that contradicts the rest · 403 for what only a moderator ends
 */
export function planVisibility(asked: Asked, before: Before, { mayPublish, now = Date.now() }: Right): Planned | undefined {
  const stored = before === 'new' ? undefined : before;
  const wanted = wantedBy(asked, before);
  assertTime(asked, { wanted, stored, now });
  const time = timeOf(asked, stored, mayPublish);
  if (stored?.kind === 'review') return planOfReview(asked, { publishAt: time.publishAt, wantsUnlisted: stored.wantsUnlisted });
  if (wanted === 'draft') return { kind: 'draft', wantsUnlisted: false, ...time };
  const isUnlisted = wanted === 'unlisted';
  if (!mayPublish && !isSeen(before, wanted)) return reviewOf({ publishAt: isUnlisted ? time.publishAt : null, wantsUnlisted: isUnlisted });
  return isUnlisted ? { kind: 'unlisted', wantsUnlisted: false, ...time } : undefined;
}

type Before = Unpublished | undefined | NewItem;

/** A new item with a time is a draft until then. */
function wantedBy({ visibility, publishAt }: Asked, before: Before): Choice | 'review' {
  if (visibility !== undefined) return visibility;
  if (before === 'new') return publishAt ? 'draft' : 'public';
  return before?.kind ?? 'public';
}

/** To be seen by fewer people, or by the same, needs no right. */
function isSeen(before: Before, wanted: Choice | 'review'): boolean {
  return before !== 'new' && (before === undefined || before.kind === wanted);
}

/** The right to publish at a time is that of the token that has asked for it. */
function timeOf({ publishAt }: Asked, stored: Unpublished | undefined, mayPublish: boolean): Pick<Planned, 'publishAt' | 'mayPublish'> {
  if (publishAt === undefined) return { publishAt: stored?.publishAt ?? null, mayPublish: stored?.mayPublish ?? false };
  return { publishAt: publishAt === null ? null : new Date(publishAt), mayPublish: mayPublish && publishAt !== null };
}

type ReviewPlan = Pick<Planned, 'publishAt' | 'wantsUnlisted'>;

function planOfReview({ visibility }: Asked, { publishAt, wantsUnlisted }: ReviewPlan): Planned {
  if (visibility === 'draft') throw inReview();
  const isUnlisted = visibility === undefined ? wantsUnlisted : visibility === 'unlisted';
  return reviewOf({ publishAt: visibility === 'public' ? null : publishAt, wantsUnlisted: isUnlisted });
}

function reviewOf({ publishAt, wantsUnlisted }: ReviewPlan): Planned {
  return { kind: 'review', mayPublish: false, publishAt, wantsUnlisted };
}

/** What an item becomes when a moderator publishes it: its time may be still to come. @returns undefined for public */
export function planAfterReview(
  { wantsUnlisted, publishAt }: Pick<Unpublished, 'wantsUnlisted' | 'publishAt'>,
  now: number,
): (Planned & { kind: 'unlisted' | 'draft' }) | undefined {
  const isLater = publishAt !== null && publishAt.getTime() > now;
  if (!isLater && (publishAt !== null || !wantsUnlisted)) return undefined;
  return { kind: wantsUnlisted ? 'unlisted' : 'draft', publishAt, mayPublish: isLater, wantsUnlisted: false };
}

/** Whether an item may be what `planAfterReview` has made of it. @param unpublished undefined for a public one */
export function isAsReviewed(unpublished: Unpublished | undefined): boolean {
  if (!unpublished || unpublished.kind === 'unlisted') return true;
  return unpublished.kind === 'draft' && unpublished.publishAt !== null && unpublished.mayPublish;
}

/** Clocks differ, and an upload takes a while. */
const LATE_MAX_MS = 60_000;

type TimeRules = { wanted: Choice | 'review'; stored: Unpublished | undefined; now: number };

/** The database's clock decides when an item is published; a time that is long over is a mistake. */
function assertTime({ publishAt }: Asked, { wanted, stored, now }: TimeRules): void {
  if (publishAt === undefined || publishAt === null) return;
  if (wanted === 'public') throw timeOfPublic();
  if (publishAt >= now - LATE_MAX_MS || publishAt === stored?.publishAt?.getTime()) return;
  const given = new Date(publishAt).toISOString();
  throw invalid('#/publishAt', `must be in the future, and not ${given}; now it is ${new Date(now).toISOString()}`);
}

function timeOfPublic(): Problem {
  return invalid('#/publishAt', 'is only for an item that is not public yet: give it with the visibility draft or unlisted');
}

function invalid(pointer: string, detail: string): Problem {
  return badRequest('invalid-body', 'The body is not valid.', [{ pointer, detail }]);
}

export function inReview(): Problem {
  return new Problem(403, 'item-in-review', 'The item waits for a review, which only a moderator ends. Edit it, or delete it.');
}
