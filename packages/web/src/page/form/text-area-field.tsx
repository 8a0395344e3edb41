import { Field } from './field.tsx';

type TextAreaFieldProps = {
  label: string;
  hint?: string;
  value: string;
  onInput: (value: string) => void;
  error?: string | undefined;
};

export function TextAreaField({ value, onInput, ...field }: TextAreaFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea {...control} class="input" dir="auto" rows={3} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}
