import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../shared/button.tsx';
import type { Draft } from './draft.ts';

type ConflictNoteProps = {
  /** Whether the item was changed since it was read. */
  isOutdated: boolean;
  theirs: Partial<Draft> | undefined;
  onLookAgain: () => void;
  onTake: (changes: Partial<Draft>) => void;
};

const LABELS: Record<string, string> = { data: 'content', fileName: 'file name' };

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
            Their {LABELS[field] ?? field}: <q dir="auto">{[value].flat().map(String).join(', ')}</q>
          </p>
          <Button onClick={() => onTake({ [field]: value })}>Take theirs</Button>
        </div>
      ))}
    </div>
  );
}
