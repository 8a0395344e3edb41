import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './styles/dialog.css';
import { IconButton } from './button.tsx';
import { titleOfPage } from './keep-focus.ts';
import { t } from '../messages/texts.ts';

type DialogProps = {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  kind?: 'wide' | 'page' | 'sheet' | 'picture';
  /** Whether a click beside the dialog closes it. */
  closesBeside?: boolean;
  /** Buttons beside the one that closes the dialog. */
  actions?: ComponentChildren;
};

/** A modal dialog. The browser keeps the focus inside; afterwards it returns to where it was. */
export function Dialog({ title, onClose, children, kind, actions, closesBeside = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const beside = useClickBeside(onClose);
  useLayoutEffect(() => openModal(element.current as HTMLDialogElement), []);
  const onCancel = (event: Event): void => {
    // A file field inside the dialog sends this event, too.
    if (event.target !== element.current) return;
    event.preventDefault();
    onClose();
  };
  // Browsers also send this event after the dialog was removed.
  const onClosed = (): void => {
    if (element.current) onClose();
  };
  return (
    <dialog
      ref={element}
      class={kind ? `dialog dialog-${kind}` : 'dialog'}
      aria-labelledby={titleId}
      onCancel={onCancel}
      onClose={onClosed}
      {...(closesBeside && beside)}
    >
      <header class="dialog-head">
        <h2 id={titleId} dir="auto" tabIndex={-1} autoFocus>
          {title}
        </h2>
        <div class="dialog-actions">
          {actions}
          <IconButton icon="close" label={t('close')} onClick={onClose} />
        </div>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

/** Whoever selects text and lets go beside the dialog has not clicked there: the click must begin there, too. */
function useClickBeside(onClose: () => void) {
  const hasBegun = useRef(false);
  return {
    onPointerDown: (event: PointerEvent) => void (hasBegun.current = isBeside(event)),
    onClick: (event: MouseEvent) => void (hasBegun.current && isBeside(event) && onClose()),
  };
}

/** What is behind the dialog is a part of it, and so are its scroll bars. */
function isBeside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = (currentTarget as Element).getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

function openModal(dialog: HTMLDialogElement): () => void {
  const opener = document.activeElement;
  dialog.showModal();
  return () => {
    dialog.close();
    const target = opener?.isConnected && opener !== document.body ? opener : titleOfPage();
    (target as HTMLElement | null)?.focus();
  };
}
