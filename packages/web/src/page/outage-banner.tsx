import { Icon } from '../shared/icon.tsx';
import { useStore } from '../shared/store.ts';
import { outage } from './api/request.ts';

export function OutageBanner() {
  const reason = useStore(outage);
  return (
    <div role="status">
      {reason !== undefined && (
        <p class="banner">
          <Icon name="warning" />
          <span>
            {reason} <strong>The page tries again by itself; what you typed is kept.</strong>
          </span>
        </p>
      )}
    </div>
  );
}
