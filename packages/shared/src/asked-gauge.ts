import { Gauge, type Registry } from 'prom-client';
import { answerWithin } from './answer-within.ts';

const ANSWER_WITHIN_MS = 2_000;

export type AskedGauge = { name: string; help: string; ask: () => Promise<number | undefined> };

/** A gauge that is asked for with every scrape. Without an answer in time it has no value then, and all others are served. */
export function askedGauge(registry: Registry, { name, help, ask }: AskedGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await answerWithin(ANSWER_WITHIN_MS, ask());
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
