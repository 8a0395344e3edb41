import { useEffect, useState } from 'preact/hooks';
import { getThumbnail } from '../api/content.ts';
import { repeatUntilRead, useSignIns } from '../api/use-query.ts';
import { fewAtOnce } from './few-at-once.ts';

/** `hasThumbnail` is not known of an item that was indexed before lists had it. */
export type WithThumbnail = { contentId: number; hasThumbnail?: boolean | undefined };

/** The longest side of a picture in a card, which is cut to 3 : 2, and of one that is shown large, in pixels of CSS. */
export const [CARD_SIDE, LARGE_SIDE] = [480, 960];

/** So that a slow network has room for lists beside them, and the browser has connections. */
const toRead = fewAtOnce(3);
/** So that few large frames are in memory. */
const toDraw = fewAtOnce(2);

/**
 * The first frame of a thumbnail as a blob URL, which is revoked when it is no longer shown: an <img> cannot send the token.
 * @param item undefined as long as it need not be read
 * @param version changes when the thumbnail may have changed
 * @returns undefined while there is no image
 */
export function useThumbnail(item: WithThumbnail | undefined, version: string): string | undefined {
  return useFirstFrame(useThumbnailBlob(item, version), CARD_SIDE);
}

export function useThumbnailBlob(item: WithThumbnail | undefined, version: string): Blob | undefined {
  const [read, setRead] = useState<{ of?: number; blob?: Blob | undefined }>({});
  const signIns = useSignIns();
  const contentId = item?.hasThumbnail === false ? undefined : item?.contentId;
  useEffect(() => {
    if (contentId === undefined) return undefined;
    const onData = (blob?: Blob): void => setRead({ of: contentId, blob });
    // Without an image there is a sign instead, of which nobody is told.
    const silently = { onError: () => onData(), onRetry: () => undefined };
    return repeatUntilRead((signal) => toRead(() => getThumbnail(contentId, signal)), { onData, ...silently });
  }, [contentId, version, signIns]);
  // Not that of another item, nor one that was removed.
  return read.of === contentId ? read.blob : undefined;
}

/** @param side the longest side, in pixels of CSS · @returns undefined until it is drawn, and if it cannot be */
export function useFirstFrame(picture: Blob | undefined, side: number): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!picture) return undefined;
    const controller = new AbortController();
    let created = '';
    const isShown = (): boolean => !controller.signal.aborted;
    const draw = async (): Promise<void> => {
      const { drawFirstFrame } = await import('./first-frame.ts');
      if (!isShown()) return;
      const drawn = await drawFirstFrame(picture, side * Math.min(devicePixelRatio, 2));
      if (drawn && isShown()) setUrl((created = URL.createObjectURL(drawn)));
    };
    // Like a picture that cannot be read.
    toDraw(draw).catch(() => undefined);
    return () => {
      controller.abort();
      setUrl(undefined);
      URL.revokeObjectURL(created);
    };
  }, [picture, side]);
  return url;
}
