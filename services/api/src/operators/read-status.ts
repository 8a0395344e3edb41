import type { IndexQueue } from '@ugc/shared/contracts/index-queue';
import { readComparison } from '@ugc/shared/indices/comparison';
import type { Backlog } from '@ugc/shared/outbox/backlog';
import type { Log } from '@ugc/shared/process/log';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Ownership } from '@ugc/shared/ownership/ownership';
import type { Database } from '@ugc/shared/stores/postgres';
import type { RedisCheck } from '@ugc/shared/stores/redis-check';
import { cached } from '@ugc/shared/timing/cached';
import type { Redis } from 'ioredis';
import type { Readiness } from './readiness.ts';
import { resourceUsage, type BoundedParts } from './resource-usage.ts';
import { MAX_WAITING_JOBS } from '../indexing/relay.ts';
import type { BacklogHistory } from './backlog-history.ts';
import type { OperationsStatus, Part, QueueStatus, Resource } from '@ugc/shared/contracts/operations-status';
import { readBacklogNow, readIndexing, readRejected } from './read-outbox.ts';
import { createReadPart, type ReadPart } from './read-part.ts';
import { readQueue, readUnfinished } from './read-queue.ts';
import { readTargets } from './read-targets.ts';

export type StatusSources = {
  database: Database;
  elasticsearch: Elasticsearch;
  redis: Redis;
  queue: IndexQueue;
  alias: string;
  queuePrefix: string;
  ownership: Ownership;
  log: Log;
  backlog: () => Promise<Backlog>;
  history: BacklogHistory;
  readiness: () => Promise<Readiness>;
  redisCheck: Pick<RedisCheck, 'problems'>;
  isLive: () => boolean;
  parts: BoundedParts;
};
type Sources = StatusSources & { readPart: ReadPart };

const STATUS_CACHED_MS = 1_000;
/** Its query reads the whole outbox. */
const UNFINISHED_CACHED_MS = 10_000;

/** Any number of open pages share one status. @returns a function that never rejects, and takes at most 3 s */
export function createStatusReader(sources: StatusSources): () => Promise<OperationsStatus> {
  const unfinished = cached(UNFINISHED_CACHED_MS, () => readUnfinished(sources));
  const readPart = createReadPart(sources.log);
  return cached(STATUS_CACHED_MS, () => readStatus({ ...sources, readPart }, unfinished));
}

async function readStatus(sources: Sources, readOld: () => ReturnType<typeof readUnfinished>): Promise<OperationsStatus> {
  const { database, readPart, backlog, history, readiness } = sources;
  const [{ stores, missingMigrations }, indexing, now, rejected, unfinished, queue, targets, comparison] = await Promise.all([
    readiness(),
    readPart('PostgreSQL', () => readIndexing(database)),
    readPart('PostgreSQL', () => readBacklogNow(backlog)),
    readPart('PostgreSQL', () => readRejected(database)),
    readPart('PostgreSQL', readOld),
    readPart('Redis', () => readQueue(sources)),
    readTargets(sources),
    readPart('PostgreSQL', () => readComparison(database)),
  ]);
  return {
    time: new Date().toISOString(),
    process: processStatus(sources),
    stores,
    redisProblems: sources.redisCheck.problems,
    ...(missingMigrations && { missingMigrations }),
    indexing,
    backlog: { now, lastHour: [...history.samples] },
    rejected,
    unfinished,
    queue,
    targets,
    comparison,
    resources: readResources(sources, queue),
  };
}

function processStatus({ isLive }: Sources): OperationsStatus['process'] {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  return { startedAt, live: isLive(), residentBytes: process.memoryUsage.rss() };
}

function readResources({ parts, database: { pool } }: Sources, queue: Part<QueueStatus>): Resource[] {
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
