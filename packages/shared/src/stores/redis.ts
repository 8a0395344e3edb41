import { Redis, type RedisOptions } from 'ioredis';

// BullMQ's workers stop for good after long outages unless reconnecting stays quick; ioredis would back off to 20 s.
const retryStrategy = (attempt: number): number => Math.min(attempt * 100, 1_000);

// A primary that was demoted keeps its connections; the name leads to the new one by now.
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY');

// A worker asks again without a pause when Redis answers but takes no writes. Connecting anew makes one.
const reconnectOnRefusedWrite = (error: Error): boolean => /^(READONLY|OOM|MISCONF|NOREPLICAS)/.test(error.message);

// A connection that a network has dropped in silence is given up by the kernel only after a quarter of an hour.
const PRODUCER_SILENCE_MS = 3_000;
// BullMQ blocks for up to 10 s.
const WORKER_SILENCE_MS = 15_000;

/** For adding jobs: fails within a second when Redis is down or hung, and queues nothing in memory. */
export function connectProducer(url: string, onError: (error: Error) => void): Redis {
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 1_000, connectTimeout: 1_000 };
  return connect(url, onError, { ...failFast, socketTimeout: PRODUCER_SILENCE_MS });
}

/** For a BullMQ worker: blocks on the queue, and waits for Redis as long as it takes. */
export function connectWorker(url: string, onError: (error: Error) => void): Redis {
  return connect(url, onError, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    socketTimeout: WORKER_SILENCE_MS,
    reconnectOnError: reconnectOnRefusedWrite,
  });
}

/** For counting: an answer that takes longer than 200 ms comes too late to be waited for, and the connection is then made anew. */
export function connectLimiter(url: string, onError: (error: Error) => void): Redis {
  const timeoutMs = 200;
  return connect(url, onError, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    connectTimeout: 1_000,
  });
}

function connect(url: string, onError: (error: Error) => void, options: RedisOptions): Redis {
  const redis = new Redis(url, { retryStrategy, reconnectOnError, ...options });
  redis.on('error', onError);
  return redis;
}
