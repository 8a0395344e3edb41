import { useEffect, useState } from 'preact/hooks';
import { suggest } from '../api/content.ts';
import type { Suggestions } from '../api/types.ts';

const SUGGEST_AFTER_MS = 80;

/** The completions of `text`. Without a response there are none: a search needs no suggestions. */
export function useSuggestions(text: string): Suggestions['completions'] {
  const [completions, setCompletions] = useState<Suggestions['completions']>([]);
  useEffect(() => {
    if (text.trim() === '') return setCompletions([]);
    const controller = new AbortController();
    const read = (): void => {
      suggest(text, controller.signal).then(
        (suggestions) => setCompletions(suggestions.completions),
        () => controller.signal.aborted || setCompletions([]),
      );
    };
    const timer = setTimeout(read, SUGGEST_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return completions;
}
