import { Field } from './field.tsx';
import { t } from '../../messages/texts.ts';

/** Who is to see an item. `publishAt` is the value of an input for a local time; empty without one. */
export type Visible = { visibility: 'public' | 'unlisted' | 'draft'; publishAt: string };

export const SEEN_BY_ALL: Visible = { visibility: 'public', publishAt: '' };

/** @returns what a request says; nothing if everybody is to see the item at once */
export function toVisibility({ visibility, publishAt }: Visible): { visibility?: Visible['visibility']; publishAt?: string } {
  if (visibility === 'public') return {};
  return { visibility, ...(publishAt !== '' && { publishAt: new Date(publishAt).toISOString() }) };
}

type VisibilityFieldProps = Visible & {
  errors: { visibility?: string | undefined; publishAt?: string | undefined };
  onChange: (changes: Visible) => void;
};

export function VisibilityField({ visibility, publishAt, errors, onChange }: VisibilityFieldProps) {
  return (
    <>
      <Field label={t('whoSees')} error={errors.visibility}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={visibility}
            onChange={(event) => onChange({ visibility: event.currentTarget.value as Visible['visibility'], publishAt })}
          >
            <option value="public">{t('everybody')}</option>
            <option value="unlisted">{t('withLink')}</option>
            <option value="draft">{t('onlyI')}</option>
          </select>
        )}
      </Field>
      {visibility !== 'public' && (
        <Field label={t('showAt')} hint={t('showAtHint')} error={errors.publishAt}>
          {(control) => (
            <input
              {...control}
              class="input"
              type="datetime-local"
              value={publishAt}
              onInput={(event) => onChange({ visibility, publishAt: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
