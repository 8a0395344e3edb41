import { useState } from 'preact/hooks';
import { Dialog } from '../../shared/dialog.tsx';
import type { ContentItem } from '../api/types.ts';
import { NoPicture } from '../parts/thumbnail.tsx';
import { CARD_SIDE, LARGE_SIDE, useFirstFrame, useThumbnailBlob } from '../parts/use-thumbnail.ts';
import { t } from '../../messages/texts.ts';

/** The picture of an item, which opens large. */
export function ItemPicture({ item }: { item: ContentItem }) {
  const { name, updatedAt } = item;
  const picture = useThumbnailBlob(item, updatedAt);
  const url = useFirstFrame(picture, CARD_SIDE);
  const [isLarge, setLarge] = useState(false);
  if (url === undefined)
    return (
      <div class="thumbnail" aria-hidden="true">
        <NoPicture of={item} />
      </div>
    );
  return (
    <>
      <button type="button" class="thumbnail" aria-label={t('showLarge')} onClick={() => setLarge(true)}>
        <img src={url} alt="" />
      </button>
      {isLarge && (
        <Dialog title={name} onClose={() => setLarge(false)} kind="picture" closesBeside>
          <LargePicture picture={picture} alt={t('pictureOf', { name })} />
        </Dialog>
      )}
    </>
  );
}

/** It never moves: a browser would decode all of its frames. */
function LargePicture({ picture, alt }: { picture: Blob | undefined; alt: string }) {
  const url = useFirstFrame(picture, LARGE_SIDE);
  return url === undefined ? <div class="skeleton" aria-hidden="true" /> : <img src={url} alt={alt} />;
}
