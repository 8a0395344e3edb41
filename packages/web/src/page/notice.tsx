import { Button } from '../shared/button.tsx';
import { Icon } from '../shared/icon.tsx';
import { createStore, useStore } from '../shared/store.ts';
import { EVERYTHING } from './location/query-string.ts';
import { linkTo } from './location/view.ts';
import './styles/notice.css';
import { t } from '../messages/texts.ts';

const SHOWN_MS = 8_000;
/** Long enough to reach "Undo" by the keyboard. */
const UNDO_SHOWN_MS = 20_000;

type Note = {
  text: string;
  /** The id of an item to which the note leads. */
  item?: number;
  /** Takes back what has been done. */
  onUndo?: () => void;
  /** Called when it can no longer be taken back. `isLeaving`: the page is hidden or left. */
  onEnd?: (isLeaving: boolean) => void;
};

const notice = createStore<Note | undefined>(undefined);
let timer = 0;

/** Tells the user what has been done, until it is over or another note takes its place. */
export function notify(text: string, more: Omit<Note, 'text'> = {}): void {
  take()?.onEnd?.(false);
  notice.set({ text, ...more });
  timer = setTimeout(() => take()?.onEnd?.(false), more.onUndo ? UNDO_SHOWN_MS : SHOWN_MS);
}

// A phone may end a page that is hidden, without another event.
document.addEventListener('visibilitychange', () => {
  if (document.hidden && notice.get()?.onEnd) take()?.onEnd?.(true);
});

function take(): Note | undefined {
  const taken = notice.get();
  clearTimeout(timer);
  notice.set(undefined);
  return taken;
}

const COPIED = { token: 'tokenCopied', link: 'linkCopied' } as const;
const COPY = { token: 'copyToken', link: 'copyLink' } as const;

/** Pages that were loaded without TLS from another machine have no clipboard. */
export function copyText(text: string, what: keyof typeof COPY): void {
  const copied = (navigator.clipboard as Clipboard | undefined)?.writeText(text) ?? Promise.reject(new Error());
  copied.then(
    () => notify(t(COPIED[what])),
    () => prompt(t(COPY[what]), text),
  );
}

export function Notice() {
  const { text, item, onUndo } = useStore(notice) ?? {};
  return (
    <div role="status" class="notice-region">
      {text !== undefined && (
        <p class="notice">
          <Icon name="check" />
          <span>{text}</span>
          {item !== undefined && <a {...linkTo({ ...EVERYTHING, item })}>{t('show')}</a>}
          {onUndo && (
            <Button kind="link" onClick={() => take()?.onUndo?.()}>
              {t('undo')}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
