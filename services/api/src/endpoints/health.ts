import { z } from 'zod';
import { Readiness } from '../operators/readiness.ts';
import { endpoint, type Endpoint } from './endpoint.ts';

const Liveness = z
  .object({ status: z.enum(['live', 'wedged']).describe('`wedged`: the process makes no progress and must be restarted.') })
  .meta({ id: 'Liveness' });

const UP = { postgres: 'up', redis: 'up', elasticsearch: 'up' };

/** Orchestrators and load balancers ask these endpoints. Both are public and expose no internal details. */
const SHARED = { method: 'get', cost: 'public', tag: 'Service' } as const;

export function getLiveness(): Endpoint {
  return endpoint({
    ...SHARED,
    path: '/health/live',
    operationId: 'getLiveness',
    summary: 'Get whether the process is alive',
    responses: {
      200: { description: 'The process is alive; the stores are not checked.', schema: Liveness, example: { status: 'live' } },
      503: {
        description: 'The process makes no progress and exits so that the supervisor restarts it.',
        schema: Liveness,
        example: { status: 'wedged' },
      },
    },
    handle({ isLive }, { ctx }) {
      const status = isLive() ? 'live' : 'wedged';
      ctx.status = status === 'live' ? 200 : 503;
      ctx.body = { status } satisfies z.infer<typeof Liveness>;
    },
  });
}

export function getReadiness(): Endpoint {
  return endpoint({
    ...SHARED,
    path: '/health/ready',
    operationId: 'getReadiness',
    summary: 'Get whether the stores are available',
    responses: {
      200: { description: 'Ready or degraded: uploads are accepted.', schema: Readiness, example: { status: 'ready', stores: UP } },
      503: {
        description: 'PostgreSQL is unavailable, or its schema is older than this release, so uploads are not accepted.',
        schema: Readiness,
        example: { status: 'unavailable', stores: { ...UP, postgres: 'down' } },
      },
    },
    async handle({ readiness }, { ctx }) {
      const body = await readiness();
      ctx.status = body.status === 'unavailable' ? 503 : 200;
      ctx.body = body;
    },
  });
}
