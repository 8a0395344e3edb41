import Router from '@koa/router';
import { z } from 'zod';
import type { Readiness } from '../observability/readiness.ts';
import type { State } from '../state.ts';

export const Liveness = z
  .object({ status: z.enum(['live', 'wedged']).describe('`wedged`: only a restart helps.') })
  .meta({ id: 'Liveness' });

export type HealthDeps = { isLive: () => boolean; readiness: () => Promise<Readiness> };

/** For orchestrators and load balancers; without a token, and telling nothing of the inside. */
export function healthRoutes({ isLive, readiness }: HealthDeps): Router<State> {
  const router = new Router<State>();

  router.get('/health/live', (ctx) => {
    const status = isLive() ? 'live' : 'wedged';
    ctx.status = status === 'live' ? 200 : 503;
    ctx.body = { status } satisfies z.infer<typeof Liveness>;
  });

  router.get('/health/ready', async (ctx) => {
    const body = await readiness();
    ctx.status = body.status === 'unavailable' ? 503 : 200;
    ctx.body = body;
  });

  return router;
}
