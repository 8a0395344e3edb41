import { useState } from 'preact/hooks';
import { formatBytes } from '../../messages/format.ts';
import { t } from '../../messages/texts.ts';

/** More takes a phone long to lay out. */
const SHOWN_MAX = 20_000;

/** The content as text, never as HTML, once somebody wants to see it. */
export function ContentPreview({ data }: { data: string }) {
  const [isOpen, setOpen] = useState(false);
  if (data === '') return null;
  return (
    <details class="preview" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {t('content')} <span class="muted">{formatBytes(new Blob([data]).size)}</span>
      </summary>
      {isOpen && (
        <>
          <pre dir="auto" tabIndex={0} aria-label={t('content')}>
            {data.slice(0, SHOWN_MAX)}
          </pre>
          {data.length > SHOWN_MAX && <p class="muted">{t('firstCharacters', { max: SHOWN_MAX })}</p>}
        </>
      )}
    </details>
  );
}
