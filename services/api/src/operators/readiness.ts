import { withTimeout } from '@ugc/shared/timing/timeouts';
import type { RedisCheck, EvictionPolicy } from '@ugc/shared/redis/check';
import { whyNotStored, type NotStored, type StoringSources } from '@ugc/shared/postgres/storing';
import { cached } from '@ugc/shared/timing/intervals';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Searchable } from '../search/check-searchable.ts';

const StoreStatus = z.enum(['up', 'down']);
const PostgresStatus = z
  .enum([...StoreStatus.options, 'outdated', 'read_only', 'refuses'])
  .describe(
    '`outdated`: the schema is older than this release; `missingMigrations` lists what it lacks. ' +
      '`read_only`: it can be read, and stores no change, as a standby does. ' +
      '`refuses`: it can be read, and changes are not stored, as with a full disk or without its synchronous standby.',
  );
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
      .enum(['ready', 'degraded', 'unavailable', 'stopping'])
      .describe(
        "`degraded`: a part of the service fails or an operator is needed: the operators' page says why. " +
          '`stopping`: the process responds for `SHUTDOWN_DELAY_MS` and then ends.',
      ),
    stores: z.object({ postgres: PostgresStatus, redis: RedisStatus, elasticsearch: StoreStatus }),
    missingMigrations: z.array(z.string()).optional().describe('The migrations that the schema of PostgreSQL lacks, if any.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

type ReadinessDeps = {
  schemaCheck: () => Promise<string[]>;
  database: StoringSources;
  /** Why indices are not written or searched. */
  indexProblems: () => Promise<string[]>;
  /** Why tokens cannot be verified. */
  keyProblem: () => string | undefined;
  redisCheck: Pick<RedisCheck, 'run'>;
  evictionPolicy: EvictionPolicy;
  checkSearchable: () => Promise<Searchable>;
};

/** Tells load balancers that the process is about to end. */
export function createStop(delayMs: number) {
  let isStopping = false;
  return {
    /** The first step of the shutdown. */
    begin: (): Promise<void> | void => {
      isStopping = true;
      return delayMs > 0 ? delay(delayMs) : undefined;
    },
    tell: (readiness: () => Promise<Readiness>) => async (): Promise<Readiness> =>
      isStopping ? { ...(await readiness()), status: 'stopping' } : readiness(),
  };
}

const CHECK_TIMEOUT_MS = 1_000;
/** A scrape waits for the checks, and Prometheus for 10 s for the scrape. */
const CHECK_MAX_MS = 6_000;
const CHECK_CACHED_MS = 1_000;
const POLICY_STATUS = { ok: 'up', evicts: 'evicts', unknown: 'eviction_unknown' } as const;

/** The result is cached, because the endpoint is public and not rate-limited. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  return cached(CHECK_CACHED_MS, () => checkStores(deps));
}

const inTime = <T>(checking: Promise<T>): Promise<T | undefined> => withTimeout(CHECK_TIMEOUT_MS, checking, CHECK_MAX_MS);

async function checkStores(deps: ReadinessDeps): Promise<Readiness> {
  const [missing, notStored, redis, search, indexProblems] = await Promise.all([
    inTime(deps.schemaCheck()),
    inTime(whyNotStored(deps.database)),
    inTime(checkRedis(deps)),
    inTime(deps.checkSearchable()),
    inTime(deps.indexProblems()),
  ]);
  const stores: Readiness['stores'] = {
    postgres: postgresStatus(missing, notStored),
    redis: redis ?? 'down',
    elasticsearch: search?.searchable ? 'up' : 'down',
  };
  const found = [missing?.length === 0 && notStored?.problem, search?.problem, indexProblems, deps.keyProblem()].flat();
  // Their texts name addresses and indices, and are only for the operations port.
  const hasProblem = found.some((problem) => typeof problem === 'string');
  return { status: statusOf(stores, hasProblem), stores, ...(missing && missing.length > 0 && { missingMigrations: missing }) };
}

function postgresStatus(missing: string[] | undefined, notStored: NotStored | undefined): Readiness['stores']['postgres'] {
  if (missing === undefined) return 'down';
  return missing.length > 0 ? 'outdated' : (notStored?.state ?? 'up');
}

async function checkRedis({ redisCheck, evictionPolicy }: ReadinessDeps): Promise<Readiness['stores']['redis']> {
  const [problems, policy] = await Promise.all([redisCheck.run(), evictionPolicy.read()]);
  return problems.length > 0 ? 'refuses' : POLICY_STATUS[policy];
}

/** Reads go on while no change is stored. */
function statusOf({ postgres, redis, elasticsearch }: Readiness['stores'], hasProblem: boolean): Readiness['status'] {
  if (postgres === 'down' || postgres === 'outdated') return 'unavailable';
  const isUp = postgres === 'up' && ['up', 'eviction_unknown'].includes(redis) && elasticsearch === 'up';
  return isUp && !hasProblem ? 'ready' : 'degraded';
}
