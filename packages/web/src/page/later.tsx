import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import type * as parts from './later-parts.ts';

type Parts = typeof parts;

let loaded: Parts | undefined;

/** Loads the parts of the page that few visits need. It fails while the API is down, and after an update of the service. */
export function Later({ children }: { children: (parts: Parts) => ComponentChildren }) {
  const [shown, setShown] = useState(loaded);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    // Another place of the page may have loaded them since this one was rendered.
    if (shown) return;
    import('./later-parts.ts').then(
      (read) => setShown((loaded = read)),
      () => setFailed(true),
    );
  }, []);
  if (shown) return <>{children(shown)}</>;
  if (!isFailed) return <div class="skeleton" aria-hidden="true" />;
  return (
    <p role="alert" class="error">
      This part of the page could not be loaded.{' '}
      <Button kind="link" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </p>
  );
}
