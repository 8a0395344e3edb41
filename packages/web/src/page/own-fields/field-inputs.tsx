import type { DeclaredField } from '@ugc/shared/contracts/declared-field';
import type { JSX } from 'preact';
import { Button } from '../../shared/button.tsx';
import type { Draft, FieldErrors } from '../form/draft.ts';
import { Field, type ControlProps } from '../form/field.tsx';
import { fieldKey, type FieldDraft, type EntryDraft } from '../form/field-draft.ts';
import { TextArea } from '../form/text-area.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import { t } from '../../messages/texts.ts';

type FieldInputsProps = { draft: Draft; onChange: (changes: Partial<Draft>) => void; errors: FieldErrors };

/** An input for each declared field, by its type. The API checks the values. */
export function FieldInputs({ draft, onChange, errors }: FieldInputsProps) {
  return (
    <>
      {errors.fields !== undefined && (
        <p class="error" role="alert">
          {errors.fields}
        </p>
      )}
      {declaredFields.map((field) => {
        const key = fieldKey(field.name);
        return (
          <FieldInput key={key} field={field} value={draft[key]} onChange={(value) => onChange({ [key]: value })} error={errors[key]} />
        );
      })}
    </>
  );
}

type InputProps<Value> = { field: DeclaredField; value: Value; onChange: (value: FieldDraft) => void; error: string | undefined };

function FieldInput({ field, value, onChange, error }: InputProps<FieldDraft | undefined>) {
  if (field.type === 'group')
    return <GroupInput field={field} value={Array.isArray(value) ? value : []} onChange={onChange} error={error} />;
  const text = typeof value === 'string' ? value : '';
  return (
    <Field label={field.label} error={error} {...(hintOf(field) !== undefined && { hint: hintOf(field) ?? '' })}>
      {(control) => <TextInput control={control} field={field} value={text} onInput={onChange} />}
    </Field>
  );
}

function hintOf({ type, many, required }: DeclaredField): string | undefined {
  const hints = [required ? t('required') : '', many && type !== 'group' ? t('onePerLine') : ''];
  return hints.join(' ').trim() || undefined;
}

const ATTRIBUTES: Partial<Record<DeclaredField['type'], JSX.IntrinsicElements['input']>> = {
  date: { type: 'date', max: '9999-12-31' },
  number: { inputMode: 'decimal' },
};

type TextInputProps = {
  control: ControlProps;
  field: Pick<DeclaredField, 'type' | 'many' | 'values'>;
  value: string;
  onInput: (text: string) => void;
};

function TextInput({ control, field: { type, many, values }, value, onInput }: TextInputProps) {
  if (many || type === 'text') return <TextArea control={control} value={value} onInput={onInput} />;
  const choices =
    type === 'flag'
      ? [
          ['true', t('yes')],
          ['false', t('no')],
        ]
      : values?.map((each) => [each, each]);
  if (choices)
    return (
      <select {...control} class="input" value={value} onChange={(event) => onInput(event.currentTarget.value)}>
        <option value="">{t('notGiven')}</option>
        {choices.map(([each = '', label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...control}
      class="input"
      dir="auto"
      {...ATTRIBUTES[type]}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function GroupInput({ field, value, onChange, error }: InputProps<EntryDraft[]>) {
  const { label, of = {}, many } = field;
  const entries = value.length === 0 ? [{}] : value;
  const change = (at: number, part: string, text: string): void =>
    onChange(entries.map((entry, other) => (other === at ? { ...entry, [part]: text } : entry)));
  return (
    <fieldset class="field own-group">
      <legend>{label}</legend>
      {entries.map((entry, at) => (
        <div key={at} class="own-entry">
          {Object.entries(of).map(([part, type]) => (
            <Field key={part} label={part}>
              {(control) => (
                <TextInput
                  control={{ ...control, 'aria-invalid': error !== undefined }}
                  field={{ type, many: false }}
                  value={entry[part] ?? ''}
                  onInput={(text) => change(at, part, text)}
                />
              )}
            </Field>
          ))}
          {value.length > 0 && <Button onClick={() => onChange(entries.filter((_, other) => other !== at))}>{t('remove')}</Button>}
        </div>
      ))}
      {many && <Button onClick={() => onChange([...entries, {}])}>{t('addOther')}</Button>}
      <p class="error">{error}</p>
    </fieldset>
  );
}
