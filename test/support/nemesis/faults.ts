import type { Server } from '@ugc/local-stack/server';
import fc from 'fast-check';
import type { ChaosProxy } from '../cluster/chaos-proxy.ts';
import type { Store } from '../cluster/cluster-servers.ts';
import type { Cluster } from '../cluster/cluster.ts';
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

export const FAULTS: Record<string, Fault> = {
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

export type PlannedFault = { afterMs: number; fault: string; lastsMs: number };

/** The same seed gives the same faults and pauses. */
export function planFaults(seed: number, count: number): PlannedFault[] {
  const afterMs = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1_000, max: 4_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4_000, max: 20_000 }) },
  );
  const fault = fc.constantFrom(...Object.keys(FAULTS));
  const planned = fc.record({ afterMs, fault, lastsMs: fc.integer({ min: 200, max: 8_000 }) });
  // By default, the values of a sample grow from small to large.
  return fc.sample(fc.noBias(planned), { seed, numRuns: count });
}
