import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useThumbnail, type WithThumbnail } from './use-thumbnail.ts';

/** `updatedAt` changes when the thumbnail may have changed. */
type ThumbnailProps = { item: WithThumbnail & { name: string; updatedAt?: string } };

/** Read once it is about to be visible. It shows nothing that the text beside it does not say. */
export function Thumbnail({ item }: ThumbnailProps) {
  const { contentId, name, updatedAt = '' } = item;
  const element = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(element);
  const url = useThumbnail(isNear ? item : undefined, updatedAt);
  return (
    <div ref={element} class={classOf(contentId)} aria-hidden="true">
      {url === undefined ? firstLetterOf(name) : <img src={url} alt="" />}
    </div>
  );
}

/** What an item without a picture has instead. */
export function Letter({ contentId, name }: { contentId: number; name: string }) {
  return (
    <div class={classOf(contentId)} aria-hidden="true">
      {firstLetterOf(name)}
    </div>
  );
}

const classOf = (contentId: number): string => `thumbnail hue-${contentId % 6}`;
const firstLetterOf = (name: string): string | undefined => [...name.trim()][0];

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
