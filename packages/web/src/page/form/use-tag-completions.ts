import { useEffect, useId, useState } from 'preact/hooks';
import { countFacets } from '../api/content.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { moveActive } from '../../shared/move-active.ts';
import { completionsOf, prefixOf } from './tag-completions.ts';

const COMPLETE_AFTER_MS = 80;

/** The list below the field for tags. `active` is the option that Enter takes, -1 for none. */
export function useTagCompletions(text: string, chosen: string[]) {
  const id = useId();
  const [tags, setTags] = useState<string[]>([]);
  const [active, setActive] = useState(-1);
  const [closedAt, setClosedAt] = useState('');
  const prefix = prefixOf(text);
  useEffect(() => {
    if (text.trim() === '') return setTags([]);
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      const { facets } = await countFacets(EVERYTHING, prefix, controller.signal);
      setTags(facets.tags.values.map(({ tag }) => tag));
    };
    // Without a response there are none: a tag needs no completion.
    const timer = setTimeout(() => read().catch(() => undefined), COMPLETE_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [prefix, text === '']);
  useEffect(() => setActive(-1), [text]);
  const completions = closedAt === text ? [] : completionsOf(text, tags, chosen);
  /** @returns whether the key was one of the list */
  const onKey = (event: KeyboardEvent): boolean => {
    const moved = moveActive(event, active, completions.length);
    if (moved === 'close') setClosedAt(text);
    else if (moved !== undefined) setActive(moved);
    return moved !== undefined;
  };
  return { id, completions, active, onKey };
}
