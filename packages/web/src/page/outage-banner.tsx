import { Icon } from '../shared/icon.tsx';
import { useStore } from '../shared/store.ts';
import { outage } from './api/request.ts';
import { t } from '../messages/texts.ts';

export function OutageBanner() {
  const reason = useStore(outage);
  return (
    <div role="status">
      {reason !== undefined && (
        <p class="banner">
          <Icon name="warning" />
          <span>
            {reason} <strong>{t('triesAgain')}</strong>
          </span>
        </p>
      )}
    </div>
  );
}
