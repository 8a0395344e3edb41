import Router from '@koa/router';
import type { Elasticsearch } from '@ugc/shared/elasticsearch';
import type { Database } from '@ugc/shared/postgres';
import type { Redis } from 'ioredis';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { State } from '../state.ts';

const StoreStatus = z.enum(['up', 'down']);

export const Readiness = z
  .object({
    status: z.enum(['ready', 'degraded', 'unavailable']).describe('`degraded`: uploads are taken, but something else waits for a store.'),
    stores: z.object({ postgres: StoreStatus, redis: StoreStatus, elasticsearch: StoreStatus }),
  })
  .meta({ id: 'Readiness' });

export const Liveness = z.object({ status: z.literal('live') }).meta({ id: 'Liveness' });

export type HealthDeps = { database: Database; redis: Redis; elasticsearch: Elasticsearch; alias: string };

const CHECK_TIMEOUT_MS = 1_000;
const CHECK_KEPT_MS = 1_000;

/** For orchestrators and load balancers; without a token, and telling nothing but up or down. */
export function healthRoutes(deps: HealthDeps): Router<State> {
  const router = new Router<State>();

  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'live' } satisfies z.infer<typeof Liveness>;
  });

  const check = sharedFor(CHECK_KEPT_MS, () => checkStores(deps));
  router.get('/health/ready', async (ctx) => {
    const readiness = await check();
    ctx.status = readiness.status === 'unavailable' ? 503 : 200;
    ctx.body = readiness;
  });

  return router;
}

/** Everybody may ask, so however many do, the stores are asked once in a while. */
function sharedFor<T>(keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (!answer || Date.now() - askedAt > keptMs) {
      askedAt = Date.now();
      answer = ask();
    }
    return answer;
  };
}

async function checkStores({ database, redis, elasticsearch, alias }: HealthDeps): Promise<z.infer<typeof Readiness>> {
  const [postgresUp, redisUp, elasticsearchUp] = await Promise.all([
    answers(database.query('select 1')),
    answers(redis.ping()),
    answers(elasticsearch.search({ index: alias, size: 0, terminate_after: 1 })),
  ]);
  const word = (up: boolean): 'up' | 'down' => (up ? 'up' : 'down');
  return {
    status: !postgresUp ? 'unavailable' : redisUp && elasticsearchUp ? 'ready' : 'degraded',
    stores: { postgres: word(postgresUp), redis: word(redisUp), elasticsearch: word(elasticsearchUp) },
  };
}

async function answers(check: Promise<unknown>): Promise<boolean> {
  const answered = check.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, delay(CHECK_TIMEOUT_MS, false)]);
}
