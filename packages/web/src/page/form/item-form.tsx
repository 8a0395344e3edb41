import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import type { RequestFailed } from '../api/request.ts';
import { errorsByField, type Draft } from './draft.ts';
import { ItemFields } from './item-fields.tsx';
import { SaveProgress } from './save-progress.tsx';
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

/** The form of an upload and of an edit. The API validates the fields, so that there is one set of rules. */
export function ItemForm({ draft, onChange, onSubmit, onCancel, submitLabel, failure, share, contentId, children }: ItemFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const errors = errorsByField(failure?.errors ?? []);
  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    if (failure) (find('[aria-invalid=true]') ?? find('[role=alert]:not(:empty)'))?.focus();
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
      <ItemFields draft={draft} onChange={(changes) => onChange({ ...draft, ...changes })} errors={errors} contentId={contentId} />
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

function summaryOf({ errors, isTemporary, message }: RequestFailed): string {
  if (errors.length > 0) return 'Some fields are not right yet.';
  return isTemporary ? `${message} What you typed is kept; try again.` : message;
}
