import { Button } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { useBlobUrl, useThumbnail } from '../parts/use-thumbnail.ts';
import { settings } from '../settings.ts';
import type { Draft } from './draft.ts';
import { Field } from './field.tsx';
import { FileDrop } from './file-drop.tsx';
import { fitPicture } from './picture.ts';

type PictureFieldProps = {
  picture: Draft['picture'];
  onChange: (picture: Blob | null | undefined) => void;
  error?: string | undefined;
  /** The item whose thumbnail is shown while there is no new picture. */
  contentId?: number | undefined;
};

const ACCEPT = 'image/png,image/jpeg,image/webp,image/gif';

export function PictureField({ picture, onChange, error, contentId }: PictureFieldProps) {
  const present = useThumbnail(contentId, '');
  const chosen = useBlobUrl(picture ?? undefined);
  const shown = picture === undefined ? present : chosen;
  const choose = (file: File): void => {
    void fitPicture(file, { maxBytes: settings.thumbnailMaxBytes, maxSide: settings.thumbnailMaxSide }).then(onChange);
  };
  return (
    <Field label="Picture" hint="PNG, JPEG, WebP or GIF. A large picture is made smaller." error={error}>
      {(control) => (
        <FileDrop input={{ ...control, accept: ACCEPT }} onFile={choose}>
          {shown === undefined ? <Icon name="picture" /> : <img src={shown} alt="The picture as it will be shown" />}
          {shown !== undefined && <Button onClick={() => onChange(contentId === undefined ? undefined : null)}>Remove the picture</Button>}
        </FileDrop>
      )}
    </Field>
  );
}
