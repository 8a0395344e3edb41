import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type FileDropProps = {
  /** What the button says. */
  label: string;
  /** Attributes of the file field. */
  input: { accept?: string; 'aria-label'?: string; 'aria-describedby': string };
  onFile: (file: File) => void;
  children: ComponentChildren;
};

/** A file field, and an area around it onto which a file can be dropped. Dropped text is left to what is inside. */
export function FileDrop({ label, input, onFile, children }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const choose = (files: FileList | null | undefined): void => {
    if (files?.[0]) onFile(files[0]);
  };
  const onDrag = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setOver(event.type === 'dragover');
    if (event.type === 'drop') choose(event.dataTransfer.files);
  };
  return (
    <div class={isOver ? 'drop drop-over' : 'drop'} onDragOver={onDrag} onDragLeave={onDrag} onDrop={onDrag}>
      {children}
      <span class="button file-button">
        <span aria-hidden="true">{label}</span>
        {/* The field tells of another file only. After the picture was removed, the same one may be chosen again. */}
        <input
          {...input}
          type="file"
          onClick={(event) => (event.currentTarget.value = '')}
          onChange={(event) => choose(event.currentTarget.files)}
        />
      </span>
    </div>
  );
}
