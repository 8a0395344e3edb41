import { useEffect, useRef, useState } from 'preact/hooks';
import { EVERYTHING } from '../location/query-string.ts';
import { showList, useView } from '../location/view.ts';

const SEARCH_AFTER_MS = 200;

/** The text of the search field. The list follows it after a pause, and it follows the address. */
export function useTypedPrompt() {
  const { prompt } = useView();
  const [text, setText] = useState(prompt);
  const searched = useRef({ prompt, query: '' });
  const search = (next: string): void => {
    const { prompt: last, query } = searched.current;
    if (next === last) return;
    searched.current.prompt = next;
    // What is typed without doing something else in between is one entry of the history.
    // An order that was chosen for the whole collection is not meant for what is searched next.
    const order = last.trim() === '' ? { sort: [] } : {};
    showList({ prompt: next, correct: true, match: EVERYTHING.match, ...order }, { replace: query !== '' && query === location.search });
    searched.current.query = location.search;
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
