import { Dialog } from '../../shared/dialog.tsx';
import { createStore, useStore } from '../../shared/store.ts';
import { isIndexed, uploadItem } from '../api/content.ts';
import { ownUserId } from '../api/own-user.ts';
import type { Upload } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { closeDialog, showList } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { EMPTY_DRAFT, toVersion, type Draft } from './draft.ts';
import { ItemForm } from './item-form.tsx';
import { toBase64 } from './picture.ts';
import { useSave } from './use-save.ts';

type UploadDraft = { draft: Draft; key: string };

/** Kept while the dialog is closed. The idempotency key belongs to the content: another content gets another key. */
const unsent = createStore(withNewKey(EMPTY_DRAFT));

export function UploadDialog() {
  const { draft } = useStore(unsent);
  const { save, failure, share } = useSave();
  const discard = (): void => {
    unsent.set(withNewKey(EMPTY_DRAFT));
    closeDialog();
  };
  const submit = (): void =>
    save(async (onProgress) => {
      const { draft: sent, key } = unsent.get();
      const contentId = await uploadItem(await toUpload(sent), key, onProgress);
      // If indexing is paused or slow, the wait may have ended before.
      const isListed = await isIndexed(contentId).catch(() => false);
      unsent.set(withNewKey(EMPTY_DRAFT));
      showList(EVERYTHING, { replace: true });
      readAgain();
      notify(isListed ? `“${sent.name}” is in the list.` : `“${sent.name}” is stored. It will be in the list soon.`);
    });
  return (
    <Dialog title="Upload" onClose={closeDialog}>
      <ItemForm
        draft={draft}
        onChange={(next) => unsent.set(withNewKey(next))}
        onSubmit={submit}
        onCancel={discard}
        submitLabel="Upload"
        failure={failure}
        share={share}
      />
    </Dialog>
  );
}

async function toUpload({ name, description, tags, data, fileName, version, picture }: Draft): Promise<Upload> {
  const creatorId = await ownUserId();
  const thumbnail = picture ? { thumbnail: await toBase64(picture) } : {};
  const file = fileName === '' ? {} : { fileName };
  return { creatorId, name, description, tags, data, version: toVersion(version), ...file, ...thumbnail };
}

// crypto.randomUUID exists only in pages that were loaded over TLS or from this machine.
function withNewKey(draft: Draft): UploadDraft {
  return { draft, key: crypto.getRandomValues(new Uint32Array(4)).join('-') };
}
