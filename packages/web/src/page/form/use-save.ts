import { useEffect, useRef, useState } from 'preact/hooks';
import { RequestFailed } from '../api/request.ts';
import { notify } from '../notice.tsx';
import { t } from '../../messages/texts.ts';

/**
 * Sends a change and keeps what went wrong; a note says it if the form is closed by then. `share` is how much of it is sent,
 * 0 to 1.
 * @param onFailure called with the reason when the change is refused, or may have been lost
 */
export function useSave(onFailure?: (failure: RequestFailed) => void) {
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<RequestFailed>();
  const isOpen = useRef(true);
  useEffect(() => () => void (isOpen.current = false), []);
  const save = (change: (onProgress: (share: number) => void) => Promise<void>): void => {
    setFailure(undefined);
    setShare(0);
    change(setShare)
      .catch((error: unknown) => {
        if (!(error instanceof RequestFailed)) throw error;
        onFailure?.(error);
        if (isOpen.current) setFailure(error);
        else notify(t('saveFailed', { reason: error.message }));
      })
      .finally(() => setShare(undefined));
  };
  return { save, failure, share };
}
