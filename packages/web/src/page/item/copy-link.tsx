import { Button } from '../../shared/button.tsx';
import { copyText } from '../notice.tsx';
import { t } from '../../messages/texts.ts';

/** Copies the address of the item alone, without the list that it was found in. */
export function CopyLink({ contentId }: { contentId: number }) {
  return (
    <Button icon="link" onClick={() => copyText(new URL(`?item=${contentId}`, location.href).href, 'link')}>
      {t('copyItemLink')}
    </Button>
  );
}
