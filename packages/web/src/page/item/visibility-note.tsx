import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { formatAge, formatDateTime } from '../../messages/format.ts';
import { useStore } from '../../shared/store.ts';
import { editItem } from '../api/changes.ts';
import type { ReadItem } from '../api/content.ts';
import { renewKey, reviewItem } from '../api/publishing.ts';
import { saidFailure } from '../api/said-problem.ts';
import type { ContentItem, Edit } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { useSave } from '../form/use-save.ts';
import { copyText, notify } from '../notice.tsx';
import { settings } from '../settings.ts';
import { hasScope } from '../token/claims.ts';
import { session } from '../token/session.ts';
import { t } from '../../messages/texts.ts';
import { ReasonInput } from './reason-input.tsx';

/** Says who sees an item that is not public, and lets its creator, or a moderator, change that. */
export function VisibilityNote({ read }: { read: ReadItem }) {
  const { token, user } = useStore(session);
  const { item } = read;
  const isOwn = user?.userId === item.creatorId;
  // For moderators, the reason above is all: nobody decides about a hidden item but to show it again.
  if (item.hidden && !isOwn) return null;
  const isReviewed = item.visibility === 'review' && !item.hidden && hasScope(token, settings.scopeClaim, 'content:moderate');
  return (
    <section class="hint" aria-label={t('whoSees')}>
      <p>{textOf(item)}</p>
      {item.refusal && <p class="error">{t('refusedSince', { age: formatAge(item.refusal.since), reason: item.refusal.reason })}</p>}
      {isOwn && !item.hidden && <OwnActions read={read} />}
      {isReviewed && <Review read={read} />}
    </section>
  );
}

function textOf({ visibility, afterReview, publishAt, refusal }: ContentItem): string {
  const notes = { draft: t('draftNote'), unlisted: t('unlistedNote'), other: refusal ? t('editForReview') : t('reviewNote') };
  const note = notes[visibility === 'draft' || visibility === 'unlisted' ? visibility : 'other'];
  const later = afterReview === 'unlisted' ? [t('unlistedAfterReview')] : [];
  // What is reviewed after its time is public at once.
  return [note, ...later, ...(afterReview === 'public' ? [] : seenFrom(publishAt))].join(' ');
}

function seenFrom(publishAt: string | undefined): string[] {
  return publishAt === undefined ? [] : [t('seenFrom', { time: formatDateTime(publishAt) })];
}

/** Who sees an item that a moderator has just published. */
function textOfPublished({ name, afterReview = 'public', publishAt }: ContentItem): string {
  if (afterReview === 'public') return t('published', { name });
  return [...(afterReview === 'unlisted' ? [t('nowUnlisted')] : []), ...seenFrom(publishAt)].join(' ');
}

function OwnActions({ read: { item, tag } }: { read: ReadItem }) {
  const { save, failure, share } = useSave();
  const { contentId, key } = item;
  const change = (edit: Edit, text: string): void =>
    save(async (onProgress) => {
      await editItem(contentId, edit, tag, onProgress);
      readAgain();
      notify(text);
    });
  const renew = (): void =>
    save(async () => {
      await renewKey(contentId);
      readAgain();
      notify(t('oldLinkEnds'));
    });
  const isBusy = share !== undefined;
  return (
    <p>
      {item.visibility !== 'review' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'public' }, t('nowPublic'))}>
          {t('publish')}
        </Button>
      )}{' '}
      {item.visibility === 'draft' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'unlisted' }, t('nowUnlisted'))}>
          {t('makeUnlisted')}
        </Button>
      )}
      {key !== undefined && <KeyActions contentId={contentId} itemKey={key} isBusy={isBusy} onRenew={renew} />}{' '}
      {item.visibility === 'unlisted' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'draft' }, t('nowDraft'))}>
          {t('makeDraft')}
        </Button>
      )}
      <span role="alert" class="error">
        {failure?.message}
      </span>
    </p>
  );
}

type KeyProps = { contentId: number; itemKey: string; isBusy: boolean; onRenew: () => void };

function KeyActions({ contentId, itemKey, isBusy, onRenew }: KeyProps) {
  return (
    <>
      <Button icon="link" onClick={() => copyText(new URL(`?item=${contentId}&key=${itemKey}`, location.href).href, 'link')}>
        {t('copyItsLink')}
      </Button>{' '}
      <Button isBusy={isBusy} onClick={onRenew}>
        {t('newLink')}
      </Button>
    </>
  );
}

function Review({ read: { item, tag } }: { read: ReadItem }) {
  const { save, failure, share } = useSave();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const decide = (decision: 'publish' | 'refuse'): void => {
    const lacksReason = decision === 'refuse' && reason.trim() === '';
    setMissing(lacksReason);
    if (lacksReason) return;
    save(async () => {
      await reviewItem(item.contentId, { decision, ...(decision === 'refuse' && { reason }) }, tag);
      readAgain();
      notify(decision === 'publish' ? textOfPublished(item) : t('refused', { name: item.name }));
    });
  };
  return (
    <p>
      <Button kind="primary" isBusy={share !== undefined} onClick={() => decide('publish')}>
        {t('publish')}
      </Button>{' '}
      <ReasonInput onInput={setReason} />{' '}
      <Button isBusy={share !== undefined} onClick={() => decide('refuse')}>
        {t('refuse')}
      </Button>
      <span role="alert" class="error">
        {isMissing ? t('enterReason') : failure && saidFailure(failure)}
      </span>
    </p>
  );
}
