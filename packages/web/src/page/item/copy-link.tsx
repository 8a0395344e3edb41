import { Button } from '../../shared/button.tsx';
import { copyText } from '../notice.tsx';

/** Copies the address of the item alone, without the list that it was found in. */
export function CopyLink({ contentId }: { contentId: number }) {
  return (
    <Button icon="link" onClick={() => copyText(new URL(`?item=${contentId}`, location.href).href, 'link')}>
      Copy link
    </Button>
  );
}
