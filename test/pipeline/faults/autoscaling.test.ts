import { expect, it } from '@jest/globals';
import { Autoscaler } from '../../support/cluster/autoscaler.ts';
import { startCluster } from '../../support/cluster/cluster.ts';
import { expectNothingLost } from '../../support/cluster/oracle.ts';
import { Uploads } from '../../support/cluster/uploads.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';

/** `FAULT_UPLOADS=50000` makes the burst larger. */
const UPLOADS = Number(process.env['FAULT_UPLOADS'] ?? 5_000);
const CONNECTIONS = 8;
const MAX = 3;

const cluster = forAllTests(() =>
  startCluster(
    { indexers: MAX, postgres: true, redis: true, elasticsearch: true },
    { PENDING_CHANGES_PER_INDEXER: String(UPLOADS / 10), INDEXERS_MAX: String(MAX) },
  ),
);
const uploads = new Uploads();

async function upload(prefix: string, count: number): Promise<void> {
  const each = Math.ceil(count / CONNECTIONS);
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => uploads.sendMany(cluster.client, `${prefix} ${n}`, each)));
}

it(
  `with as many indexers as are wanted, a burst of ${UPLOADS} uploads starts them from zero, and they end when it is indexed`,
  async () => {
    const autoscaler = new Autoscaler(cluster);
    await autoscaler.runUntil(() => autoscaler.running === 0);
    await upload('before the autoscaler asks', UPLOADS * 0.6);
    const rest = upload('while indexers start', UPLOADS * 0.4);
    const progress = { uploaded: false };
    void rest.finally(() => (progress.uploaded = true)).catch(() => undefined);
    await autoscaler.runUntil(() => progress.uploaded && autoscaler.running === 0);
    await rest;
    process.stdout.write(`\n${autoscaler.timeline()}\n`);

    expect(uploads.statusesBut(201)).toEqual([]);
    expect(autoscaler.mostRunning).toBe(MAX);
    // Without flapping, each is started once. A pause of a slow machine may start one again.
    expect(autoscaler.starts).toBeLessThan(2 * MAX);
    await expectNothingLost({ ...cluster, indexers: [] }, uploads);
  },
  UPLOADS * 150,
);
