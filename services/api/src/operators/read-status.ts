import type { OperationsStatus, Part, QueueStatus, Resource } from '@ugc/shared/contracts/operations-status';
import { readEmbeddings } from '@ugc/shared/embeddings/status';
import { readComparison } from '@ugc/shared/indices/comparison';
import type { Backlog } from '@ugc/shared/outbox/backlog';
import type { Log } from '@ugc/shared/process/log';
import { readUnfitting } from '@ugc/shared/fields/read-unfitting';
import { readLastBackup } from '@ugc/shared/status/backup';
import { readPause, readRejected, readUnfinished } from '@ugc/shared/status/outbox';
import { readQueue, type QueueSources } from '@ugc/shared/status/queue';
import { readTargets, type IndexSources } from '@ugc/shared/status/targets';
import type { BacklogHistory } from './backlog-history.ts';
import type { RedisCheck } from '@ugc/shared/redis/check';
import { readPart, type OnError } from '@ugc/shared/status/read-part';
import { readSearchInsights } from '@ugc/shared/status/search-insights';
import { whyNotStored } from '@ugc/shared/postgres/storing';
import { cached, throttle } from '@ugc/shared/timing/intervals';
import { withTimeout } from '@ugc/shared/timing/timeouts';
import { MAX_WAITING_JOBS } from '../indexing/relay.ts';
import type { Readiness } from './readiness.ts';
import type { RequestHistory } from './request-history.ts';
import { resourceUsage, type BoundedParts } from './resource-usage.ts';

export type StatusSources = IndexSources &
  QueueSources & {
    log: Log;
    backlog: () => Promise<Backlog>;
    history: Pick<BacklogHistory, 'samples'>;
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
/** Their queries read the whole outbox, and the prompts of 30 days. */
const SLOW_PART_CACHED_MS = 10_000;
const INSIGHTS_MAX = 20;
/** Counting a large collection takes a second. */
const EMBEDDINGS_CACHED_MS = 30_000;
const LOG_EVERY_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Any number of open pages share one status. @returns a function that never rejects, and takes at most 3 s */
export function createStatusReader(sources: StatusSources): () => Promise<OperationsStatus> {
  const readStored = createPartsReader(sources);
  return cached(STATUS_CACHED_MS, async () => {
    const [{ stores, missingMigrations }, notStored, stored] = await Promise.all([
      sources.readiness(),
      withTimeout(PROBE_TIMEOUT_MS, whyNotStored(sources.database)),
      readStored(),
    ]);
    return {
      time: new Date().toISOString(),
      process: processStatus(sources),
      stores,
      postgresProblem: notStored?.problem ?? null,
      keyProblem: sources.keyProblem() ?? null,
      redisProblems: sources.redisCheck.problems,
      ...(missingMigrations && { missingMigrations }),
      ...stored,
      requests: sources.requests.samples,
      resources: readResources(sources, stored.queue),
    };
  });
}

/** @returns a function that reads what the stores tell, each part for itself; the log has the causes of its problems */
function createPartsReader(sources: StatusSources) {
  const { database, log, showsInsights, showsEmbeddings } = sources;
  const warnOf = createWarnings(log);
  const fromPostgres = <T>(part: string, reading: Promise<T>) => readPart('PostgreSQL', reading, warnOf(part));
  const readOld = cached(SLOW_PART_CACHED_MS, () => readUnfinished(sources));
  const readInsights = cached(SLOW_PART_CACHED_MS, () => readSearchInsights(database, INSIGHTS_MAX));
  const readVectors = cached(EMBEDDINGS_CACHED_MS, async () => (await readEmbeddings(database)) ?? null, STATUS_CACHED_MS);
  return async () => {
    const [indexing, now, rejected, unfinished, queue, targets, comparison, lastBackup, unfitting, searchInsights, embeddings] =
      await Promise.all([
        fromPostgres('indexing', readPause(database)),
        fromPostgres(
          'backlog',
          sources.backlog().then(({ pending, oldestPendingSeconds }) => ({ pending, oldestPendingSeconds })),
        ),
        fromPostgres('rejected', readRejected(database)),
        fromPostgres('unfinished', readOld()),
        readPart('Redis', readQueue(sources), warnOf('queue')),
        readTargets(sources, warnOf('targets')),
        fromPostgres('comparison', readComparison(database)),
        fromPostgres('lastBackup', readLastBackup(database)),
        fromPostgres('unfitting', readUnfitting(database)),
        showsInsights && fromPostgres('searchInsights', readInsights()),
        showsEmbeddings && fromPostgres('embeddings', readVectors()),
      ]);
    const backlog = { now, lastHour: [...sources.history.samples] };
    const shown = { ...(searchInsights && { searchInsights }), ...(embeddings && { embeddings }) };
    return { indexing, backlog, rejected, unfinished, queue, targets, comparison, lastBackup, unfitting, ...shown };
  };
}

/** Each part has its own limit, so that one that fails all the time does not hide another. */
function createWarnings(log: Log): (part: string) => OnError {
  const warnings = new Map<string, OnError>();
  return (part) => {
    const warn =
      warnings.get(part) ??
      throttle(LOG_EVERY_MS, (err: unknown) => log.warn({ err, part }, 'a part of the operations status could not be read'));
    warnings.set(part, warn);
    return warn;
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
