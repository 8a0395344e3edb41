import Router from '@koa/router';
import { z } from 'zod';
import type { Readiness } from '../operators/readiness.ts';
import type { State } from '../state.ts';

export const Liveness = z
  .object({ status: z.enum(['live', 'wedged']).describe('`wedged`: the process makes no progress and must be restarted.') })
  .meta({ id: 'Liveness' });

export type HealthDeps = { isLive: () => boolean; readiness: () => Promise<Readiness> };

/** Health endpoints for orchestrators and load balancers. They are public and expose no internal details. */
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
