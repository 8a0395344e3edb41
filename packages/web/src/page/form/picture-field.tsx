import { useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { useBlobUrl, useThumbnail } from '../parts/use-thumbnail.ts';
import { settings } from '../settings.ts';
import type { Draft } from './draft.ts';
import { Field } from './field.tsx';
import { fitPicture } from './picture.ts';

type PictureFieldProps = {
  picture: Draft['picture'];
  onChange: (picture: Blob | null | undefined) => void;
  error?: string | undefined;
  /** The item whose thumbnail is shown while there is no new picture. */
  contentId?: number | undefined;
};

export function PictureField({ picture, onChange, error, contentId }: PictureFieldProps) {
  const [isOver, setOver] = useState(false);
  const present = useThumbnail(contentId, '');
  const chosen = useBlobUrl(picture ?? undefined);
  const shown = picture === undefined ? present : chosen;
  const choose = (file: File | undefined): void => {
    if (file) void fitPicture(file, { maxBytes: settings.thumbnailMaxBytes, maxSide: settings.thumbnailMaxSide }).then(onChange);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer?.files[0]);
  };
  return (
    <Field label="Picture" hint="PNG, JPEG, WebP or GIF. A large picture is made smaller." error={error}>
      {(control) => (
        <div
          class={isOver ? 'picture picture-over' : 'picture'}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={onDrop}
        >
          {shown === undefined ? <Icon name="picture" /> : <img src={shown} alt="The picture as it will be shown" />}
          <input
            {...control}
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif"
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
          {shown !== undefined && <Button onClick={() => onChange(contentId === undefined ? undefined : null)}>Remove the picture</Button>}
        </div>
      )}
    </Field>
  );
}
