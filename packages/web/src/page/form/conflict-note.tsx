import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import { labelOf } from '../location/declared-fields.ts';
import type { Draft } from './draft.ts';
import { isFieldKey } from './field-draft.ts';

type ConflictNoteProps = {
  /** Whether the item was changed since it was read. */
  isOutdated: boolean;
  theirs: Partial<Draft> | undefined;
  onLookAgain: () => void;
  onTake: (changes: Partial<Draft>) => void;
};

const LABELS: Record<string, string> = { data: 'content', fileName: 'file name' };

const nameOf = (field: string): string => (isFieldKey(field) ? labelOf(field.slice('fields.'.length)) : (LABELS[field] ?? field));
/** An entry of a group has parts. */
const shown = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.values(value).join(' ') : String(value));

export function ConflictNote({ isOutdated, theirs, onLookAgain, onTake }: ConflictNoteProps) {
  const merged = useRef<HTMLDivElement>(null);
  useEffect(() => merged.current?.focus(), [theirs]);
  if (isOutdated)
    return (
      <div class="conflict" role="alert" tabIndex={-1}>
        <p>This item was changed by somebody else since you opened it. Your text is kept.</p>
        <Button onClick={onLookAgain}>Look again</Button>
      </div>
    );
  if (!theirs) return null;
  const hasConflicts = Object.keys(theirs).length > 0;
  return (
    <div ref={merged} class="conflict" role="status" tabIndex={-1}>
      <p>
        The form shows your text and the newest state of everything else.
        {hasConflicts && ' Saving replaces what the other person wrote here:'}
      </p>
      {Object.entries(theirs).map(([field, value]) => (
        <div key={field} class="conflict-field">
          <p>
            Their {nameOf(field)}: <q dir="auto">{[value].flat().map(shown).join(', ')}</q>
          </p>
          <Button onClick={() => onTake({ [field]: value } as Partial<Draft>)}>Take theirs</Button>
        </div>
      ))}
    </div>
  );
}
