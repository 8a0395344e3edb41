import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export type ApiMetrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: 'ugc_http_request_duration_seconds',
    help: 'Time to answer a request, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers: [registry],
  });
  const relayClaims = new Counter({
    name: 'ugc_relay_claims_total',
    help: 'Outbox rows handed to the index queue',
    registers: [registry],
  });
  return { registry, requestDuration, relayClaims };
}
