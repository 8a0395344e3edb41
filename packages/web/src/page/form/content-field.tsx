import { useState } from 'preact/hooks';
import { settings } from '../settings.ts';
import type { Draft } from './draft.ts';
import { Field } from './field.tsx';
import { FileDrop } from './file-drop.tsx';
import { toFileName } from './file-name.ts';
import { readText } from './read-text.ts';
import { TextArea } from './text-area.tsx';
import { parts, t } from '../../messages/texts.ts';

type Content = Pick<Draft, 'data' | 'fileName'>;
type ContentFieldProps = { content: Content; onChange: (content: Content) => void; error: string | undefined };

export function ContentField({ content: { data, fileName }, onChange, error }: ContentFieldProps) {
  const [fileError, setFileError] = useState('');
  const change = (text: string, name: string): void => {
    setFileError('');
    onChange({ data: text, fileName: text === '' ? '' : name });
  };
  const choose = (file: File): void => {
    const read = readText(file, settings.dataMaxCharacters);
    read.then(
      (text) => change(text, toFileName(file.name)),
      ({ message }: Error) => setFileError(message),
    );
  };
  return (
    <Field label={t('content')} hint={t('contentHint', { max: settings.dataMaxCharacters })} error={error}>
      {(control) => (
        <>
          <FileDrop
            label={t('chooseText')}
            input={{ 'aria-label': t('textFile'), 'aria-describedby': `${control.id}-file-error` }}
            onFile={choose}
          >
            <TextArea control={control} value={data} onInput={(text) => change(text, fileName)} />
          </FileDrop>
          {fileName !== '' && <p class="hint">{parts('downloadName', { name: <q dir="auto">{fileName}</q> })}</p>}
          <p id={`${control.id}-file-error`} role="alert" class="error">
            {fileError}
          </p>
        </>
      )}
    </Field>
  );
}
