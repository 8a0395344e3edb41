import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import type * as parts from './later-parts.ts';
import { loadLaterTexts, t } from '../messages/texts.ts';

type Parts = typeof parts;

let loaded: Parts | undefined;

/** Keeps the place of what is not loaded yet. */
export function Skeleton() {
  return <div class="skeleton" aria-hidden="true" />;
}

/** Loads what `Later` shows, and its texts. */
export async function loadParts(): Promise<Parts> {
  const [read] = await Promise.all([import('./later-parts.ts'), loadLaterTexts()]);
  return (loaded = read);
}

type LaterProps = {
  children: (parts: Parts) => ComponentChildren;
  /** What is shown until it is loaded, and if it cannot be, where nobody waits for it: null is nothing. */
  meanwhile?: ComponentChildren;
};

/** Loads the parts of the page that few visits need. It fails while the API is down, and after an update of the service. */
export function Later({ children, meanwhile }: LaterProps) {
  const [shown, setShown] = useState(loaded);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    // Another place of the page may have loaded them since this one was rendered.
    if (shown) return;
    loadParts().then(setShown, () => setFailed(true));
  }, []);
  if (shown) return <>{children(shown)}</>;
  if (meanwhile !== undefined) return <>{meanwhile}</>;
  if (!isFailed) return <Skeleton />;
  return (
    <p role="alert" class="error">
      {t('notLoaded')}{' '}
      <Button kind="link" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </p>
  );
}
