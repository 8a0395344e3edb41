import { useId, useState } from 'preact/hooks';
import { moveActive } from '../../shared/move-active.ts';
import { useSuggestions } from './use-suggestions.ts';

/** The state of the list below the search field: whether it is open, and which option is active. */
export function useSuggestionList(text: string) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { completions: found, typed } = useSuggestions(isOpen ? text : '');
  const completions = isOpen ? found : [];
  const show = (isShown: boolean): void => {
    setOpen(isShown);
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = moveActive(event, active, completions.length);
    if (moved === undefined) return;
    event.preventDefault();
    if (moved === 'close') show(false);
    else setActive(moved);
  };
  return { id, completions, typed, active, show, onKeyDown };
}
