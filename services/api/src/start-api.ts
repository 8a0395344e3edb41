import { connectElasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { connectEmbeddingService } from '@ugc/shared/embeddings/embedding-service';
import { measureEmbeddings } from '@ugc/shared/embeddings/metrics';
import { keepHeartbeat } from '@ugc/shared/ownership/heartbeat';
import { KeptIdentity } from '@ugc/shared/ownership/kept-identity';
import { Ownership } from '@ugc/shared/ownership/ownership';
import { openIndexQueue } from '@ugc/shared/contracts/index-queue';
import { Liveness, type Running, type Step, type Work } from '@ugc/shared/process/lifecycle';
import { storeTimeout } from '@ugc/shared/timing/timeouts';
import { logRepeated, type Log } from '@ugc/shared/process/log';
import { publishScheduled } from '@ugc/items/people/publish-due';
import { cached } from '@ugc/shared/timing/intervals';
import { processName, seesEarlierProcess } from '@ugc/shared/postgres/earlier-processes';
import { connectPostgres, SERVICE_CONNECT_TIMEOUT_MS } from '@ugc/shared/postgres/postgres';
import { connectProducer } from '@ugc/shared/redis/redis';
import { RedisCheck, EvictionPolicy } from '@ugc/shared/redis/check';
import { shareIndexProblems } from '@ugc/shared/status/index-problems';
import { shareBacklog, createMetrics, measureKeyServer } from './operators/metrics.ts';
import { createSchemaCheck } from '@ugc/shared/postgres/schema';
import { VERSION } from '@ugc/shared/process/version';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import { openKeys, type Keys } from './auth/keys.ts';
import { SharedRefresh } from './indexing/shared-refresh.ts';
import { IndexWaiters } from './indexing/wait-until-indexed.ts';
import { createRankingMetrics, Meaning } from './search/meaning/meaning.ts';
import { createKnownLists } from './search/pages/read-page.ts';
import { createPromptMemory } from './search/prompt/prompt-memory.ts';
import { requestTimeoutOf } from './search/session.ts';
import { checkSearchable } from './search/check-searchable.ts';
import { IndexLookup } from './search/index-lookup.ts';
import { KnownRestores } from './search/known-restores.ts';
import { SearchInsights } from './search/insights/search-insights.ts';
import { DEFAULT_PAGE_SIZE } from './search/parameters.ts';
import { readSynonyms } from './search/prompt/read-synonyms.ts';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import type { ApiEnv } from './env.ts';
import { EventsOfDay } from './limits/events-of-day.ts';
import { openRateLimits } from './limits/rate-limits.ts';
import { createReadiness, createStop } from './operators/readiness.ts';
import { HeldIndex } from './search/facets/held-index.ts';
import { measureTraffic } from './operators/resource-usage.ts';
import { Relay } from './indexing/relay.ts';
import { indexFollowedNames } from '@ugc/items/people/followed-names';
import { DeclaredFields } from '@ugc/shared/fields/declared-fields';
import { BlockedUsers } from '@ugc/items/people/blocked-users';
import { TokenUsers } from '@ugc/items/people/token-users';
import { listen } from './http/server.ts';
import { startOperations } from './operators/operations-port.ts';
import { openFilesMax } from './limits/open-files.ts';
import { createTraffic } from './limits/traffic.ts';

/** No request can have a longer timeout than the client. Those of health checks and metrics are not waited for as long. */
const ELASTICSEARCH_MIN_TIMEOUT_MS = 2_800;
const STATEMENT_TIMEOUT_MS = 1_500;

/** Before a process of 1.0.0 was started again, the database was asked at most so long ago. */
const EARLIER_KNOWN_MS = 2_000;

/** A pass of the relay makes a few store requests, each with a timeout of about 2 s. */
const RELAY_STUCK_AFTER_MS = storeTimeout(60_000);

export type RunningApi = Running & { port: number; operationsPort: number; relay: Work; heartbeat: Work };

type ApiStores = ReturnType<typeof connectStores>;

/** Starts even while stores are unavailable. @throws ConfigurationError */
export async function startApi(env: ApiEnv, log: Log, stores: ApiStores = connectStores(env, log)): Promise<RunningApi> {
  const keys = openKeys(env);
  const { keyProblem, ownership, searchedIndex, readiness, backlog, metrics } = observe(env, log, { ...stores, keys });
  const liveness = new Liveness({ stuckAfterMs: RELAY_STUCK_AFTER_MS });
  const isLive = (): boolean => liveness.isLive();
  const relay = new Relay({ ...stores, log, metrics, liveness });
  const traffic = createTraffic(env, onThreadError(log));
  const memory = { ...createPromptMemory(), knownLists: createKnownLists(), synonyms: new Synonyms(readSynonyms(env.SYNONYMS_FILE)) };
  const meaning = createMeaning(env, { ...stores, log, registry: metrics.registry });
  const indexWaiters = new IndexWaiters({ ...stores, refresh: new SharedRefresh({ ...stores, queuePrefix: env.QUEUE_PREFIX }), log });
  const parts = { traffic, indexWaiters, searchedIndex, ...memory, meaning, heldIndex: new HeldIndex(stores) };
  measureTraffic(metrics.registry, parts);
  const { stop: stopUsers, ...users } = startUsers(env, log, { ...stores, onPublished: () => relay.wake() });
  const insights = env.SEARCH_INSIGHTS ? new SearchInsights({ ...stores, log, metrics, queuePrefix: env.QUEUE_PREFIX }) : undefined;
  const content = { ...stores, ...traffic.answers.watch(stores), ...parts, limits: env, wakeRelay: () => relay.wake(), ...users, insights };
  const stop = createStop(env.SHUTDOWN_DELAY_MS);
  const app = createApp({ ...content, env, keys, log, metrics, readiness: stop.tell(readiness), isLive });
  const status = { ...stores, queuePrefix: env.QUEUE_PREFIX, ownership, log, backlog, readiness, keyProblem, isLive, parts };
  const operations = await startOperations({ ...status, env, registry: metrics.registry, requests: metrics.requests });
  const heartbeat = keepHeartbeat({ ...stores, ownership, log });
  for (const part of [relay, insights, liveness]) part?.start();
  const server = await listen(app, { env, connections: traffic.connections, onDrop: () => metrics.connectionsDropped.inc(), log });
  log.info({ version: VERSION, port: server.port, operationsPort: operations.port }, 'api started');
  warnOfLimits(env, traffic.connections, log);
  const shutdown = [
    stop.begin,
    () => server.close(),
    () => relay.stop(),
    stopUsers,
    () => heartbeat.stop(),
    () => insights?.stop(),
    () => liveness.stop(),
    () => operations.close(),
    () => traffic.threads.close(),
    () => traffic.longThread.close(),
    () => traffic.load.close(),
    ...disconnect(stores),
  ];
  return { port: server.port, operationsPort: operations.port, relay, heartbeat, shutdown, isLive };
}

/** The next work starts a new thread. Work that was running has failed with the same error. */
function onThreadError(log: Log): (error: Error) => void {
  return logRepeated((failure) => log.warn(failure, 'a thread ended without work'));
}

type UserDeps = Pick<ApiStores, 'database' | 'redis'> & { onPublished: () => void };

function startUsers(env: ApiEnv, log: Log, { database, redis, onPublished }: UserDeps) {
  const names = env.USERS_FROM_TOKENS ? indexFollowedNames(database, log) : undefined;
  const blockedUsers = new BlockedUsers({ database, log });
  const declaredFields = new DeclaredFields({ database, log });
  for (const each of [blockedUsers, declaredFields]) each.start();
  const publishing = publishScheduled({ database, log, onPublished });
  const stop = async (): Promise<void> => {
    await names?.stop();
    await blockedUsers.stop();
    await declaredFields.stop();
    await publishing.stop();
  };
  const counting = { publicDownloads: env.DOWNLOADS_COUNT, eventsOfDay: new EventsOfDay({ redis, queuePrefix: env.QUEUE_PREFIX, log }) };
  const seesEarlier = cached(EARLIER_KNOWN_MS, () => seesEarlierProcess(database), 0);
  const visibility = { newItems: env.NEW_ITEMS, seesEarlierProcess: seesEarlier };
  return { tokenUsers: new TokenUsers({ database, log, names }), blockedUsers, declaredFields, ...counting, ...visibility, stop };
}

type MeaningSources = Pick<ApiStores, 'database'> & { log: Log; registry: Registry };

function createMeaning(env: ApiEnv, { registry, ...deps }: MeaningSources): Meaning | undefined {
  const service = connectEmbeddingService(env);
  if (!service) return undefined;
  measureEmbeddings(registry, deps.database);
  return new Meaning({
    ...deps,
    service,
    poolSize: env.DATABASE_POOL_SIZE,
    timeoutMs: Math.min(env.EMBEDDINGS_TIMEOUT_MS, env.LIST_TIMEOUT_MS / 2),
    metrics: createRankingMetrics(registry),
  });
}

/** Configured limits that contradict each other refuse what another of them allows. */
function warnOfLimits(env: ApiEnv, { limit: connections }: { limit: number }, log: Log): void {
  const { PAGE_MAX_BYTES: page, ITEM_MAX_BYTES: item, DATA_MAX_CHARACTERS: data, CONNECTIONS_MAX: wanted } = env;
  const items = Math.floor(page / item);
  if (items < DEFAULT_PAGE_SIZE)
    log.warn({ PAGE_MAX_BYTES: page, ITEM_MAX_BYTES: item }, `pages of more than ${items} items are refused if their items are large`);
  if (data > item)
    log.warn({ DATA_MAX_CHARACTERS: data, ITEM_MAX_BYTES: item }, 'data of the allowed length is refused above ITEM_MAX_BYTES');
  if (connections < wanted)
    log.warn({ CONNECTIONS_MAX: wanted }, `only ${connections} connections are accepted: raise the limit of open files, ${openFilesMax()}`);
}

function observe(env: ApiEnv, log: Log, { keys, ...stores }: ApiStores & { keys: Keys }) {
  const ownership = new Ownership(stores);
  const searchedIndex = new IndexLookup({
    ...stores,
    ownership,
    identity: new KeptIdentity(stores.database),
    restores: new KnownRestores(stores.database),
    publicDownloads: env.DOWNLOADS_COUNT,
    log,
  });
  const schemaCheck = createSchemaCheck({ database: stores.database, log });
  const indexProblems = shareIndexProblems({ ...stores, queuePrefix: env.QUEUE_PREFIX, ownership, log });
  const keyProblem = (): string | undefined => keys.problem?.();
  const checks = {
    schemaCheck,
    indexProblems,
    keyProblem,
    checkSearchable: () => checkSearchable({ ...stores, searchedIndex, limits: env }),
  };
  const readiness = createReadiness({ ...stores, ...checks, evictionPolicy: new EvictionPolicy({ ...stores, log }) });
  const backlog = shareBacklog(stores.database);
  const scaling = { pendingPerIndexer: env.PENDING_CHANGES_PER_INDEXER, maxIndexers: env.INDEXERS_MAX };
  const metrics = createMetrics({ ...stores, ownership, backlog, indexProblems, readiness, scaling });
  if (keys.problem) measureKeyServer(metrics.registry, keyProblem);
  // Logs what is wrong before anybody asks.
  for (const check of [schemaCheck, indexProblems]) void check().catch(() => undefined);
  return { keyProblem, ownership, searchedIndex, readiness, backlog, metrics };
}

function disconnect({ rateLimits, redis, elasticsearch, database }: ApiStores): Step[] {
  return [() => rateLimits.close(), () => redis.disconnect(), () => elasticsearch.close(), () => database.close()];
}

export function connectStores(env: ApiEnv, log: Log) {
  const database = connectPostgres({
    url: env.DATABASE_URL,
    applicationName: processName('ugc-api'),
    maxConnections: env.DATABASE_POOL_SIZE,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
    onIdleError: logRepeated((failure) => log.warn(failure, 'idle PostgreSQL connection lost')),
  });
  const elasticsearch = connectElasticsearch(env.ELASTICSEARCH_URL, Math.max(ELASTICSEARCH_MIN_TIMEOUT_MS, requestTimeoutOf(env)), env);
  const onRedisError = logRepeated((failure) => log.warn(failure, 'Redis connection error'));
  const redis = connectProducer(env, onRedisError);
  const queue = openIndexQueue(redis, env.QUEUE_PREFIX, onRedisError);
  const redisCheck = new RedisCheck({ redis, queuePrefix: env.QUEUE_PREFIX, log });
  return { database, elasticsearch, redis, redisCheck, queue, alias: env.CONTENT_ALIAS, rateLimits: openRateLimits(env, onRedisError) };
}
