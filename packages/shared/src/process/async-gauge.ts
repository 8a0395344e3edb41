import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../timing/with-timeout.ts';

const READ_TIMEOUT_MS = 2_000;

type AsyncGauge = { name: string; help: string; read: () => Promise<number | undefined> };

/** If reading fails or times out, the scrape omits the gauge. */
export function asyncGauge(registry: Registry, { name, help, read }: AsyncGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await withTimeout(READ_TIMEOUT_MS, read());
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}
