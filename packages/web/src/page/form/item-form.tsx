import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import type { RequestFailed } from '../api/request.ts';
import { errorsByField, type Draft } from './draft.ts';
import { Field } from './field.tsx';
import { PictureField } from './picture-field.tsx';
import { SaveProgress } from './save-progress.tsx';
import { TagsField } from './tags-field.tsx';
import './form.css';

type ItemFormProps = {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  onCancel: () => void;
  submitLabel: string;
  failure: RequestFailed | undefined;
  /** How much is sent, 0 to 1; undefined while nothing is. */
  share: number | undefined;
  contentId?: number;
  children?: ComponentChildren;
};

/** The fields of an upload and of an edit. The API validates them, so that there is one set of rules. */
export function ItemForm({ draft, onChange, onSubmit, onCancel, submitLabel, failure, share, contentId, children }: ItemFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const errors = errorsByField(failure?.errors ?? []);
  const change = (changes: Partial<Draft>): void => onChange({ ...draft, ...changes });
  useEffect(() => {
    if (failure) form.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]')?.focus();
  }, [failure]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (share === undefined) onSubmit();
  };
  return (
    <form ref={form} class="form" onSubmit={submit} noValidate>
      <div role="alert" tabIndex={-1}>
        {failure && failure.status !== 412 && <p class="form-error">{summaryOf(failure)}</p>}
      </div>
      {children}
      <Field label="Name" error={errors.name}>
        {(control) => (
          <input
            {...control}
            class="input"
            dir="auto"
            value={draft.name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <PictureField picture={draft.picture} onChange={(picture) => change({ picture })} error={errors.thumbnail} contentId={contentId} />
      <TextField
        label="Description"
        rows={4}
        value={draft.description}
        onInput={(description) => change({ description })}
        error={errors.description}
      />
      <TagsField tags={draft.tags} onChange={(tags) => change({ tags })} error={errors.tags} />
      <TextField
        label="Content"
        hint="What others download. It is not searched."
        rows={3}
        value={draft.data}
        onInput={(data) => change({ data })}
        error={errors.data}
      />
      <Field label="Version" hint="With a new version, the downloads of the newest version count from 0." error={errors.version}>
        {(control) => (
          <input
            {...control}
            class="input input-number"
            inputMode="numeric"
            value={draft.version}
            onInput={(event) => change({ version: event.currentTarget.value })}
          />
        )}
      </Field>
      <footer class="dialog-foot">
        <Button kind="primary" type="submit" isBusy={share !== undefined}>
          {submitLabel}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
        <SaveProgress share={share} />
      </footer>
    </form>
  );
}

type TextFieldProps = {
  label: string;
  hint?: string;
  rows: number;
  value: string;
  onInput: (value: string) => void;
  error?: string | undefined;
};

function TextField({ rows, value, onInput, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea {...control} class="input" dir="auto" rows={rows} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}

function summaryOf({ errors, isTemporary, message }: RequestFailed): string {
  if (errors.length > 0) return 'Some fields are not right yet.';
  return isTemporary ? `${message} What you typed is kept; try again.` : message;
}
