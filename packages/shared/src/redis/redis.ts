import { Redis, type RedisOptions } from 'ioredis';
import { storeTimeout } from '../timing/timeouts.ts';
import { redisCredentialsOfFiles, sentinelOptions, type RedisAddress } from '../config/redis-address.ts';

/** The client calls it on the options of the next connection, also of the connections that BullMQ makes. */
function retryStrategy(this: RedisOptions, attempt: number): number {
  Object.assign(this, redisCredentialsOfFiles());
  // BullMQ workers do not recover from long outages with the default backoff of ioredis, which grows up to 20 s.
  return Math.min(attempt * 100, 1_000);
}

// A demoted primary keeps its connections open; a new connection resolves to the new primary. The commands that follow tell
// only that there is no connection.
const reconnectOnReplica =
  (onError: (error: Error) => void) =>
  (error: Error): boolean => {
    if (!error.message.startsWith('READONLY')) return false;
    onError(error);
    return true;
  };

// A worker retries without a pause while Redis responds but refuses its scripts; reconnecting adds a pause.
const WORKER_COMMANDS = ['eval', 'evalsha', 'bzpopmin'];
const reconnectOnRefusal = (error: Error & { command?: { name: string } }): boolean =>
  WORKER_COMMANDS.includes(error.command?.name ?? '') && !error.message.startsWith('NOSCRIPT');

// Without a socket timeout, the kernel detects a lost connection only after about 15 minutes.
const PRODUCER_SOCKET_TIMEOUT_MS = storeTimeout(3_000);
// BullMQ's blocking commands take up to 10 s.
const WORKER_SOCKET_TIMEOUT_MS = storeTimeout(15_000);

/** Adds jobs: commands fail within 1 s while Redis is unavailable and are not queued in memory. */
export function connectProducer(address: RedisAddress, onError: (error: Error) => void): Redis {
  const timeouts = { commandTimeout: storeTimeout(1_000), connectTimeout: storeTimeout(1_000) };
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 1, ...timeouts };
  // The check would keep a new connection silent while Redis loads its data; without it, commands say so.
  return connect(address, onError, { ...failFast, enableReadyCheck: false, socketTimeout: PRODUCER_SOCKET_TIMEOUT_MS });
}

/** Serves a BullMQ worker: commands block, and wait for Redis without a time limit. */
export function connectWorker(address: RedisAddress, onError: (error: Error) => void): Redis {
  return connect(address, onError, {
    maxRetriesPerRequest: null,
    connectTimeout: storeTimeout(2_000),
    socketTimeout: WORKER_SOCKET_TIMEOUT_MS,
    reconnectOnError: reconnectOnRefusal,
  });
}

/** Serves rate limits: commands fail after 200 ms, and the connection is then replaced. */
export function connectLimiter(address: RedisAddress, onError: (error: Error) => void): Redis {
  const timeouts = { commandTimeout: storeTimeout(200), socketTimeout: storeTimeout(200), connectTimeout: storeTimeout(1_000) };
  return connect(address, onError, { enableOfflineQueue: false, maxRetriesPerRequest: 0, ...timeouts });
}

function connect(address: RedisAddress, onError: (error: Error) => void, options: RedisOptions): Redis {
  const all = { retryStrategy, reconnectOnError: reconnectOnReplica(onError), sentinelRetryStrategy: retryStrategy, ...options };
  const isSentinel = address.REDIS_SENTINEL_NAME !== undefined;
  // The client connects without TLS unless rediss: is in lower case, as a URL makes it.
  const redis = isSentinel ? new Redis({ ...sentinelOptions(address), ...all }) : new Redis(new URL(address.REDIS_URL).href, all);
  redis.on('error', onError);
  redis.on('sentinelError', (error: Error) => onError(nameProblem(error, address.REDIS_SENTINEL_NAME)));
  return redis;
}

/** A sentinel that responds without an address knows no primary of this name. */
function nameProblem(error: Error, name = ''): Error {
  if (!error.message.includes('invalid reply: null')) return error;
  return new Error(`the sentinels watch no primary with the name ${name}: correct REDIS_SENTINEL_NAME`, { cause: error });
}
