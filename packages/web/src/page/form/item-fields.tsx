import { ContentField } from './content-field.tsx';
import { Later } from '../later.tsx';
import { declaredFields } from '../location/declared-fields.ts';
import type { WithThumbnail } from '../parts/use-thumbnail.ts';
import type { Draft, FieldErrors } from './draft.ts';
import { Field } from './field.tsx';
import { PictureField } from './picture-field.tsx';
import { TagsField } from './tags-field.tsx';
import { TextArea } from './text-area.tsx';
import { VisibilityField } from './visibility-field.tsx';
import { t } from '../../messages/texts.ts';

type ItemFieldsProps = {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  errors: FieldErrors;
  /** The item that is edited. */
  item?: WithThumbnail | undefined;
};

export function ItemFields({ draft, onChange, errors, item }: ItemFieldsProps) {
  const { name, picture, description, tags, data, fileName, version } = draft;
  return (
    <>
      <Field label={t('name')} error={errors.name}>
        {(control) => (
          <input {...control} class="input" dir="auto" value={name} onInput={(event) => onChange({ name: event.currentTarget.value })} />
        )}
      </Field>
      <PictureField picture={picture} onChange={(next) => onChange({ picture: next })} error={errors.thumbnail} item={item} />
      <Field label={t('description')} error={errors.description}>
        {(control) => <TextArea control={control} value={description} onInput={(text) => onChange({ description: text })} />}
      </Field>
      <TagsField tags={tags} onChange={(next) => onChange({ tags: next })} error={errors.tags} />
      {declaredFields.length > 0 && <Later>{({ FieldInputs }) => <FieldInputs draft={draft} onChange={onChange} errors={errors} />}</Later>}
      <ContentField content={{ data, fileName }} onChange={onChange} error={errors.data ?? errors.fileName} />
      <Field label={t('versionField')} hint={t('versionHint')} error={errors.version}>
        {(control) => (
          <input
            {...control}
            class="input input-number"
            inputMode="numeric"
            value={version}
            onInput={(event) => onChange({ version: event.currentTarget.value })}
          />
        )}
      </Field>
      <VisibilityField draft={draft} errors={errors} onChange={onChange} />
    </>
  );
}
