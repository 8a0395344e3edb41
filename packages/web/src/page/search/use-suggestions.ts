import { useEffect, useState } from 'preact/hooks';
import { suggest } from '../api/content.ts';
import type { Suggestions } from '../api/types.ts';

const SUGGEST_AFTER_MS = 80;

/** `typed` is what they complete: the text, or its correction. */
type Found = Pick<Suggestions, 'completions'> & { typed: string };
const NONE: Found = { completions: [], typed: '' };

/** The completions of `text`. Without a response there are none: a search needs no suggestions. */
export function useSuggestions(text: string): Found {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    if (text.trim() === '') return setFound(NONE);
    const controller = new AbortController();
    const read = (): void => {
      suggest(text, controller.signal).then(
        ({ completions, correction = text }) => setFound({ completions, typed: correction }),
        () => controller.signal.aborted || setFound(NONE),
      );
    };
    const timer = setTimeout(read, SUGGEST_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return found;
}
