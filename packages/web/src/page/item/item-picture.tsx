import { useState } from 'preact/hooks';
import { Dialog } from '../../shared/dialog.tsx';
import type { ContentItem } from '../api/types.ts';
import { Letter } from '../parts/thumbnail.tsx';
import { useThumbnail } from '../parts/use-thumbnail.ts';

/** The picture of an item, which opens large. */
export function ItemPicture({ item }: { item: ContentItem }) {
  const { contentId, name, updatedAt } = item;
  const url = useThumbnail(item, updatedAt);
  const [isLarge, setLarge] = useState(false);
  if (url === undefined) return <Letter contentId={contentId} name={name} />;
  return (
    <>
      <button type="button" class="thumbnail" aria-label="Show the picture large" onClick={() => setLarge(true)}>
        <img src={url} alt="" />
      </button>
      {isLarge && (
        <Dialog title={name} onClose={() => setLarge(false)} kind="picture">
          <img src={url} alt={`The picture of ${name}`} />
        </Dialog>
      )}
    </>
  );
}
