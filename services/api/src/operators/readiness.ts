import { withTimeout } from '@ugc/shared/timing/timeouts';
import type { RedisCheck, EvictionPolicy } from '@ugc/shared/redis/check';
import { cached } from '@ugc/shared/timing/intervals';
import { z } from 'zod';
import type { Searchable } from '../search/check-searchable.ts';

const StoreStatus = z.enum(['up', 'down']);
const PostgresStatus = z
  .enum([...StoreStatus.options, 'outdated'])
  .describe('`outdated`: the schema is older than this release; `missingMigrations` lists what it lacks.');
const RedisStatus = z
  .enum([...StoreStatus.options, 'evicts', 'eviction_unknown', 'refuses'])
  .describe(
    '`evicts`: the maxmemory-policy is not noeviction, so Redis may evict index jobs. ' +
      '`eviction_unknown`: up, but the user may not run INFO, so the maxmemory-policy is unknown; this alone is not degraded. ' +
      '`refuses`: Redis responds but refuses commands or keys that the service needs.',
  );

export const Readiness = z
  .object({
    status: z
      .enum(['ready', 'degraded', 'unavailable'])
      .describe('`degraded`: uploads succeed, but Redis or Elasticsearch is unavailable or may lose data.'),
    stores: z.object({ postgres: PostgresStatus, redis: RedisStatus, elasticsearch: StoreStatus }),
    missingMigrations: z.array(z.string()).optional().describe('The migrations that the schema of PostgreSQL lacks, if any.'),
    problems: z.array(z.string()).optional().describe('What an operator has to do, if a store is not merely unavailable.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

type ReadinessDeps = {
  schemaCheck: () => Promise<string[]>;
  redisCheck: Pick<RedisCheck, 'run'>;
  evictionPolicy: EvictionPolicy;
  checkSearchable: () => Promise<Searchable>;
};

const CHECK_TIMEOUT_MS = 1_000;
const CHECK_CACHED_MS = 1_000;
const POLICY_STATUS = { ok: 'up', evicts: 'evicts', unknown: 'eviction_unknown' } as const;

/** The result is cached, because the endpoint is public and not rate-limited. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  return cached(CHECK_CACHED_MS, () => checkStores(deps));
}

async function checkStores(deps: ReadinessDeps): Promise<Readiness> {
  const [missing, redis, search] = await Promise.all([
    withTimeout(CHECK_TIMEOUT_MS, deps.schemaCheck()),
    withTimeout(CHECK_TIMEOUT_MS, checkRedis(deps)),
    withTimeout(CHECK_TIMEOUT_MS, deps.checkSearchable()),
  ]);
  const stores: Readiness['stores'] = {
    postgres: missing === undefined ? 'down' : missing.length > 0 ? 'outdated' : 'up',
    redis: redis ?? 'down',
    elasticsearch: search?.searchable ? 'up' : 'down',
  };
  return {
    status: statusOf(stores),
    stores,
    ...(missing?.length && { missingMigrations: missing }),
    ...(search?.problem !== undefined && { problems: [search.problem] }),
  };
}

async function checkRedis({ redisCheck, evictionPolicy }: ReadinessDeps): Promise<Readiness['stores']['redis']> {
  const [problems, policy] = await Promise.all([redisCheck.run(), evictionPolicy.read()]);
  return problems.length > 0 ? 'refuses' : POLICY_STATUS[policy];
}

function statusOf({ postgres, redis, elasticsearch }: Readiness['stores']): Readiness['status'] {
  if (postgres !== 'up') return 'unavailable';
  return ['up', 'eviction_unknown'].includes(redis) && elasticsearch === 'up' ? 'ready' : 'degraded';
}
