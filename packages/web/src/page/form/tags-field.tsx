import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { isComposing } from '../../shared/move-active.ts';
import { Field, type ControlProps } from './field.tsx';
import { isComma, splitTags } from './tag-completions.ts';
import { useTagCompletions } from './use-tag-completions.ts';
import { t } from '../../messages/texts.ts';

type TagsFieldProps = { tags: string[]; onChange: (tags: string[]) => void; error?: string | undefined };

export function TagsField({ tags, onChange, error }: TagsFieldProps) {
  const add = (added: string[]): void => {
    onChange([...new Set([...tags, ...added])]);
  };
  const remove = (tag: string, inputId: string): void => {
    onChange(tags.filter((other) => other !== tag));
    document.getElementById(inputId)?.focus();
  };
  return (
    <Field label={t('tags')} hint={t('tagsHint')} error={error}>
      {(control) => (
        <>
          <TagChips tags={tags} onRemove={(tag) => remove(tag, control.id)} />
          <TagInput control={control} tags={tags} onAdd={add} />
        </>
      )}
    </Field>
  );
}

type TagInputProps = { control: ControlProps; tags: string[]; onAdd: (tags: string[]) => void };

/** Completes with the tags that the collection has, so that equal items get equal tags. */
function TagInput({ control, tags, onAdd }: TagInputProps) {
  const [text, setText] = useState('');
  const { id, completions, active, onKey } = useTagCompletions(text, tags);
  const add = (added: string[]): void => {
    setText('');
    onAdd(added);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const chosen = event.key === 'Enter' ? completions[active] : undefined;
    const isAdding = isComma(event.key) || (event.key === 'Enter' && text.trim() !== '');
    if (!isAdding && !onKey(event)) return;
    event.preventDefault();
    if (isAdding) add(chosen === undefined ? splitTags(text) : [chosen]);
  };
  return (
    <div class="completed">
      <input
        {...control}
        class="input"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={completions.length > 0}
        aria-controls={id}
        aria-activedescendant={completions[active] && `${id}-${active}`}
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => text.trim() !== '' && add(splitTags(text))}
      />
      <Completions id={id} completions={completions} active={active} onChoose={(tag) => add([tag])} />
    </div>
  );
}

type CompletionsProps = { id: string; completions: string[]; active: number; onChoose: (tag: string) => void };

function Completions({ id, completions, active, onChoose }: CompletionsProps) {
  return (
    <ul id={id} class="suggestions" role="listbox" aria-label={t('completions')} hidden={completions.length === 0}>
      {completions.map((tag, position) => (
        <li
          key={tag}
          id={`${id}-${position}`}
          role="option"
          aria-selected={position === active}
          // The text field keeps the focus, whose loss would add what is typed.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(tag)}
        >
          <Icon name="tag" />
          <span dir="auto">{tag}</span>
        </li>
      ))}
    </ul>
  );
}

function TagChips({ tags, onRemove }: { tags: string[]; onRemove: (tag: string) => void }) {
  if (tags.length === 0) return null;
  return (
    <ul class="chips" aria-label={t('tagsOfItem')}>
      {tags.map((tag) => (
        <li key={tag}>
          <button type="button" class="chip chip-removable" aria-label={t('removeTag', { tag })} onClick={() => onRemove(tag)}>
            <span dir="auto">{tag}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
