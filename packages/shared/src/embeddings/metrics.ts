import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../postgres/postgres.ts';
import { asyncGauge, readForScrape } from '../process/metrics.ts';
import { cached } from '../timing/intervals.ts';
import { readEmbeddings, readWaiting } from './status.ts';

const WAITING_KEPT_MS = 10_000;
/** Counting a large collection takes a second. */
const COUNTS_KEPT_MS = 300_000;

/** Measured by the API, so that they are known while no indexer is running. */
export function measureEmbeddings(registry: Registry, database: Database): void {
  const waiting = cached(WAITING_KEPT_MS, () => readWaiting(database));
  const counts = cached(COUNTS_KEPT_MS, () => readEmbeddings(database), WAITING_KEPT_MS);
  asyncGauge(registry, {
    name: 'ugc_embedding_waiting_items',
    help: 'Items whose present texts wait for the embedding service',
    read: async () => (await waiting()).waiting,
  });
  asyncGauge(registry, {
    name: 'ugc_embedding_oldest_waiting_seconds',
    help: 'For how long the oldest text has waited for the embedding service, 0 without one',
    read: async () => (await waiting()).oldestWaitingSeconds ?? 0,
  });
  new Gauge({
    name: 'ugc_embedding_items',
    help: 'Items by whether they have a vector of the configured model: embedded, refused by the service, or missing; counted every five minutes',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const status = await readForScrape(counts());
      this.reset();
      if (!status) return;
      const { items, embedded, refused } = status;
      for (const [kind, count] of Object.entries({ embedded, refused, missing: Math.max(items - embedded - refused, 0) }))
        this.set({ kind }, count);
    },
  });
}
