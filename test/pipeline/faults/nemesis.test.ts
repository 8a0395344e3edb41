/** @store-timeout-factor 1 */
import { expect, it } from '@jest/globals';
import { chmod } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../../support/http/client.ts';
import { startCluster } from '../../support/cluster/cluster.ts';
import { forAllTests } from '../../support/jest/for-all-tests.ts';
import { runs } from '../../support/jest/long.ts';
import { NemesisClient } from '../../support/nemesis/nemesis-client.ts';
import { DEFINITIONS, endRebuild, FAULTS, planFaults, SNAPSHOTS, type PlannedFault } from '../../support/nemesis/faults.ts';
import { declareFields } from '../../support/database/declared-fields.ts';
import { expectDocuments } from '../../support/indices/expect-documents.ts';
import { dataFolder } from '../../support/servers/data-folder.ts';
import { expectNothingLost, expectRunning } from '../../support/cluster/oracle.ts';
import { until } from '../../support/jest/until.ts';
import { Uploads } from '../../support/cluster/uploads.ts';

const MINUTES = Number(process.env['NEMESIS_MINUTES'] ?? runs(0.5, 1));
const SEED = Number(process.env['NEMESIS_SEED'] ?? 7);
const CLIENTS = 8;
const MAX_FAULTS_PER_MINUTE = 60;

const cluster = forAllTests(async () => {
  const snapshots = await dataFolder('snapshots-');
  await chmod(snapshots, 0o777);
  const started = await startCluster(
    {
      redis: true,
      postgres: true,
      elasticsearch: { 'path.repo': snapshots },
      proxied: ['redis', 'postgres', 'elasticsearch'],
      apis: 2,
      indexers: 2,
    },
    // The default. A list on a silent connection holds the slot of its user until then, and others wait for 50 s at most.
    { LIST_TIMEOUT_MS: '3000' },
  );
  await started.elasticsearch.snapshot.createRepository({ name: SNAPSHOTS, repository: { type: 'fs', settings: { location: snapshots } } });
  await declareFields(started.database, DEFINITIONS[0] ?? {});
  return started;
});

it(
  `no upload is lost during ${MINUTES} min of random faults (seed ${SEED})`,
  async () => {
    print(`seed ${SEED}, ${MINUTES} min, ${CLIENTS} clients`);
    const startedAt = Date.now();
    const uploads = new Uploads();
    const stopping = new AbortController();
    const clients = Array.from({ length: CLIENTS }, (_, n) => newClient(n, uploads));
    const running = clients.map((client) => client.run(stopping.signal));
    for (const planned of planFaults(SEED, Math.ceil(MINUTES * MAX_FAULTS_PER_MINUTE))) {
      if (Date.now() - startedAt > MINUTES * 60_000) break;
      await perform(planned, startedAt);
    }
    stopping.abort();
    await Promise.all(running);
    for (const [response, times] of countsOf(clients)) print(`${String(times).padStart(7)} × ${response}`);
    await expectGuarantees(clients, uploads).catch((error: unknown) => {
      print(`result: a guarantee is violated, see below; --seed ${SEED} repeats the faults`);
      throw error;
    });
    print('result: nothing was lost');
  },
  MINUTES * 60_000 + 600_000,
);

function newClient(n: number, uploads: Uploads): NemesisClient {
  const client = new Client(cluster.apis[n % cluster.apis.length]?.url ?? '');
  return new NemesisClient(`client${n}`, { client, uploads, seed: SEED * CLIENTS + n });
}

async function perform({ afterMs, fault, lastsMs }: PlannedFault, startedAt: number): Promise<void> {
  await delay(afterMs);
  print(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${fault}, for ${lastsMs} ms`);
  // A fault that restarts a process would hide that the process had ended by itself.
  expectRunning(cluster);
  await FAULTS[fault]?.inject(cluster);
  await delay(lastsMs);
  await FAULTS[fault]?.restore(cluster);
}

async function expectGuarantees(clients: NemesisClient[], uploads: Uploads): Promise<void> {
  expect(clients.flatMap((client) => client.unexpected)).toEqual([]);
  await until('lists return 200 again', async () => (await cluster.client.list()).status === 200);
  const unpublished = 'select from unpublished_content limit 1';
  await until('all scheduled items are public', async () => (await cluster.database.query(unpublished)).length === 0);
  await endRebuild(cluster);
  await expectNothingLost(cluster, uploads, [], { lacksDeleted: true });
  await expectDocuments(cluster, ({ role }) => role === 'search');
  const rows = await cluster.database.query<{ contentId: number; version: number; deleted: boolean; hidden: boolean }>(
    `select content_id, version, coalesce(deleted_at <> 'infinity', false) as deleted, coalesce(deleted_at = 'infinity', false) as hidden
     from content`,
  );
  const stored = new Map(rows.map((row) => [row.contentId, row]));
  const items = clients.flatMap((client) => client.items);
  expect(items.map((item) => item.faultOf(stored.get(item.contentId) ?? { version: NaN, deleted: true, hidden: false }))).toEqual(
    items.map(() => undefined),
  );
}

function countsOf(clients: NemesisClient[]): [string, number][] {
  const sum: Record<string, number> = {};
  for (const { counts } of clients) for (const [response, times] of Object.entries(counts)) sum[response] = (sum[response] ?? 0) + times;
  return Object.entries(sum).sort();
}

// With console.log, Jest prints a stack trace below every line.
function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
