import { Icon } from '../../shared/icon.tsx';
import type { Suggestions } from '../api/types.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { showList } from '../location/view.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { useSuggestionList } from './use-suggestion-list.ts';
import { useTypedPrompt } from './use-typed-prompt.ts';

/** Searches while one types, with suggestions: the pattern "combobox" of the ARIA Authoring Practices Guide. */
export function SearchBox() {
  const { text, setText, searchNow } = useTypedPrompt();
  const { id, completions, active, show, onKeyDown } = useSuggestionList(text);
  const choose = ({ type, text: chosen }: Suggestions['completions'][number]): void => {
    show(false);
    if (type !== 'tag') return searchNow(type === 'name' ? quoted(chosen) : chosen);
    setText('');
    showList({ ...EVERYTHING, tags: [chosen] });
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const completion = completions[active];
    if (completion) return choose(completion);
    show(false);
    searchNow(text);
  };
  const type = (typed: string): void => {
    setText(typed);
    show(true);
  };
  const expanded = {
    'aria-expanded': completions.length > 0,
    'aria-controls': id,
    'aria-activedescendant': completions[active] && `${id}-${active}`,
  };
  return (
    <form role="search" class="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        {...FIELD}
        {...expanded}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => show(false)}
      />
      <SuggestionList id={id} completions={completions} active={active} onChoose={choose} />
    </form>
  );
}

/** The item with exactly this name, and those that contain it. A name with quotation marks is searched as it is written. */
function quoted(name: string): string {
  return /["“”„‟«»]/.test(name) ? name : `"${name}"`;
}

const FIELD = {
  class: 'search-input',
  role: 'combobox',
  'aria-label': 'Search the collection',
  'aria-autocomplete': 'list',
  placeholder: 'Search names, tags, descriptions, creators',
  autocomplete: 'off',
  spellcheck: false,
  enterkeyhint: 'search',
  maxLength: 1_000,
} as const;
