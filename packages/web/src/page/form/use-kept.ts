import { useEffect, useRef, useState } from 'preact/hooks';
import { notify } from '../notice.tsx';
import { completeDraft, isChanged, type Draft } from './draft.ts';
import { keepDraft, keptDraft } from './kept-drafts.ts';
import { t } from '../../messages/texts.ts';

/** A tab that is opened again much later must not surprise its user. */
const ANSWERED_AFTER_MS = 300_000;

type Sent<T> = T & { sentAtMs?: number | undefined };

/** A form that is closed and opened on the same page still gets its response. */
function isUnanswered({ sentAtMs = 0 }: { sentAtMs?: number | undefined } = {}): boolean {
  return sentAtMs < performance.timeOrigin && Date.now() - sentAtMs < ANSWERED_AFTER_MS;
}

/**
 * The state of a form, which is kept while the form is closed or the page is loaded again. `isKept`: whether it was when
 * the form was opened. `keep` changes the newest state, which may be newer than what was rendered when the caller began; of
 * a closed form, what it has left. `dropSent` forgets what was sent, unless it has changed since, and returns whether the
 * form is open and shows just that. `isOpen` stays right after the form is closed.
 *
 * `markSent` returns the newest state, which is then being sent until it is kept again. `wasSent`: whether the page was left
 * meanwhile, such as for a new token, so that nobody knows what became of it.
 * @param unchanged the draft as it is before the user types something, which is then worth keeping
 */
export function useKept<T extends { draft: Draft }>(
  form: string,
  { initial, unchanged }: { initial: () => T; unchanged: (state: T) => Draft },
) {
  const [opened] = useState(() => {
    const kept = keptDraft<Sent<T>>(form);
    return kept && { ...kept, draft: completeDraft(kept.draft, unchanged(kept)) };
  });
  const [state, setState] = useState<Sent<T>>(opened ?? initial);
  const newest = useRef(state);
  const isOpen = useRef(true);
  const keep = (change: (current: T) => T): void => {
    if (!isOpen.current && keptDraft(form) !== newest.current) return;
    set({ ...change(newest.current), sentAtMs: undefined });
  };
  const set = (next: Sent<T>): T => {
    newest.current = next;
    keepDraft(form, isChanged(unchanged(next), next.draft) ? next : undefined);
    setState(next);
    return next;
  };
  const markSent = (): T => set({ ...newest.current, sentAtMs: Date.now() });
  const drop = (): void => keepDraft(form, undefined);
  const dropSent = (sent: T): boolean => {
    if (keptDraft(form) === sent) drop();
    return isOpen.current && newest.current === sent;
  };
  useEffect(
    () => () => {
      isOpen.current = false;
      if (keptDraft(form)) notify(t('draftKept'));
    },
    [],
  );
  return { state, isKept: opened !== undefined, wasSent: isUnanswered(opened), keep, drop, markSent, dropSent, isOpen };
}
