import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { labelOf } from '../location/declared-fields.ts';
import type { Draft } from './draft.ts';
import { isFieldKey, type FieldKey } from './field-draft.ts';
import { SEEN_BY } from './seen.ts';
import type { Key } from '../../messages/fill.ts';
import { formatDateTime } from '../../messages/format.ts';
import { parts, t } from '../../messages/texts.ts';

type ConflictNoteProps = {
  /** Whether the item was changed since it was read. */
  isOutdated: boolean;
  theirs: Partial<Draft> | undefined;
  onLookAgain: () => void;
  onTake: (changes: Partial<Draft>) => void;
};

const LABELS = {
  name: 'name',
  description: 'description',
  tags: 'tags',
  data: 'content',
  fileName: 'fileName',
  version: 'versionField',
  picture: 'picture',
  visibility: 'whoSees',
  publishAt: 'showAt',
} as const satisfies Record<Exclude<keyof Draft, FieldKey>, Key>;

const nameOf = (field: string): string =>
  isFieldKey(field) ? labelOf(field.slice('fields.'.length)) : t(LABELS[field as keyof typeof LABELS]);
/** An entry of a group has parts. */
const shown = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value));

function valueOf(field: string, value: unknown): string {
  if (field === 'visibility') return t(SEEN_BY[value as Draft['visibility']]);
  if (field === 'publishAt' && value !== '') return formatDateTime(value as string);
  return [value].flat().map(shown).join(', ');
}

export function ConflictNote({ isOutdated, theirs, onLookAgain, onTake }: ConflictNoteProps) {
  const merged = useRef<HTMLDivElement>(null);
  useEffect(() => merged.current?.focus(), [theirs]);
  if (isOutdated)
    return (
      <div class="conflict" role="alert" tabIndex={-1}>
        <p>{t('conflict')}</p>
        <Button onClick={onLookAgain}>{t('lookAgain')}</Button>
      </div>
    );
  if (!theirs) return null;
  const hasConflicts = Object.keys(theirs).length > 0;
  return (
    <div ref={merged} class="conflict" role="status" tabIndex={-1}>
      <p>
        {t('merged')}
        {hasConflicts && ` ${t('replaces')}`}
      </p>
      {Object.entries(theirs).map(([field, value]) => (
        <div key={field} class="conflict-field">
          <p>{parts('their', { field: nameOf(field), value: <q dir="auto">{valueOf(field, value)}</q> })}</p>
          <Button onClick={() => onTake({ [field]: value } as Partial<Draft>)}>{t('takeTheirs')}</Button>
        </div>
      ))}
    </div>
  );
}
