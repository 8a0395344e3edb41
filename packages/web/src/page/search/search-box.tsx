import { IconButton } from '../../shared/button.tsx';
import { Icon } from '../../shared/icon.tsx';
import { titleOfPage } from '../../shared/keep-focus.ts';
import type { Suggestions } from '../api/types.ts';
import { PROMPT_MAX_LENGTH } from '../location/parameters.ts';
import { EVERYTHING } from '../location/query-string.ts';
import { navigate, showList } from '../location/view.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { useSearchKey } from './use-search-key.ts';
import { useSuggestionList } from './use-suggestion-list.ts';
import { useTypedPrompt } from './use-typed-prompt.ts';
import { t } from '../../messages/texts.ts';

/** Searches while one types, with suggestions: the pattern "combobox" of the ARIA Authoring Practices Guide. */
export function SearchBox() {
  const prompt = useTypedPrompt();
  const { text, setText, searchNow } = prompt;
  const field = useSearchKey();
  const { id, completions, typed, active, show, onKeyDown } = useSuggestionList(text);
  const choose = (completion: Completion): void => {
    show(false);
    open(completion, prompt);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    const completion = completions[active];
    if (completion) return choose(completion);
    show(false);
    leaveOnPhone();
    searchNow(text);
  };
  const type = (next: string): void => {
    setText(next);
    show(true);
  };
  return (
    <form role="search" class="search" onSubmit={submit}>
      <Icon name="search" />
      <input
        {...FIELD}
        aria-expanded={completions.length > 0}
        aria-controls={id}
        aria-activedescendant={completions[active] && `${id}-${active}`}
        ref={field}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => show(false)}
      />
      <FieldEnd prompt={prompt} field={field} />
      <SuggestionList id={id} completions={completions} typed={typed} active={active} onChoose={choose} />
    </form>
  );
}

/** The keyboard on the screen covers the list as long as the field has the focus. */
function leaveOnPhone(): void {
  if (matchMedia('(pointer: coarse)').matches) titleOfPage()?.focus({ preventScroll: true });
}

function FieldEnd({ prompt, field }: { prompt: Prompt; field: ReturnType<typeof useSearchKey> }) {
  if (prompt.text === '') return <kbd aria-hidden="true">/</kbd>;
  const clear = (): void => {
    prompt.searchNow('');
    field.current?.focus();
  };
  return <IconButton icon="close" label={t('clear')} onClick={clear} />;
}

/** A tag is a list, and a name is an item; the list of what was typed is shown when the item is closed. */
function open({ type, text, contentId }: Completion, prompt: Prompt): void {
  leaveOnPhone();
  if (type === 'tag') {
    prompt.setText('');
    return showList({ ...EVERYTHING, tags: [text] });
  }
  prompt.searchNow(contentId === undefined ? text : prompt.text);
  navigate({ item: contentId });
}

type Completion = Suggestions['completions'][number];
type Prompt = ReturnType<typeof useTypedPrompt>;

const FIELD = {
  class: 'search-input',
  role: 'combobox',
  'aria-label': t('search'),
  'aria-autocomplete': 'list',
  'aria-keyshortcuts': '/',
  placeholder: t('searchHint'),
  autocomplete: 'off',
  spellcheck: false,
  enterkeyhint: 'search',
  maxLength: PROMPT_MAX_LENGTH,
} as const;
