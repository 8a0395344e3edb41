import { useEffect } from 'preact/hooks';
import { Icon } from '../shared/icon.tsx';
import { createStore, useStore } from '../shared/store.ts';

const SHOWN_MS = 8_000;

const notice = createStore('');

/** Tells the user what has been done. */
export const notify = (text: string): void => notice.set(text);

export function Notice() {
  const text = useStore(notice);
  useEffect(() => {
    if (text === '') return undefined;
    const timer = setTimeout(() => notice.set(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div role="status" class="notice-region">
      {text !== '' && (
        <p class="notice">
          <Icon name="check" />
          {text}
        </p>
      )}
    </div>
  );
}
