import type { DifferenceCounts } from '@ugc/shared/contracts/operations-status';
import { readComparison } from '@ugc/shared/indices/comparison';
import { asyncGauge } from '@ugc/shared/process/async-gauge';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import { withTimeout } from '@ugc/shared/timing/with-timeout';
import { Gauge, type Registry } from 'prom-client';

const KEPT_MS = 1_000;
const READ_TIMEOUT_MS = 2_000;

/** Measured by the API, so that it is known while no indexer is running. */
export function measureComparison(registry: Registry, { database }: { database: Database }): void {
  const read = cached(KEPT_MS, () => readComparison(database));
  asyncGauge(registry, {
    name: 'ugc_index_ahead_items',
    help: 'Items of which the index had a newer state than PostgreSQL, as after a restore, since the last complete comparison',
    read: async () => (await read()).ahead?.items ?? 0,
  });
  asyncGauge(registry, {
    name: 'ugc_index_comparison_completed_timestamp_seconds',
    help: 'Unix time of the end of the last complete comparison of PostgreSQL and the searched index; 0 before it',
    read: async () => Date.parse((await read()).lastRound?.completedAt ?? new Date(0).toISOString()) / 1_000,
  });
  measureDifferences(registry, {
    name: 'ugc_index_comparison_differences',
    help: 'Differences that the last complete comparison of PostgreSQL and the searched index found, by kind',
    read: async () => (await read()).lastRound,
  });
  measureDifferences(registry, {
    name: 'ugc_index_comparison_current_differences',
    help: 'Differences that the present comparison of PostgreSQL and the searched index has found until now, by kind',
    read: async () => (await read()).currentRound,
  });
}

type DifferencesGauge = { name: string; help: string; read: () => Promise<{ differences: DifferenceCounts } | null> };

/** Without such a comparison, or if it cannot be read in time, the scrape omits the gauge. */
function measureDifferences(registry: Registry, { name, help, read }: DifferencesGauge): void {
  new Gauge({
    name,
    help,
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const round = await withTimeout(READ_TIMEOUT_MS, read());
      this.reset();
      for (const [kind, count] of Object.entries(round?.differences ?? {})) this.set({ kind }, count);
    },
  });
}
