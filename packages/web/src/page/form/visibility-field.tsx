import { Field } from './field.tsx';

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
      <Field label="Who sees it" error={errors.visibility}>
        {(control) => (
          <select
            {...control}
            class="input"
            value={visibility}
            onChange={(event) => onChange({ visibility: event.currentTarget.value as Visible['visibility'], publishAt })}
          >
            <option value="public">Everybody</option>
            <option value="unlisted">Unlisted: whoever has the link</option>
            <option value="draft">Only I: a draft</option>
          </select>
        )}
      </Field>
      {visibility !== 'public' && (
        <Field label="Show it to everybody at" hint="Without a time, you decide later." error={errors.publishAt}>
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
