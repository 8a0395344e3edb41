import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import type { RequestFailed } from '../api/request.ts';
import type { WithThumbnail } from '../parts/use-thumbnail.ts';
import { errorsByField, type Draft, type FieldErrors } from './draft.ts';
import { ItemFields } from './item-fields.tsx';
import { SaveProgress } from './save-progress.tsx';
import { t } from '../../messages/texts.ts';

type ItemFormProps = {
  draft: Draft;
  /** Whether the draft was kept while the form was closed; it is sent again if the page was left before the response. */
  isKept: boolean | 'sent again';
  onChange: (changes: Partial<Draft>) => void;
  onSubmit: () => void;
  onCancel: () => void;
  submitLabel: string;
  failure: RequestFailed | undefined;
  /** How much is sent, 0 to 1; undefined while nothing is. */
  share: number | undefined;
  item?: WithThumbnail;
  children?: ComponentChildren;
};

/** The form of an upload and of an edit. The API validates the fields, so that there is one set of rules. */
export function ItemForm({ draft, isKept, onChange, onSubmit, onCancel, submitLabel, failure, share, item, children }: ItemFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef(draft);
  const errors = errorsByField(failure?.errors ?? [], sent.current, draft);
  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    if (failure) (find('[aria-invalid=true]') ?? find('[role=alert]:not(:empty)'))?.focus();
  }, [failure]);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (share !== undefined) return;
    sent.current = draft;
    onSubmit();
  };
  return (
    <form ref={form} class="form" onSubmit={submit} noValidate>
      <div role="alert" tabIndex={-1}>
        {failure && <Summary failure={failure} errors={errors} />}
      </div>
      {isKept && <p class="hint">{t(isKept === true ? 'keptNote' : 'sentAgain')}</p>}
      {children}
      <ItemFields draft={draft} onChange={onChange} errors={errors} item={item} />
      <footer class="dialog-foot">
        <Button kind="primary" type="submit" isBusy={share !== undefined}>
          {submitLabel}
        </Button>
        <Button onClick={onCancel}>{t('cancel')}</Button>
        <SaveProgress share={share} />
      </footer>
    </form>
  );
}

function Summary({ failure, errors }: { failure: RequestFailed; errors: FieldErrors }) {
  const text = summaryOf(failure, errors);
  return text === undefined ? null : <p class="form-error">{text}</p>;
}

function summaryOf({ status, errors: all, isTemporary, message }: RequestFailed, errors: FieldErrors): string | undefined {
  // The note of a conflict says more.
  if (status === 412) return undefined;
  if (all.length > 0) return Object.keys(errors).length > 0 ? t('notRight') : undefined;
  return isTemporary ? t('tryAgain', { reason: message }) : message;
}
