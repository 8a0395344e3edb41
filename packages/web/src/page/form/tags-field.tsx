import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { Field } from './field.tsx';

type TagsFieldProps = { tags: string[]; onChange: (tags: string[]) => void; error?: string | undefined };

export function TagsField({ tags, onChange, error }: TagsFieldProps) {
  const [text, setText] = useState('');
  const add = (): void => {
    const added = text.split(',').map((tag) => tag.trim());
    setText('');
    onChange([...new Set([...tags, ...added.filter((tag) => tag !== '')])]);
  };
  const remove = (tag: string, id: string): void => {
    onChange(tags.filter((other) => other !== tag));
    document.getElementById(id)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== ',' && (event.key !== 'Enter' || text.trim() === '')) return;
    event.preventDefault();
    add();
  };
  return (
    <Field label="Tags" hint="Enter or a comma adds a tag." error={error}>
      {(control) => (
        <>
          <TagChips tags={tags} onRemove={(tag) => remove(tag, control.id)} />
          <input
            {...control}
            class="input"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onBlur={() => text.trim() !== '' && add()}
          />
        </>
      )}
    </Field>
  );
}

function TagChips({ tags, onRemove }: { tags: string[]; onRemove: (tag: string) => void }) {
  if (tags.length === 0) return null;
  return (
    <ul class="chips" aria-label="Tags of the item">
      {tags.map((tag) => (
        <li key={tag}>
          <button type="button" class="chip chip-removable" aria-label={`Remove the tag ${tag}`} onClick={() => onRemove(tag)}>
            <span dir="auto">{tag}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
