import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../timing/with-timeout.ts';

const ANSWER_WITHIN_MS = 2_000;

export type AsyncGauge = { name: string; help: string; ask: () => Promise<number | undefined> };

/** A gauge that is asked for with every scrape. Without an answer in time it has no value then, and all others are served. */
export function asyncGauge(registry: Registry, { name, help, ask }: AsyncGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await withTimeout(ANSWER_WITHIN_MS, ask());
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
