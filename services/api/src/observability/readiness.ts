import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import { z } from 'zod';
import type { EvictionPolicy } from './eviction-policy.ts';

const StoreStatus = z.enum(['up', 'down']);
const RedisStatus = z
  .enum([...StoreStatus.options, 'evicts'])
  .describe('`evicts`: its maxmemory-policy is not noeviction, so that it may drop index jobs.');

export const Readiness = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'unavailable'])
      .describe('`degraded`: uploads are taken, but something else waits for a store, or may get lost in one.'),
    stores: z.object({ postgres: StoreStatus, redis: RedisStatus, elasticsearch: StoreStatus }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

export type ReadinessDeps = { database: Database; evictionPolicy: EvictionPolicy; elasticsearch: Elasticsearch; alias: string };

const CHECK_TIMEOUT_MS = 1_000;
const CHECK_KEPT_MS = 1_000;

/** Everybody may ask, so however many do, the stores are asked once in a while. */
export function readinessOf(deps: ReadinessDeps): () => Promise<Readiness> {
  return cached(CHECK_KEPT_MS, () => askStores(deps));
}

async function askStores({ database, evictionPolicy, elasticsearch, alias }: ReadinessDeps): Promise<Readiness> {
  const [rows, mayEvict, hits] = await Promise.all([
    withTimeout(CHECK_TIMEOUT_MS, database.query('select 1')),
    withTimeout(CHECK_TIMEOUT_MS, evictionPolicy.mayEvict()),
    withTimeout(CHECK_TIMEOUT_MS, elasticsearch.search({ index: alias, size: 0, terminate_after: 1 })),
  ]);
  const stores: Readiness['stores'] = {
    postgres: rows ? 'up' : 'down',
    redis: mayEvict === undefined ? 'down' : mayEvict ? 'evicts' : 'up',
    elasticsearch: hits ? 'up' : 'down',
  };
  return { status: statusOf(stores), stores };
}

function statusOf({ postgres, redis, elasticsearch }: Readiness['stores']): Readiness['status'] {
  if (postgres === 'down') return 'unavailable';
  return redis === 'up' && elasticsearch === 'up' ? 'ready' : 'degraded';
}
