import { t } from '../../messages/texts.ts';

/** Takes why a moderator hides or refuses an item. */
export function ReasonInput({ onInput }: { onInput: (reason: string) => void }) {
  return (
    <input
      class="input"
      dir="auto"
      aria-label={t('reason')}
      placeholder={t('reason')}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
