import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { useStore } from '../../shared/store.ts';
import { hideItem } from '../api/changes.ts';
import type { ReadItem } from '../api/content.ts';
import { saidFailure } from '../api/said-problem.ts';
import type { ContentItem } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { useSave } from '../form/use-save.ts';
import { closeDialog, navigate } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { settings } from '../settings.ts';
import { hasScope } from '../token/claims.ts';
import { session } from '../token/session.ts';
import { CopyLink } from './copy-link.tsx';
import { deleteLater } from './delete-later.ts';
import { download } from './download.ts';
import { t } from '../../messages/texts.ts';
import { readOrClose } from './read-or-close.ts';
import { ReasonInput } from './reason-input.tsx';

type Question = 'delete' | 'hide';
const QUESTIONS = { delete: 'deleteThis', hide: 'hideThis' } as const;

export function ItemActions({ read }: { read: ReadItem }) {
  const [asked, setAsked] = useState<Question>();
  const question = asked && { role: 'group' as const, 'aria-label': t(QUESTIONS[asked]) };
  const onCancel = (): void => setAsked(undefined);
  return (
    <footer class={asked ? 'dialog-foot dialog-question' : 'dialog-foot'} {...question} tabIndex={-1} data-focus-place>
      {asked === 'delete' && <DeleteQuestion read={read} onCancel={onCancel} />}
      {asked === 'hide' && <HideQuestion item={read.item} onCancel={onCancel} />}
      {!asked && <Actions item={read.item} onAsk={setAsked} />}
    </footer>
  );
}

function Actions({ item, onAsk }: { item: ContentItem; onAsk: (question: Question) => void }) {
  const { token, user } = useStore(session);
  return (
    <>
      {item.data !== '' && (
        <Button kind="primary" icon="download" onClick={() => download(item)}>
          {t('download')}
        </Button>
      )}
      {!item.hidden && !item.visibility && <CopyLink contentId={item.contentId} />}
      {!item.hidden && <Report contentId={item.contentId} />}
      {user?.userId === item.creatorId && <OwnButtons isHidden={item.hidden !== undefined} onDelete={() => onAsk('delete')} />}
      {mayHide(item) && hasScope(token, settings.scopeClaim, 'content:moderate') && (
        <Button onClick={() => onAsk('hide')}>{item.hidden ? t('unhide') : t('hide')}</Button>
      )}
    </>
  );
}

/** A draft has no moderation. */
const mayHide = ({ hidden, visibility }: ContentItem): boolean => hidden !== undefined || visibility !== 'draft';

function OwnButtons({ isHidden, onDelete }: { isHidden: boolean; onDelete: () => void }) {
  return (
    <>
      {!isHidden && (
        <Button icon="edit" onClick={() => navigate({ form: 'edit' }, { replace: true })}>
          {t('edit')}
        </Button>
      )}
      <Button icon="trash" onClick={onDelete}>
        {t('delete')}
      </Button>
    </>
  );
}

/** Leads to where the operator takes reports. */
function Report({ contentId }: { contentId: number }) {
  return settings.report === undefined ? null : (
    <a class="button" href={settings.report.replaceAll('{id}', String(contentId))} target="_blank">
      {t('report')}
    </a>
  );
}

function HideQuestion({ item, onCancel }: { item: ContentItem; onCancel: () => void }) {
  const { contentId, hidden, name } = item;
  const { save, failure, share } = useSave();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const confirm = (): void => {
    const lacksReason = !hidden && reason.trim() === '';
    setMissing(lacksReason);
    if (lacksReason) return;
    save(async () => {
      await hideItem(contentId, hidden ? undefined : reason);
      onCancel();
      if (!hidden) return readAgain();
      readOrClose(item);
      notify(t('shownAgain', { name }));
    });
  };
  return (
    <>
      {!hidden && <ReasonInput onInput={setReason} />}
      <Button kind={hidden ? 'primary' : 'danger'} onClick={confirm} isBusy={share !== undefined}>
        {hidden ? t('unhideIt') : t('hideIt')}
      </Button>
      <Button onClick={onCancel}>{t('cancel')}</Button>
      <p role="alert" class="error">
        {isMissing ? t('enterReason') : failure && saidFailure(failure)}
      </p>
    </>
  );
}

function DeleteQuestion({ read, onCancel }: { read: ReadItem; onCancel: () => void }) {
  const confirm = (): void => {
    closeDialog();
    deleteLater(read);
  };
  return (
    <>
      <p>{t('deleteThis')}</p>
      <Button kind="danger" onClick={confirm}>
        {t('deleteIt')}
      </Button>
      <Button onClick={onCancel}>{t('keepIt')}</Button>
    </>
  );
}
