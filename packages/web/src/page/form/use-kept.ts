import { useEffect, useState } from 'preact/hooks';
import { notify } from '../notice.tsx';
import { keepDraft, keptDraft } from './kept-drafts.ts';

/**
 * The state of a form, which is kept while the form is closed or the page is loaded again. `isKept`: whether it was when
 * the form was opened. `drop` forgets it, such as after it was sent.
 * @param hasDraft whether the user has typed something that is worth keeping
 */
export function useKept<T extends object>(form: string, { initial, hasDraft }: { initial: () => T; hasDraft: (state: T) => boolean }) {
  const [opened] = useState(() => keptDraft<T>(form));
  const [state, setState] = useState(opened ?? initial);
  const keep = (next: T): void => {
    keepDraft(form, hasDraft(next) ? next : undefined);
    setState(next);
  };
  const drop = (): void => keepDraft(form, undefined);
  useEffect(
    () => () => {
      if (keptDraft(form)) notify('Your draft is kept.');
    },
    [],
  );
  return { state, isKept: opened !== undefined, keep, drop };
}
