import type { OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { formatBytes, formatDay } from '../status/format.ts';

export function Footer({ status: { process } }: { status: OperationsStatus }) {
  return (
    <footer class="footer">
      <p>
        This page changes nothing: run the commands in a terminal. With Docker Compose, <code translate={false}>npx pnpm index:status</code>{' '}
        is <code translate={false}>docker compose exec indexer node services/indexer/src/commands/index-status.ts</code>, and so on.
      </p>
      <p>
        The limits and the last hour are those of this API process. It runs since {formatDay(process.startedAt)} and takes{' '}
        {formatBytes(process.residentBytes)} of memory. Its log says why a part could not be read. Times of indexing are in the{' '}
        <a href="./metrics">metrics</a>.
      </p>
    </footer>
  );
}
