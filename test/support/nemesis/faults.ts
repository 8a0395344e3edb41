import { expect } from '@jest/globals';
import type { Server } from '@ugc/local-stack/server';
import { listTargets } from '@ugc/shared/indices/targets';
import fc from 'fast-check';
import type { ChaosProxy } from '../cluster/chaos-proxy.ts';
import type { Store } from '../cluster/cluster-servers.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { declareFields } from '../database/declared-fields.ts';
import { until } from '../jest/until.ts';
import { failureOf, indexCommand, type Result } from '../processes/command.ts';
import { withRedis } from '../servers/redis.ts';

type Fault = { inject(cluster: Cluster): unknown; restore(cluster: Cluster): unknown };

const kill = (of: (cluster: Cluster) => Server | undefined): Fault => ({
  inject: (cluster) => of(cluster)?.kill(),
  restore: (cluster) => of(cluster)?.start(),
});
const hang = (of: (cluster: Cluster) => Server | undefined): Fault => ({
  inject: (cluster) => of(cluster)?.signal('SIGSTOP'),
  restore: (cluster) => of(cluster)?.signal('SIGCONT'),
});
const disturb = (store: Store, how: (proxy: ChaosProxy | undefined) => void): Fault => ({
  inject: ({ proxies }) => how(proxies[store]),
  restore: ({ proxies }) => proxies[store]?.restore(),
});

/** The name of the repository of snapshots, which the test creates. */
export const SNAPSHOTS = 'snapshots';
/** Items have values that fit either, or both. */
export const DEFINITIONS = [
  { players: { type: 'number' }, studio: { type: 'keyword', searched: true } },
  { players: { type: 'keyword' }, studio: { type: 'keyword' } },
];

let rebuilding: Promise<Result> | undefined;
let applied = 0;

/** Goes on while other faults come, which may end it. */
function beginRebuild({ env }: Cluster): void {
  rebuilding ??= indexCommand(env, 'index-rebuild').finally(() => (rebuilding = undefined));
}

/** Waits for the rebuild that goes on, completes one that a fault has ended, and waits until a restored index is repaired. */
export async function endRebuild(cluster: Cluster): Promise<void> {
  await rebuilding;
  const isUnfinished = (await listTargets(cluster.database)).some(({ role }) => role === 'next');
  if (isUnfinished) expect(failureOf(await indexCommand(cluster.env, 'index-rebuild'))).toBe('');
  const isRepaired = async () => (await listTargets(cluster.database)).every(({ role, repair }) => role !== 'search' || repair === null);
  await until('the searched index is repaired', isRepaired);
}

async function searchedIndex({ elasticsearch, env }: Cluster): Promise<string> {
  const { [0]: name = '' } = Object.keys(await elasticsearch.indices.getAlias({ name: env['CONTENT_ALIAS'] ?? '' }));
  return name;
}

/** Restores the snapshot of the searched index over it, or makes one if there is none. */
async function setBack(cluster: Cluster): Promise<void> {
  const { elasticsearch } = cluster;
  const index = await searchedIndex(cluster);
  const { snapshots = [] } = await elasticsearch.snapshot.get({ repository: SNAPSHOTS, snapshot: `${index}*` }, { ignore: [404] });
  const whole = snapshots.find(({ state }) => state === 'SUCCESS');
  if (!whole) {
    const snapshot = `${index}-${snapshots.length}`;
    await elasticsearch.snapshot.create({ repository: SNAPSHOTS, snapshot, indices: index, wait_for_completion: true });
    return;
  }
  await elasticsearch.indices.close({ index });
  await elasticsearch.snapshot.restore({ repository: SNAPSHOTS, snapshot: whole.snapshot, indices: index, include_aliases: false, wait_for_completion: true }); // prettier-ignore
}

async function openIndex(cluster: Cluster): Promise<void> {
  await cluster.elasticsearch.indices.open({ index: await searchedIndex(cluster) });
}

const OF_SERVERS: Record<string, Fault> = {
  'kill Redis': kill(({ redis }) => redis),
  'hang Redis': hang(({ redis }) => redis),
  'flush Redis': { inject: ({ redis }) => withRedis(redis?.url, (client) => client.flushall()), restore: () => undefined },
  'reset Redis': disturb('redis', (proxy) => proxy?.reset()),
  'silence Redis': disturb('redis', (proxy) => proxy?.silence()),
  'fill Redis': {
    inject: ({ redis }) => withRedis(redis?.url, (client) => client.config('SET', 'maxmemory', '1mb')),
    restore: ({ redis }) => withRedis(redis?.url, (client) => client.config('SET', 'maxmemory', '0')),
  },
  'make Redis a replica': {
    inject: ({ redis }) => withRedis(redis?.url, (client) => client.replicaof('127.0.0.1', '1')),
    restore: ({ redis }) => withRedis(redis?.url, (client) => client.replicaof('NO', 'ONE')),
  },
  'kill PostgreSQL': kill(({ postgres }) => postgres),
  'hang PostgreSQL': hang(({ postgres }) => postgres),
  'reset PostgreSQL': disturb('postgres', (proxy) => proxy?.reset()),
  'silence PostgreSQL': disturb('postgres', (proxy) => proxy?.silence()),
  'close the connection during a commit': disturb('postgres', (proxy) => proxy?.cutInsteadOf('COMMIT')),
  'kill Elasticsearch': kill(({ elasticsearchServer }) => elasticsearchServer),
  'hang Elasticsearch': hang(({ elasticsearchServer }) => elasticsearchServer),
  'reset Elasticsearch': disturb('elasticsearch', (proxy) => proxy?.reset()),
  'silence Elasticsearch': disturb('elasticsearch', (proxy) => proxy?.silence()),
  'slow Elasticsearch': disturb('elasticsearch', (proxy) => proxy?.delay(300)),
  'close the connection during a response of Elasticsearch': disturb('elasticsearch', (proxy) => proxy?.cutAfter(200)),
  'kill an API': kill(({ apis }) => apis[0]),
  'hang an API': hang(({ apis }) => apis[1]),
  'kill an indexer': kill(({ indexers }) => indexers[0]),
  'hang an indexer': hang(({ indexers }) => indexers[1]),
};

/** What operators do meanwhile. */
const OF_OPERATORS: Record<string, Fault> = {
  'restore a snapshot of the index': { inject: (cluster) => setBack(cluster).catch(() => undefined), restore: openIndex },
  'rebuild the index': { inject: beginRebuild, restore: () => undefined },
  'declare other fields': {
    inject: ({ database }) => declareFields(database, DEFINITIONS[++applied % DEFINITIONS.length] ?? {}),
    restore: () => undefined,
  },
};

export const FAULTS: Record<string, Fault> = { ...OF_SERVERS, ...OF_OPERATORS };

export type PlannedFault = { afterMs: number; fault: string; lastsMs: number };

/** The same seed gives the same faults and pauses. */
export function planFaults(seed: number, count: number): PlannedFault[] {
  const afterMs = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 4_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 20_000 }) },
  );
  const fault = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...Object.keys(OF_SERVERS)) },
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(OF_OPERATORS)) },
  );
  const planned = fc.record({ afterMs, fault, lastsMs: fc.integer({ min: 200, max: 8_000 }) });
  // By default, the values of a sample grow from small to large.
  return fc.sample(fc.noBias(planned), { seed, numRuns: count });
}
