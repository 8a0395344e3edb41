import { useState } from 'preact/hooks';
import { settings } from '../settings.ts';
import { Field } from './field.tsx';
import { FileDrop } from './file-drop.tsx';
import { readText } from './read-text.ts';
import { TextArea } from './text-area.tsx';

type ContentFieldProps = { value: string; onChange: (value: string) => void; error: string | undefined };

export function ContentField({ value, onChange, error }: ContentFieldProps) {
  const [fileError, setFileError] = useState('');
  const change = (text: string): void => {
    setFileError('');
    onChange(text);
  };
  const choose = (file: File): void => {
    readText(file, settings.dataMaxCharacters).then(change, ({ message }: Error) => setFileError(message));
  };
  return (
    <Field label="Content" hint="What others download: typed, or a text file. It is not searched." error={error}>
      {(control) => (
        <>
          <FileDrop input={{ 'aria-label': 'Text file', 'aria-describedby': `${control.id}-file-error` }} onFile={choose}>
            <TextArea control={control} value={value} onInput={change} />
          </FileDrop>
          <p id={`${control.id}-file-error`} role="alert" class="error">
            {fileError}
          </p>
        </>
      )}
    </Field>
  );
}
