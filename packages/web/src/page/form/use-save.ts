import { useState } from 'preact/hooks';
import { RequestFailed } from '../api/request.ts';

/** Sends a change and keeps what went wrong. `share` is how much of it is sent, 0 to 1. */
export function useSave() {
  const [share, setShare] = useState<number>();
  const [failure, setFailure] = useState<RequestFailed>();
  const save = (change: (onProgress: (share: number) => void) => Promise<void>): void => {
    setFailure(undefined);
    setShare(0);
    change(setShare)
      .catch((error: unknown) => {
        if (!(error instanceof RequestFailed)) throw error;
        setFailure(error);
      })
      .finally(() => setShare(undefined));
  };
  return { save, failure, share, isSaving: share !== undefined };
}
