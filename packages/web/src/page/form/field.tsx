import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** Attributes that tie a control to its label, hint and error. */
export type ControlProps = { id: string; 'aria-invalid': boolean; 'aria-describedby': string };
type FieldProps = { label: string; hint?: string; error?: string | undefined; children: (control: ControlProps) => ComponentChildren };

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const describedBy = `${hint === undefined ? '' : `${id}-hint `}${id}-error`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': describedBy })}
      <p id={`${id}-error`} class="error">
        {error}
      </p>
    </div>
  );
}
