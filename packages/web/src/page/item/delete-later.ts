import { deleteItem, type ReadItem } from '../api/content.ts';
import { markDeleted } from '../api/deletions.ts';
import { RequestFailed } from '../api/request.ts';
import { readAgain } from '../api/use-query.ts';
import { notify } from '../notice.tsx';
import { session } from '../token/session.ts';

/** Deletes the item when it can no longer be undone. Until then it only vanishes from the page. */
export function deleteLater({ item: { contentId, name }, tag }: ReadItem): void {
  // That of the user who deletes: another one may be signed in when the note ends.
  const { token } = session.get();
  const show = (isShown: boolean): void => {
    markDeleted(contentId, !isShown);
    readAgain();
  };
  const onEnd = (isLeaving: boolean): void => {
    deleteItem(contentId, { tag, token, isLeaving }).then(readAgain, (error: unknown) => {
      if (!(error instanceof RequestFailed)) throw error;
      show(true);
      const reason = error.status === 412 ? 'Somebody changed it since you opened it.' : error.message;
      notify(`“${name}” was not deleted. ${reason}`, { item: contentId });
    });
  };
  show(false);
  notify(`“${name}” was deleted.`, { onUndo: () => show(true), onEnd });
}
