import { useEffect } from 'preact/hooks';
import { uploadItem } from '../api/changes.ts';
import { ownUserId } from '../api/own-user.ts';
import type { Upload } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { closeDialog, showList } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import { emptyDraft, toVersion, type Draft } from './draft.ts';
import { toFields } from './field-draft.ts';
import { ItemForm } from './item-form.tsx';
import { useKept } from './use-kept.ts';
import { useSave } from './use-save.ts';
import { saveLabel, toSeen } from './seen.ts';
import { t } from '../../messages/texts.ts';

type UploadDraft = { draft: Draft; key: string };

const KEPT = { initial: () => withNewKey(emptyDraft()), unchanged: emptyDraft };

export function UploadForm() {
  const { state: unsent, isKept, wasSent, keep, drop, markSent, dropSent, isOpen } = useKept<UploadDraft>('upload', KEPT);
  const { save, failure, share } = useSave(() => keep((current) => current));
  const discard = (): void => {
    drop();
    closeDialog();
  };
  const submit = (): void =>
    save(async (onProgress) => {
      const unanswered = markSent();
      const { draft: sent, key } = unanswered;
      const { contentId, visibility, isListed } = await uploadItem(await toUpload(sent), key, onProgress);
      dropSent(unanswered);
      // What was typed since is kept, but the form closes: one that stays would look as if nothing had been sent.
      if (isOpen.current) showList({ ...EVERYTHING, ...listWith(visibility) }, { replace: true });
      readAgain();
      notify(storedText(sent.name, visibility, isListed), { item: contentId });
    });
  useEffect(() => {
    if (wasSent) submit();
  }, []);
  return (
    <ItemForm
      draft={unsent.draft}
      isKept={wasSent && share !== undefined ? 'sent again' : isKept}
      onChange={(changes) => keep(({ draft }) => withNewKey({ ...draft, ...changes }))}
      onSubmit={submit}
      onCancel={discard}
      submitLabel={t(saveLabel(unsent.draft))}
      failure={failure}
      share={share}
    />
  );
}

/** What an upload has become: it may wait for a review. */
type Visibility = Awaited<ReturnType<typeof uploadItem>>['visibility'];

/** The list in which an upload appears. */
function listWith(visibility: Visibility) {
  return visibility === 'public' ? { sort: ['createdAt,desc'] } : { hidden: 'mine' as const };
}

function storedText(name: string, visibility: Visibility, isListed: boolean): string {
  if (visibility === 'review') return t('waitsForReview', { name });
  if (visibility !== 'public') return t('isKept', { name });
  return t(isListed ? 'isListed' : 'isStored', { name });
}

async function toUpload(draft: Draft): Promise<Upload> {
  const { name, description, tags, data, fileName, version, picture } = draft;
  const creatorId = await ownUserId();
  const thumbnail = picture ? { thumbnail: picture } : {};
  const file = fileName === '' ? {} : { fileName };
  const more = { ...file, ...thumbnail, ...toSeen(draft), ...ownFields(draft) };
  return { creatorId, name, description, tags, data, version: toVersion(version), ...more };
}

function ownFields(draft: Draft): Pick<Upload, 'fields'> {
  const values = toFields(draft, declaredFields.map(({ name }) => name)); // prettier-ignore
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return given.length === 0 ? {} : { fields: Object.fromEntries(given) };
}

/**
 * The idempotency key belongs to the content: another content gets another key. crypto.randomUUID exists only in pages
 * that were loaded over TLS or from this machine.
 */
function withNewKey(draft: Draft): UploadDraft {
  return { draft, key: crypto.getRandomValues(new Uint32Array(4)).join('-') };
}
