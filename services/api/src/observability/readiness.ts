import { withTimeout } from '@ugc/shared/timing/with-timeout';
import type { Database } from '@ugc/shared/stores/postgres';
import { cached } from '@ugc/shared/timing/cached';
import { z } from 'zod';
import type { Searchable } from '../searched-index/check-searchable.ts';
import type { EvictionPolicy } from './eviction-policy.ts';

const StoreStatus = z.enum(['up', 'down']);
const RedisStatus = z
  .enum([...StoreStatus.options, 'evicts'])
  .describe('`evicts`: the maxmemory-policy is not noeviction, so Redis may evict index jobs.');

export const Readiness = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'unavailable'])
      .describe('`degraded`: uploads succeed, but Redis or Elasticsearch is unavailable or may lose data.'),
    stores: z.object({ postgres: StoreStatus, redis: RedisStatus, elasticsearch: StoreStatus }),
    problems: z.array(z.string()).optional().describe('What an operator has to do, if a store is not merely unavailable.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

type ReadinessDeps = { database: Database; evictionPolicy: EvictionPolicy; checkSearchable: () => Promise<Searchable> };

const CHECK_TIMEOUT_MS = 1_000;
const CHECK_CACHED_MS = 1_000;

/** The result is cached, because the endpoint is public and not rate-limited. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  return cached(CHECK_CACHED_MS, () => checkStores(deps));
}

async function checkStores({ database, evictionPolicy, checkSearchable }: ReadinessDeps): Promise<Readiness> {
  const [rows, mayEvict, search] = await Promise.all([
    withTimeout(CHECK_TIMEOUT_MS, database.query('select 1')),
    withTimeout(CHECK_TIMEOUT_MS, evictionPolicy.mayEvict()),
    withTimeout(CHECK_TIMEOUT_MS, checkSearchable()),
  ]);
  const stores: Readiness['stores'] = {
    postgres: rows ? 'up' : 'down',
    redis: mayEvict === undefined ? 'down' : mayEvict ? 'evicts' : 'up',
    elasticsearch: search?.searchable ? 'up' : 'down',
  };
  const problems = search?.problem === undefined ? [] : [search.problem];
  return { status: statusOf(stores), stores, ...(problems.length > 0 && { problems }) };
}

function statusOf({ postgres, redis, elasticsearch }: Readiness['stores']): Readiness['status'] {
  if (postgres === 'down') return 'unavailable';
  return redis === 'up' && elasticsearch === 'up' ? 'ready' : 'degraded';
}
