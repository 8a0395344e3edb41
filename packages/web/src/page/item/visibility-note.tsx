import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { formatAge, formatDateTime } from '../../shared/format.ts';
import { useStore } from '../../shared/store.ts';
import { editItem, type ReadItem } from '../api/content.ts';
import { renewKey, reviewItem } from '../api/publishing.ts';
import type { ContentItem, Edit } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { useSave } from '../form/use-save.ts';
import { copyText, notify } from '../notice.tsx';
import { settings } from '../settings.ts';
import { hasScope } from '../token/claims.ts';
import { session } from '../token/session.ts';

/** Says who sees an item that is not public, and lets its creator, or a moderator, change that. */
export function VisibilityNote({ read }: { read: ReadItem }) {
  const { token, user } = useStore(session);
  const { item } = read;
  const isOwn = user?.userId === item.creatorId;
  return (
    <section class="hint" aria-label="Who sees it">
      <p>{textOf(item)}</p>
      {item.refusal && (
        <p class="error">
          Not published {formatAge(item.refusal.since)}: {item.refusal.reason}
        </p>
      )}
      {isOwn && !item.hidden && <OwnActions read={read} />}
      {item.visibility === 'review' && hasScope(token, settings.scopeClaim, 'content:moderate') && <Review read={read} />}
    </section>
  );
}

function textOf({ visibility, publishAt, refusal }: ContentItem): string {
  const later = publishAt === undefined ? '' : ` Everybody sees it from ${formatDateTime(publishAt)}.`;
  if (visibility === 'draft') return `A draft: only you see it.${later}`;
  if (visibility === 'unlisted') return `Unlisted: whoever has its link sees it, and no list.${later}`;
  return `${refusal ? 'An edit asks for another review.' : 'It waits for a moderator, and is in no list.'}${later}`;
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
      notify('The former link shows nothing any more.');
    });
  const isBusy = share !== undefined;
  return (
    <p>
      {item.visibility !== 'review' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'public' }, 'Everybody may see it now, unless it waits for a review.')}>
          Publish
        </Button>
      )}{' '}
      {item.visibility === 'draft' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'unlisted' }, 'Whoever has its link may see it.')}>
          Make it unlisted
        </Button>
      )}
      {key !== undefined && <KeyActions contentId={contentId} itemKey={key} isBusy={isBusy} onRenew={renew} />}{' '}
      {item.visibility === 'unlisted' && (
        <Button isBusy={isBusy} onClick={() => change({ visibility: 'draft' }, 'Only you see it.')}>
          Make it a draft
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
        Copy its link
      </Button>{' '}
      <Button isBusy={isBusy} onClick={onRenew}>
        New link
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
      notify(decision === 'publish' ? `“${item.name}” is published.` : `“${item.name}” is refused.`);
    });
  };
  return (
    <p>
      <Button kind="primary" isBusy={share !== undefined} onClick={() => decide('publish')}>
        Publish
      </Button>{' '}
      <input class="input" dir="auto" aria-label="Reason" placeholder="Reason" onInput={(event) => setReason(event.currentTarget.value)} />{' '}
      <Button isBusy={share !== undefined} onClick={() => decide('refuse')}>
        Refuse
      </Button>
      <span role="alert" class="error">
        {isMissing ? 'Enter a reason. The creator of the item reads it.' : (failure?.errors[0]?.detail ?? failure?.message)}
      </span>
    </p>
  );
}
