import { useEffect, useState } from 'preact/hooks';

/** Whether the screen is as `condition` says. */
export function useMedia(condition: string): boolean {
  const [isMatching, setMatching] = useState(() => matchMedia(condition).matches);
  useEffect(() => {
    const media = matchMedia(condition);
    const update = (): void => setMatching(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [condition]);
  return isMatching;
}
