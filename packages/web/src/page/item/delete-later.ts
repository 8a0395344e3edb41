import { deleteItem } from '../api/changes.ts';
import type { ReadItem } from '../api/content.ts';
import { markDeleted } from '../api/deletions.ts';
import { RequestFailed } from '../api/request.ts';
import { readAgain } from '../api/use-query.ts';
import { notify } from '../notice.tsx';
import { session } from '../token/session.ts';
import { LEFT_DELETION } from './left-deletion.ts';
import { t } from '../../messages/texts.ts';

/** A deletion that could not be sent when the page was left, as for a new token. */
type Left = Deletion & { account: string | undefined };

/** Continues with such a deletion of this user. It can be undone again. */
export function resumeDeletion(): void {
  const left = JSON.parse(sessionStorage.getItem(LEFT_DELETION) ?? 'null') as Left | null;
  if (!left || left.account !== session.get().user?.account || hasEnded()) return;
  sessionStorage.removeItem(LEFT_DELETION);
  deleteLater(left);
}

function hasEnded(): boolean {
  const { isRefused, user } = session.get();
  return isRefused || (user?.expiresAt ?? Infinity) <= Date.now();
}

type Deletion = { item: Pick<ReadItem['item'], 'contentId' | 'name'>; tag: string };

/** Deletes the item when it can no longer be undone. Until then it only vanishes from the page. */
export function deleteLater({ item: { contentId, name }, tag }: Deletion): void {
  // That of the user who deletes: another one may be signed in when the note ends.
  const { token, user } = session.get();
  const show = (isShown: boolean): void => {
    markDeleted(contentId, !isShown);
    readAgain();
  };
  const onEnd = (isLeaving: boolean): void => {
    if (isLeaving && hasEnded()) {
      const left: Left = { account: user?.account, item: { contentId, name }, tag };
      return sessionStorage.setItem(LEFT_DELETION, JSON.stringify(left));
    }
    deleteItem(contentId, { tag, token, isLeaving }).then(readAgain, (error: unknown) => {
      if (!(error instanceof RequestFailed)) throw error;
      show(true);
      notify(t('notDeleted', { name, reason: error.message }), { item: contentId });
    });
  };
  show(false);
  notify(t('deleted', { name }), { onUndo: () => show(true), onEnd });
}
