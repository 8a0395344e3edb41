import type { OperationsStatus, Part, QueueStatus, Resource } from '@ugc/shared/contracts/operations-status';
import { createDeliveryReader, type DeliverySources, type DeliveryStatus } from '@ugc/shared/status/delivery';
import type { RedisCheck } from '@ugc/shared/stores/redis-check';
import { cached } from '@ugc/shared/timing/cached';
import { MAX_WAITING_JOBS } from '../indexing/relay.ts';
import type { Readiness } from './readiness.ts';
import { resourceUsage, type BoundedParts } from './resource-usage.ts';

export type StatusSources = DeliverySources & {
  readiness: () => Promise<Readiness>;
  redisCheck: Pick<RedisCheck, 'problems'>;
  isLive: () => boolean;
  parts: BoundedParts;
};

const STATUS_CACHED_MS = 1_000;

/** Any number of open pages share one status. @returns a function that never rejects, and takes at most 3 s */
export function createStatusReader(sources: StatusSources): () => Promise<OperationsStatus> {
  const readDelivery = createDeliveryReader(sources);
  return cached(STATUS_CACHED_MS, () => readStatus(sources, readDelivery));
}

async function readStatus(sources: StatusSources, readDelivery: () => Promise<DeliveryStatus>): Promise<OperationsStatus> {
  const [{ stores, missingMigrations }, delivery] = await Promise.all([sources.readiness(), readDelivery()]);
  return {
    time: new Date().toISOString(),
    process: processStatus(sources),
    stores,
    redisProblems: sources.redisCheck.problems,
    ...(missingMigrations && { missingMigrations }),
    ...delivery,
    resources: readResources(sources, delivery.queue),
  };
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
