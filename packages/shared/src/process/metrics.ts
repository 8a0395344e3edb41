import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '../timing/timeouts.ts';
import { VERSION } from './version.ts';

const READ_TIMEOUT_MS = 2_000;
/** Prometheus waits for 10 s by default. */
const READ_MAX_MS = 7_000;

/** @returns undefined if it cannot be read while a scrape waits */
export function readForScrape<T>(reading: Promise<T>): Promise<T | undefined> {
  return withTimeout(READ_TIMEOUT_MS, reading, READ_MAX_MS);
}

type AsyncGauge = { name: string; help: string; read: () => Promise<number | undefined> };

/** If reading fails or times out, the scrape omits the gauge. */
export function asyncGauge(registry: Registry, { name, help, read }: AsyncGauge): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await readForScrape(read());
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

export function measureVersion(registry: Registry): void {
  const gauge = new Gauge({
    name: 'ugc_build_info',
    help: 'Always 1; the label has the version of the release that the process runs',
    labelNames: ['version'],
    registers: [registry],
  });
  gauge.set({ version: VERSION }, 1);
}
