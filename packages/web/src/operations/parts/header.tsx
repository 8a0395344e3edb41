import { Button } from '../../shared/button.tsx';
import { formatSeconds } from '../status/format.ts';
import type { StatusView } from '../status/use-status.ts';

type HeaderProps = { view: StatusView; isRefreshing: boolean; onToggle: () => void };

export function Header({ view: { status }, isRefreshing, onToggle }: HeaderProps) {
  return (
    <header class="header">
      <div class="header-inner">
        <h1>Operations</h1>
        {status && <p class="updated">As of {formatSeconds(Date.parse(status.time))}</p>}
        <Button onClick={onToggle}>{isRefreshing ? 'Stop updates' : 'Update again'}</Button>
      </div>
    </header>
  );
}
