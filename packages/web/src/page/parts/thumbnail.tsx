import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { useThumbnail, type WithThumbnail } from './use-thumbnail.ts';

/** `updatedAt` changes when the thumbnail may have changed. */
type ThumbnailProps = { item: WithThumbnail & { updatedAt?: string } };

/** Read once it is about to be visible. It shows nothing that the text beside it does not say. */
export function Thumbnail({ item }: ThumbnailProps) {
  const element = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(element);
  const url = useThumbnail(isNear ? item : undefined, item.updatedAt ?? '');
  return (
    <div ref={element} class="thumbnail" aria-hidden="true">
      {url === undefined ? <NoPicture of={item} /> : <img src={url} alt="" />}
    </div>
  );
}

/** The same sign for all items without a picture; the place of one that has a picture is empty until it is read. */
export function NoPicture({ of }: { of: WithThumbnail }) {
  return of.hasThumbnail ? null : <Icon name="item" />;
}

function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const show = (entries: IntersectionObserverEntry[]): void => {
      if (entries.some((entry) => entry.isIntersecting)) setNear(true);
    };
    const observer = new IntersectionObserver(show, { rootMargin: '200px' });
    observer.observe(element.current as HTMLElement);
    return () => observer.disconnect();
  }, []);
  return isNear;
}
