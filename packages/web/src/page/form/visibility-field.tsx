import type { Draft, FieldErrors } from './draft.ts';
import { Field } from './field.tsx';
import { SEEN_BY, type Seen } from './seen.ts';
import { t } from '../../messages/texts.ts';

type VisibilityFieldProps = { draft: Draft; errors: FieldErrors; onChange: (changes: Partial<Draft>) => void };

/** Who is to see an item. Only a moderator ends a review, so there is nothing to choose during one. */
export function VisibilityField({ draft: { visibility, publishAt }, errors, onChange }: VisibilityFieldProps) {
  if (visibility === 'review') return null;
  return (
    <>
      <Field label={t('whoSees')} error={errors.visibility}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={visibility}
            onChange={(event) => onChange({ visibility: event.currentTarget.value as Seen })}
          >
            {(['public', 'unlisted', 'draft'] as const).map((each) => (
              <option key={each} value={each}>
                {t(SEEN_BY[each])}
              </option>
            ))}
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
              max="9999-12-31T23:59"
              value={publishAt}
              onInput={(event) => onChange({ publishAt: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
