import type { OperationsStatus, Part, QueueStatus, Resource } from '@ugc/shared/contracts/operations-status';
import { readEmbeddings } from '@ugc/shared/embeddings/status';
import { createDeliveryReader, type DeliverySources } from '@ugc/shared/status/delivery';
import type { RedisCheck } from '@ugc/shared/redis/check';
import { readPart } from '@ugc/shared/status/read-part';
import { readSearchInsights } from '@ugc/shared/status/search-insights';
import { whyNotStored } from '@ugc/shared/postgres/storing';
import { cached, throttle } from '@ugc/shared/timing/intervals';
import { withTimeout } from '@ugc/shared/timing/timeouts';
import { MAX_WAITING_JOBS } from '../indexing/relay.ts';
import type { Readiness } from './readiness.ts';
import type { RequestHistory } from './request-history.ts';
import { resourceUsage, type BoundedParts } from './resource-usage.ts';

export type StatusSources = DeliverySources & {
  readiness: () => Promise<Readiness>;
  keyProblem: () => string | undefined;
  redisCheck: Pick<RedisCheck, 'problems'>;
  isLive: () => boolean;
  parts: BoundedParts;
  requests: Pick<RequestHistory, 'samples'>;
  showsInsights: boolean;
  showsEmbeddings: boolean;
};

const STATUS_CACHED_MS = 1_000;
/** Its query reads the prompts of 30 days. */
const INSIGHTS_CACHED_MS = 10_000;
const INSIGHTS_MAX = 20;
/** Counting a large collection takes a second. */
const EMBEDDINGS_CACHED_MS = 30_000;
const LOG_EVERY_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Any number of open pages share one status. @returns a function that never rejects, and takes at most 3 s */
export function createStatusReader(sources: StatusSources): () => Promise<OperationsStatus> {
  const { showsInsights, showsEmbeddings, database, log } = sources;
  const readDelivery = createDeliveryReader(sources);
  const insights = cached(INSIGHTS_CACHED_MS, () => readSearchInsights(database, INSIGHTS_MAX));
  const warnOfInsights = throttle(LOG_EVERY_MS, (err: unknown) => log.warn({ err }, 'the search insights could not be read'));
  const embeddings = cached(EMBEDDINGS_CACHED_MS, async () => (await readEmbeddings(database)) ?? null, STATUS_CACHED_MS);
  const warnOfEmbeddings = throttle(LOG_EVERY_MS, (err: unknown) => log.warn({ err }, 'the vectors of the items could not be counted'));
  return cached(STATUS_CACHED_MS, async () => {
    const [{ stores, missingMigrations }, notStored, delivery, searchInsights, vectors] = await Promise.all([
      sources.readiness(),
      withTimeout(PROBE_TIMEOUT_MS, whyNotStored(database)),
      readDelivery(),
      showsInsights && readPart('PostgreSQL', insights(), warnOfInsights),
      showsEmbeddings && readPart('PostgreSQL', embeddings(), warnOfEmbeddings),
    ]);
    return {
      time: new Date().toISOString(),
      process: processStatus(sources),
      stores,
      postgresProblem: notStored?.problem ?? null,
      keyProblem: sources.keyProblem() ?? null,
      redisProblems: sources.redisCheck.problems,
      ...(missingMigrations && { missingMigrations }),
      ...delivery,
      requests: sources.requests.samples,
      ...(searchInsights && { searchInsights }),
      ...(vectors && { embeddings: vectors }),
      resources: readResources(sources, delivery.queue),
    };
  });
}

function processStatus({ isLive }: StatusSources): OperationsStatus['process'] {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  return { startedAt, live: isLive(), residentBytes: process.memoryUsage.rss() };
}

function readResources({ parts, database: { pool } }: StatusSources, queue: Part<QueueStatus>): Resource[] {
  return [
    { resource: 'postgres_connections', used: pool.totalCount - pool.idleCount, limit: pool.options.max },
    ...('value' in queue ? queueResources(queue.value) : []),
    ...Object.entries(resourceUsage(parts)).map(([resource, usage]) => ({ resource, ...usage })),
  ];
}

function queueResources({ waiting, memory }: QueueStatus): Resource[] {
  const jobs = { resource: 'waiting_jobs', used: waiting, limit: MAX_WAITING_JOBS };
  if (!memory || memory.limitBytes === null) return [jobs];
  return [jobs, { resource: 'redis_memory_bytes', used: memory.usedBytes, limit: memory.limitBytes }];
}
