import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { useStore } from '../../shared/store.ts';
import { countDownload, deleteItem, type ReadItem } from '../api/content.ts';
import type { ContentItem } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { useSave } from '../form/use-save.ts';
import { closeDialog, navigate } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { session } from '../token/session.ts';

export function ItemActions({ read }: { read: ReadItem }) {
  const [isAsked, setAsked] = useState(false);
  const question = isAsked && { role: 'group' as const, 'aria-label': 'Delete the item?' };
  return (
    <footer class={isAsked ? 'dialog-foot dialog-question' : 'dialog-foot'} {...question} tabIndex={-1} data-focus-place>
      {isAsked ? (
        <DeleteQuestion read={read} onCancel={() => setAsked(false)} />
      ) : (
        <Actions item={read.item} onDelete={() => setAsked(true)} />
      )}
    </footer>
  );
}

function Actions({ item, onDelete }: { item: ContentItem; onDelete: () => void }) {
  const { user } = useStore(session);
  return (
    <>
      {item.data !== '' && (
        <Button kind="primary" icon="download" onClick={() => download(item)}>
          Download
        </Button>
      )}
      {user?.userId === item.creatorId && (
        <>
          <Button icon="edit" onClick={() => navigate({ form: 'edit' }, { replace: true })}>
            Edit
          </Button>
          <Button icon="trash" onClick={onDelete}>
            Delete
          </Button>
        </>
      )}
    </>
  );
}

function DeleteQuestion({ read: { item, tag }, onCancel }: { read: ReadItem; onCancel: () => void }) {
  const { save, failure, isSaving } = useSave();
  const confirm = (): void =>
    save(async () => {
      await deleteItem(item.contentId, tag);
      notify(`“${item.name}” was deleted.`);
      closeDialog();
      readAgain();
    });
  const isOutdated = failure?.status === 412;
  const message = isOutdated
    ? 'Somebody changed this item since you opened it. Close it, and look again before you delete it.'
    : failure?.message;
  return (
    <>
      <p>Delete this item? This cannot be undone.</p>
      <Button kind="danger" onClick={confirm} isBusy={isSaving}>
        {isSaving ? 'Deleting …' : 'Delete it'}
      </Button>
      <Button onClick={onCancel}>Keep it</Button>
      <p role="alert" class="error">
        {message}
      </p>
    </>
  );
}

/** Saves what the item contains as a file. The download counts only if the API knows of it. */
function download({ contentId, name, data }: ContentItem): void {
  const url = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
  countDownload(contentId).then(readAgain, () => undefined);
}
