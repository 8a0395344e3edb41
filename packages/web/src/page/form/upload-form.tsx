import { useEffect } from 'preact/hooks';
import { uploadItem } from '../api/content.ts';
import { ownUserId } from '../api/own-user.ts';
import { saidFault } from '../api/said-problem.ts';
import type { Upload } from '../api/types.ts';
import { readAgain } from '../api/use-query.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { closeDialog, showList } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import { emptyDraft, isChanged, toVersion, type Draft } from './draft.ts';
import { toFields } from './field-draft.ts';
import { ItemForm } from './item-form.tsx';
import { useKept } from './use-kept.ts';
import { useSave } from './use-save.ts';
import type { RequestFailed } from '../api/request.ts';
import { SEEN_BY_ALL, toVisibility, VisibilityField, type Visible } from './visibility-field.tsx';
import { t } from '../../messages/texts.ts';

type UploadDraft = { draft: Draft; key: string; seen?: Visible };

const KEPT = { initial: () => withNewKey(emptyDraft()), hasDraft: ({ draft }: UploadDraft) => isChanged(emptyDraft(), draft) };

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
      const { draft: sent, key, seen = SEEN_BY_ALL } = unanswered;
      const { contentId, visibility, isListed } = await uploadItem({ ...(await toUpload(sent)), ...toVisibility(seen) }, key, onProgress);
      dropSent(unanswered);
      // What was typed since is kept, but the form closes: one that stays would look as if nothing had been sent.
      if (isOpen.current) showList({ ...EVERYTHING, ...listWith(visibility) }, { replace: true });
      readAgain();
      notify(storedText(sent.name, visibility, isListed), { item: contentId });
    });
  useEffect(() => {
    if (wasSent) submit();
  }, []);
  const { seen = SEEN_BY_ALL } = unsent;
  const see = (next: Visible): void => keep(({ draft }) => ({ ...withNewKey(draft), seen: next }));
  return (
    <ItemForm
      draft={unsent.draft}
      isKept={wasSent && share !== undefined ? 'sent again' : isKept}
      onChange={(changes) => keep(({ draft, ...kept }) => ({ ...kept, ...withNewKey({ ...draft, ...changes }) }))}
      onSubmit={submit}
      onCancel={discard}
      submitLabel={t(LABELS[seen.visibility])}
      failure={failure}
      share={share}
    >
      <VisibilityField {...seen} errors={errorsOf(failure)} onChange={see} />
    </ItemForm>
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

const LABELS = { public: 'upload', unlisted: 'saveUnlisted', draft: 'saveDraft' } as const;

/** Those of the fields that items have on this page only. */
function errorsOf(failure: RequestFailed | undefined): { visibility?: string; publishAt?: string } {
  const found = (failure?.errors ?? []).map((error) => [(error.pointer ?? '').slice('#/'.length), saidFault(error)]);
  return Object.fromEntries(found) as { visibility?: string; publishAt?: string };
}

async function toUpload(draft: Draft): Promise<Upload> {
  const { name, description, tags, data, fileName, version, picture } = draft;
  const creatorId = await ownUserId();
  const thumbnail = picture ? { thumbnail: picture } : {};
  const file = fileName === '' ? {} : { fileName };
  return { creatorId, name, description, tags, data, version: toVersion(version), ...file, ...thumbnail, ...ownFields(draft) };
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
