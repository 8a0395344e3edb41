import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { formatAge, formatDateTime } from '../../messages/format.ts';
import { useStore } from '../../shared/store.ts';
import { editItem } from '../api/changes.ts';
import type { ReadItem } from '../api/content.ts';
import { renewKey, reviewItem } from '../api/publishing.ts';
import { saidFailure } from '../api/said-problem.ts';
import type { ContentItem, Edit } from '../api/types.ts';
import type { RequestFailed } from '../api/request.ts';
import { readAgain } from '../api/use-query.ts';
import { saidNow } from '../form/seen.ts';
import { useSave } from '../form/use-save.ts';
import { copyText, notify } from '../notice.tsx';
import { settings } from '../settings.ts';
import { hasScope } from '../token/claims.ts';
import { session } from '../token/session.ts';
import { t } from '../../messages/texts.ts';
import { readOrClose } from './read-or-close.ts';
import { ReasonInput } from './reason-input.tsx';

/** Says who sees an item that is not public, and lets its creator, or a moderator, change that. */
export function VisibilityNote({ read }: { read: ReadItem }) {
  const { token, user } = useStore(session);
  const { item } = read;
  const isOwn = user?.userId === item.creatorId;
  // Nobody else sees a hidden item, whatever it was and will be, and nobody decides about it but to show it again.
  if (item.hidden) return isOwn && item.refusal ? <Note>{refusalOf(item)}</Note> : null;
  return (
    <Note>
      <p>{textOf(item)}</p>
      {refusalOf(item)}
      {isOwn && <OwnActions read={read} />}
      {item.visibility === 'review' && hasScope(token, settings.scopeClaim, 'content:moderate') && <Review read={read} />}
    </Note>
  );
}

function Note({ children }: { children: ComponentChildren }) {
  return (
    <section class="hint" aria-label={t('whoSees')}>
      {children}
    </section>
  );
}

function refusalOf({ refusal }: ContentItem) {
  return refusal && <p class="error">{t('refusedSince', { age: formatAge(refusal.since), reason: refusal.reason })}</p>;
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

/** So that the next try is one of the item as it is by now. */
function readIfOutdated({ status }: RequestFailed): void {
  if (status === 412) readAgain();
}

function OwnActions({ read: { item, tag } }: { read: ReadItem }) {
  const { save, failure, share } = useSave(readIfOutdated);
  const { contentId, key } = item;
  const change = (visibility: Edit['visibility']): void =>
    save(async (onProgress) => {
      const { item: changed } = await editItem(contentId, { visibility }, tag, onProgress);
      readAgain();
      notify(saidNow(changed));
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
        <Button isBusy={isBusy} onClick={() => change('public')}>
          {t('publish')}
        </Button>
      )}{' '}
      {item.visibility === 'draft' && (
        <Button isBusy={isBusy} onClick={() => change('unlisted')}>
          {t('makeUnlisted')}
        </Button>
      )}
      {key !== undefined && <KeyActions contentId={contentId} itemKey={key} isBusy={isBusy} onRenew={renew} />}{' '}
      {item.visibility === 'unlisted' && (
        <Button isBusy={isBusy} onClick={() => change('draft')}>
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
  const { save, failure, share } = useSave(readIfOutdated);
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const decide = (decision: 'publish' | 'refuse'): void => {
    const lacksReason = decision === 'refuse' && reason.trim() === '';
    setMissing(lacksReason);
    if (lacksReason) return;
    save(async () => {
      await reviewItem(item.contentId, { decision, ...(decision === 'refuse' && { reason }) }, tag);
      readOrClose({ ...item, visibility: decision === 'publish' ? item.afterReview : item.visibility });
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
