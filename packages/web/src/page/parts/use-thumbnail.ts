import { useEffect, useState } from 'preact/hooks';
import { getThumbnail } from '../api/content.ts';
import { repeatUntilRead, useSignIns } from '../api/use-query.ts';

/** `hasThumbnail` is not known of an item that was indexed before lists had it. */
export type WithThumbnail = { contentId: number; hasThumbnail?: boolean | undefined };

/**
 * The thumbnail as a blob URL, which is revoked when it is no longer shown: an <img> cannot send the token.
 * @param item undefined as long as it need not be read
 * @param version changes when the thumbnail may have changed
 * @returns undefined while there is no image
 */
export function useThumbnail(item: WithThumbnail | undefined, version: string): string | undefined {
  const [blob, setBlob] = useState<Blob>();
  const signIns = useSignIns();
  const contentId = item?.hasThumbnail === false ? undefined : item?.contentId;
  useEffect(() => {
    if (contentId === undefined) return undefined;
    // Without an image there is a letter instead.
    return repeatUntilRead((signal) => getThumbnail(contentId, signal), { onData: setBlob, onError: () => undefined });
  }, [contentId, version, signIns]);
  return useBlobUrl(blob);
}

export function useBlobUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return undefined;
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(created);
    };
  }, [blob]);
  return url;
}
