import type { ControlProps } from './field.tsx';

type TextAreaProps = { control: ControlProps; value: string; onInput: (value: string) => void };

export function TextArea({ control, value, onInput }: TextAreaProps) {
  return <textarea {...control} class="input" dir="auto" rows={3} value={value} onInput={(event) => onInput(event.currentTarget.value)} />;
}
