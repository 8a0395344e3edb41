import { useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { formatBytes } from '../../messages/format.ts';
import { CARD_SIDE, useFirstFrame, useThumbnail, type WithThumbnail } from '../parts/use-thumbnail.ts';
import { settings } from '../settings.ts';
import type { Draft } from './draft.ts';
import { Field } from './field.tsx';
import { FileDrop } from './file-drop.tsx';
import { fitPicture, toBlob } from './picture.ts';
import { t } from '../../messages/texts.ts';

type PictureFieldProps = {
  picture: Draft['picture'];
  onChange: (picture: Draft['picture']) => void;
  error?: string | undefined;
  /** The item whose thumbnail is shown while there is no new picture. */
  item?: WithThumbnail | undefined;
};

export function PictureField({ picture, onChange, error, item }: PictureFieldProps) {
  const present = useThumbnail(item, '');
  const chosen = useFirstFrame(
    useMemo(() => (picture ? toBlob(picture) : undefined), [picture]),
    CARD_SIDE,
  );
  const shown = picture === undefined ? present : chosen;
  const { choose, note, fileError } = useChosenFile(onChange);
  const remove = (): void => choose(undefined, item && null);
  return (
    <Field
      label={t('picture')}
      hint={t('pictureHint', { side: settings.thumbnailMaxSide, size: formatBytes(settings.thumbnailMaxBytes) })}
      error={fileError ?? error}
    >
      {(control) => (
        <>
          <FileDrop
            label={t(shown === undefined ? 'choosePicture' : 'chooseOther')}
            input={{ ...control, accept: 'image/*' }}
            onFile={choose}
          >
            {shown === undefined ? <Icon name="picture" /> : <img src={shown} alt={t('asShown')} />}
            {shown !== undefined && <Button onClick={remove}>{t('removePicture')}</Button>}
          </FileDrop>
          <p role="status" class={fileError === undefined ? 'hint' : 'visually-hidden'}>
            {fileError ?? note}
          </p>
        </>
      )}
    </Field>
  );
}

/** `note` tells what the picture has lost. The newest choice counts, however long it takes to read it. */
function useChosenFile(onChange: PictureFieldProps['onChange']) {
  const [state, setState] = useState<{ note?: string; fileError?: string }>({});
  const newest = useRef<File | undefined>(undefined);
  const choose = (file: File | undefined, otherwise?: null): void => {
    newest.current = file;
    setState({});
    if (!file) return onChange(otherwise);
    const isNewest = (): boolean => newest.current === file;
    fitPicture(file, { maxBytes: settings.thumbnailMaxBytes, maxSide: settings.thumbnailMaxSide }).then(
      ({ picture, loss }) => {
        if (!isNewest()) return;
        setState({ note: loss });
        onChange(picture);
      },
      ({ message }: Error) => isNewest() && setState({ fileError: message }),
    );
  };
  return { choose, ...state };
}
