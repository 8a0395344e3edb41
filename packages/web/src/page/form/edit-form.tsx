import { editItem, getItem, type ReadItem } from '../api/content.ts';
import { readAgain } from '../api/use-query.ts';
import { navigate } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { ConflictNote } from './conflict-note.tsx';
import { isChanged, mergeDrafts, toDraft, toEdit, type Draft } from './draft.ts';
import { ItemForm } from './item-form.tsx';
import { useKept } from './use-kept.ts';
import { useSave } from './use-save.ts';

/** `read` is what the draft was made from. `theirs` are the texts of somebody else in fields that the user has changed, too. */
type Unsent = { read: ReadItem; draft: Draft; theirs: Partial<Draft> | undefined };

export function EditForm({ read }: { read: ReadItem }) {
  const { contentId } = read.item;
  const { unsent, isKept, keep, drop } = useUnsent(read);
  const { save, failure, share } = useSave();
  const close = (): void => {
    drop();
    navigate({ form: undefined }, { replace: true });
  };
  const submit = (): void =>
    save(async (onProgress) => {
      const { draft, read: base } = unsent;
      await editItem(contentId, toEdit(toDraft(base.item), draft), base.tag, onProgress);
      close();
      readAgain();
      notify(`“${draft.name}” was changed.`);
    });
  const lookAgain = (): void => save(async () => keep(mergeWith(unsent, await getItem(contentId))));
  return (
    <ItemForm
      draft={unsent.draft}
      isKept={isKept}
      onChange={(draft) => keep({ draft })}
      onSubmit={submit}
      onCancel={close}
      submitLabel="Save"
      failure={failure}
      share={share}
      contentId={contentId}
    >
      <ConflictNote
        isOutdated={failure?.status === 412}
        theirs={unsent.theirs}
        onLookAgain={lookAgain}
        onTake={(changes) => keep({ draft: { ...unsent.draft, ...changes } })}
      />
    </ItemForm>
  );
}

function useUnsent(read: ReadItem) {
  const {
    state: unsent,
    keep,
    ...kept
  } = useKept<Unsent>(`edit ${read.item.contentId}`, {
    initial: () => ({ read, draft: toDraft(read.item), theirs: undefined }),
    hasDraft: ({ read: base, draft }) => isChanged(toDraft(base.item), draft),
  });
  return { ...kept, unsent, keep: (changes: Partial<Unsent>) => keep({ ...unsent, ...changes }) };
}

function mergeWith({ read, draft }: Unsent, current: ReadItem): Unsent {
  const now = toDraft(current.item);
  const { merged, conflicts } = mergeDrafts(toDraft(read.item), draft, now);
  return { read: current, draft: merged, theirs: Object.fromEntries(conflicts.map((field) => [field, now[field]])) };
}
