import { useEffect, useRef } from 'preact/hooks';
import { editItem } from '../api/changes.ts';
import { getItem, type ReadItem } from '../api/content.ts';
import { askOwnUser } from '../api/own-user.ts';
import type { ContentItem, Edit } from '../api/types.ts';
import { readAgain, useQuery } from '../api/use-query.ts';
import { Skeleton } from '../later.tsx';
import { navigate } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { settings } from '../settings.ts';
import { hasScope } from '../token/claims.ts';
import { session } from '../token/session.ts';
import { useStore } from '../../shared/store.ts';
import { ConflictNote } from './conflict-note.tsx';
import { mergeDrafts, toDraft, toEdit, type Draft } from './draft.ts';
import { ItemForm } from './item-form.tsx';
import { saidNow, saveLabel } from './seen.ts';
import { useKept } from './use-kept.ts';
import { useSave } from './use-save.ts';
import { t } from '../../messages/texts.ts';

/** `read` is what the draft was made from. `theirs` are the texts of somebody else in fields that the user has changed, too. */
type Unsent = { read: ReadItem; draft: Draft; theirs: Partial<Draft> | undefined };

/** The form, for whoever may edit the item; for others, the item takes its place. */
export function EditForm({ read }: { read: ReadItem }) {
  const mayEdit = useMayEdit(read.item);
  useEffect(() => {
    if (mayEdit === false) close();
  }, [mayEdit]);
  return mayEdit ? <Form read={read} /> : <Skeleton />;
}

/** @returns undefined while the id of the user is not known; of a user who has signed in again, what it was before */
function useMayEdit({ creatorId, hidden }: ContentItem): boolean | undefined {
  const { token, user } = useStore(session);
  const known = user?.userId;
  const asked = useQuery(`own user ${known ?? ''}`, (signal) => (known === undefined ? askOwnUser({ signal }) : Promise.resolve(known)));
  const answer = useRef<boolean | undefined>(undefined);
  const mayEditAll = hasScope(token, settings.scopeClaim, 'content:write:any');
  if (hidden || mayEditAll) answer.current = !hidden;
  // Without an id, a user has not written anything.
  else if (known !== undefined || !asked.isLoading) answer.current = (known ?? asked.data) === creatorId;
  return answer.current;
}

function Form({ read }: { read: ReadItem }) {
  const { contentId } = read.item;
  const { state: unsent, isKept, wasSent, keep, drop, markSent, dropSent } = useUnsent(read);
  const { save, failure, share } = useSave(() => keep((current) => current));
  const discard = (): void => {
    drop();
    close();
  };
  const change = (changes: Partial<Draft>): void => keep((current) => ({ ...current, draft: { ...current.draft, ...changes } }));
  const submit = (): void =>
    save(async (onProgress) => {
      const unanswered = markSent();
      const { draft, read: base } = unanswered;
      const edit = toEdit(toDraft(base.item), draft);
      const saved = withUnanswered(await editItem(contentId, edit, base.tag, onProgress), base.item, { edit, draft });
      if (dropSent(unanswered)) close();
      // What was typed since is an edit of the item as it is now.
      else keep((newest) => ({ ...newest, read: saved, theirs: undefined }));
      readAgain();
      notify(edit.visibility ? saidNow(saved.item) : t('wasChanged', { name: draft.name }));
    });
  const lookAgain = (): void => save(async () => keep(mergeWith(await getItem(contentId))));
  useEffect(() => {
    if (wasSent) submit();
  }, []);
  return (
    <ItemForm
      draft={unsent.draft}
      isKept={wasSent && share !== undefined ? 'sent again' : isKept}
      onChange={change}
      onSubmit={submit}
      onCancel={discard}
      submitLabel={t(saveLabel(unsent.draft, toDraft(unsent.read.item)))}
      failure={failure}
      share={share}
      item={read.item}
    >
      <ConflictNote isOutdated={failure?.status === 412} theirs={unsent.theirs} onLookAgain={lookAgain} onTake={change} />
    </ItemForm>
  );
}

/** The response has no field that is read on request only. */
function withUnanswered({ item, tag }: ReadItem, before: ContentItem, { edit, draft }: { edit: Edit; draft: Draft }): ReadItem {
  const fields = Object.entries({ ...before.fields, ...edit.fields }).filter(([, value]) => value !== null);
  return { item: { ...item, tags: draft.tags, fileName: draft.fileName, fields: Object.fromEntries(fields) }, tag };
}

function useUnsent(read: ReadItem) {
  return useKept<Unsent>(`edit ${read.item.contentId}`, {
    initial: () => ({ read, draft: toDraft(read.item), theirs: undefined }),
    unchanged: ({ read: base }) => toDraft(base.item),
  });
}

function close(): void {
  navigate({ form: undefined }, { replace: true });
}

function mergeWith(current: ReadItem): (unsent: Unsent) => Unsent {
  const now = toDraft(current.item);
  return ({ read, draft }) => {
    const { merged, conflicts } = mergeDrafts(toDraft(read.item), draft, now);
    return { read: current, draft: merged, theirs: Object.fromEntries(conflicts.map((field) => [field, now[field]])) as Partial<Draft> };
  };
}
