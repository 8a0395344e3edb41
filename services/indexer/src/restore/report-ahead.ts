import type { Log } from '@ugc/shared/process/log';
import type { Counter } from 'prom-client';
import type { OnAhead } from './resolve-conflicts.ts';

const NAMED_MAX = 10;

export function reportAhead(log: Log, { ahead }: { ahead: Counter }): OnAhead {
  return (contentIds) => {
    ahead.inc(contentIds.length);
    log.error(
      { itemCount: contentIds.length, contentIds: contentIds.slice(0, NAMED_MAX) },
      'the index is ahead of PostgreSQL, as after a restore of PostgreSQL; these items are indexed again; run npx pnpm index:audit --repair for all others',
    );
  };
}
