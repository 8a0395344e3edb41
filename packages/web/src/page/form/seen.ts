import type { ContentItem, Edit, Upload } from '../api/types.ts';
import { t } from '../../messages/texts.ts';

/** Who sees an item. */
export type Seen = NonNullable<ContentItem['visibility']>;

/** What is typed: `publishAt` is the value of an input for a local time; empty without one. */
export type SeenDraft = { visibility: Seen; publishAt: string };

export const SEEN_BY = { public: 'everybody', unlisted: 'withLink', draft: 'onlyI', review: 'inReview' } as const;

/** An item is read without what says that everybody sees it. */
export function toSeenDraft({ visibility = 'public', publishAt }: Partial<Pick<ContentItem, 'visibility' | 'publishAt'>> = {}): SeenDraft {
  return { visibility, publishAt: publishAt === undefined ? '' : toLocal(new Date(publishAt)) };
}

/** @returns what an upload says; nothing if everybody is to see the item at once */
export function toSeen({ visibility, publishAt }: SeenDraft): Pick<Upload, 'visibility' | 'publishAt'> {
  if (visibility === 'public' || visibility === 'review') return {};
  return { visibility, ...(publishAt !== '' && { publishAt: toTime(publishAt) }) };
}

/** @returns what an edit says of what has changed. Who makes an item public needs no time any more. */
export function toSeenEdit(base: SeenDraft, { visibility, publishAt }: SeenDraft): Pick<Edit, 'visibility' | 'publishAt'> {
  return {
    ...(visibility !== base.visibility && visibility !== 'review' && { visibility }),
    ...(publishAt !== base.publishAt && visibility !== 'public' && { publishAt: publishAt === '' ? null : toTime(publishAt) }),
  };
}

const NOW = { public: 'nowPublic', unlisted: 'nowUnlisted', draft: 'nowDraft' } as const;

/** Who sees an item that was to be seen by others, as the response to this says: it may wait for a review. */
export function saidNow({ name, visibility = 'public' }: Pick<ContentItem, 'name' | 'visibility'>): string {
  return visibility === 'review' ? t('waitsForReview', { name }) : t(NOW[visibility]);
}

/** What a button says that stores an item. @param before what it was; undefined: a new one */
export function saveLabel({ visibility }: SeenDraft, before?: SeenDraft) {
  if (visibility === 'draft') return 'saveDraft';
  if (visibility === 'unlisted') return 'saveUnlisted';
  if (before === undefined) return 'upload';
  return visibility === before.visibility ? 'save' : 'publish';
}

const MINUTE_MS = 60_000;

function toLocal(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length);
}

/** What is no time, such as one of the year 20266, is left to the API, which says so. */
function toTime(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}
