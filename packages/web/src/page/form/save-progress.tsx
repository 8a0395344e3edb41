import { t } from '../../messages/texts.ts';
/** @param share how much is sent, 0 to 1; afterwards the response waits until lists show the change */
export function SaveProgress({ share }: { share: number | undefined }) {
  return (
    <div class="save-progress">
      {share !== undefined && share < 1 && <progress value={share} aria-label={t('sent')} />}
      <span role="status">{share !== undefined && t(share < 1 ? 'sending' : 'indexing')}</span>
    </div>
  );
}
