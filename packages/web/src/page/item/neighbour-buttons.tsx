import { useEffect } from 'preact/hooks';
import { IconButton } from '../../shared/button.tsx';
import { hasModifier } from '../../shared/has-modifier.ts';
import { useStore } from '../../shared/store.ts';
import { listItems } from '../api/content.ts';
import { idsOf, listed } from '../api/listed.ts';
import { neighboursOf, type Neighbour } from '../api/neighbours.ts';
import { navigate } from '../location/view.ts';
import { notify } from '../notice.tsx';
import { t } from '../../messages/texts.ts';

/** Lead to the items before and after this one in the list, and so do the arrow keys. */
export function NeighbourButtons({ contentId }: { contentId: number }) {
  const { previous, next } = neighboursOf(useStore(listed), contentId, async (view) => idsOf(await listItems(view)));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const [ArrowLeft, ArrowRight] = document.dir === 'rtl' ? [next, previous] : [previous, next];
      const neighbour = { ArrowLeft, ArrowRight }[event.key];
      if (neighbour && !hasModifier(event) && !isUsedElsewhere(event.target as HTMLElement)) open(neighbour);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
  return (
    <>
      {previous && <IconButton icon="previous" label={t('previousItem')} onClick={() => open(previous)} />}
      {next && <IconButton icon="next" label={t('nextItem')} onClick={() => open(next)} />}
    </>
  );
}

/** A text and the picture have arrows of their own, and cover the item. */
function isUsedElsewhere(target: HTMLElement): boolean {
  return target.matches('input, textarea, select, pre') || document.querySelectorAll('dialog').length > 1;
}

/** Without a response, the item stays. Whoever has gone on meanwhile stays there, and is not told. */
function open(neighbour: Neighbour): void {
  const at = location.search;
  neighbour().then(
    (place) => place && location.search === at && navigate(place, { replace: true }),
    ({ message }: Error) => location.search === at && notify(message),
  );
}
