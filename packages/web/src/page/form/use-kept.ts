import { useEffect, useRef, useState } from 'preact/hooks';
import { notify } from '../notice.tsx';
import { keepDraft, keptDraft } from './kept-drafts.ts';

/**
 * The state of a form, which is kept while the form is closed or the page is loaded again. `isKept`: whether it was when
 * the form was opened. `keep` changes the newest state, which may be newer than what was rendered when the caller began; of
 * a closed form, what it has left. `dropSent` forgets what was sent, unless it has changed since, and returns whether the
 * form is open and shows just that. `isOpen` stays right after the form is closed.
 * @param hasDraft whether the user has typed something that is worth keeping
 */
export function useKept<T extends object>(form: string, { initial, hasDraft }: { initial: () => T; hasDraft: (state: T) => boolean }) {
  const [opened] = useState(() => keptDraft<T>(form));
  const [state, setState] = useState(opened ?? initial);
  const newest = useRef(state);
  const isOpen = useRef(true);
  const keep = (change: (current: T) => T): void => {
    if (!isOpen.current && keptDraft(form) !== newest.current) return;
    const next = (newest.current = change(newest.current));
    keepDraft(form, hasDraft(next) ? next : undefined);
    setState(next);
  };
  const drop = (): void => keepDraft(form, undefined);
  const dropSent = (sent: T): boolean => {
    if (keptDraft(form) === sent) drop();
    return isOpen.current && newest.current === sent;
  };
  useEffect(
    () => () => {
      isOpen.current = false;
      if (keptDraft(form)) notify('Your draft is kept.');
    },
    [],
  );
  return { state, isKept: opened !== undefined, keep, drop, dropSent, isOpen };
}
