import { readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** The version of the release: that of the package.json of the repository, which the image contains. */
export const VERSION = version;

export function measureVersion(registry: Registry): void {
  const gauge = new Gauge({
    name: 'ugc_build_info',
    help: 'Always 1; the label has the version of the release that the process runs',
    labelNames: ['version'],
    registers: [registry],
  });
  gauge.set({ version: VERSION }, 1);
}
