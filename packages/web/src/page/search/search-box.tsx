import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import type { Suggestions } from '../api/types.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { showList, useView } from '../location/view.ts';
import { moveActive } from './move-active.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { useSuggestions } from './use-suggestions.ts';

const SEARCH_AFTER_MS = 200;

type Completion = Suggestions['completions'][number];

/** Searches while one types, with suggestions: the pattern "combobox" of the ARIA Authoring Practices Guide. */
export function SearchBox() {
  const { text, setText, searchNow } = useTypedPrompt();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const suggestions = useSuggestions(isOpen ? text : '');
  const listId = useId();
  const completions = isOpen ? suggestions : [];
  const close = (): void => {
    setOpen(false);
    setActive(-1);
  };
  const choose = ({ type, text: chosen }: Completion): void => {
    close();
    if (type === 'tag') showList({ ...EVERYTHING, tags: [chosen] });
    else searchNow(chosen);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = moveActive(event.key, active, completions.length);
    if (moved !== undefined) setActive(moved);
    else if (event.key === 'Escape' && completions.length > 0) close();
    else return;
    event.preventDefault();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const completion = completions[active];
    if (completion) return choose(completion);
    close();
    searchNow(text);
  };
  return (
    <form role="search" class="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        class="search-input"
        role="combobox"
        aria-label="Search the collection"
        aria-autocomplete="list"
        aria-expanded={completions.length > 0}
        aria-controls={listId}
        aria-activedescendant={completions[active] && `${listId}-${active}`}
        placeholder="Search names, tags, descriptions, creators"
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="search"
        maxLength={1_000}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <SuggestionList id={listId} completions={completions} active={active} onChoose={choose} />
    </form>
  );
}

/** The text of the field. The list follows it after a pause, and it follows the address. */
function useTypedPrompt() {
  const { prompt } = useView();
  const [text, setText] = useState(prompt);
  const searched = useRef({ prompt, href: '' });
  const search = (next: string): void => {
    const { href } = searched.current;
    searched.current.prompt = next;
    if (next === prompt) return;
    // What is typed without a pause for something else is one entry of the history.
    showList({ prompt: next, correct: true, match: 'most' }, { replace: href === location.search });
    searched.current.href = location.search;
  };
  useEffect(() => {
    if (prompt === searched.current.prompt) return;
    searched.current.prompt = prompt;
    setText(prompt);
  }, [prompt]);
  useEffect(() => {
    const timer = setTimeout(() => search(text), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const searchNow = (next: string): void => {
    setText(next);
    search(next);
  };
  return { text, setText, searchNow };
}
