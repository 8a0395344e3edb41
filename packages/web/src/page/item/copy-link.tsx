import { Button } from '../../shared/button.tsx';
import { notify } from '../notice.tsx';

/** Copies the address of the item alone, without the list that it was found in. */
export function CopyLink({ contentId }: { contentId: number }) {
  const copy = (): void => {
    const address = new URL(`?item=${contentId}`, location.href).href;
    // Pages that were loaded without TLS from another machine have no clipboard.
    const copied = (navigator.clipboard as Clipboard | undefined)?.writeText(address) ?? Promise.reject(new Error('no clipboard'));
    copied.then(
      () => notify('The link is copied.'),
      () => prompt('Copy this link:', address),
    );
  };
  return (
    <Button icon="link" onClick={copy}>
      Copy link
    </Button>
  );
}
