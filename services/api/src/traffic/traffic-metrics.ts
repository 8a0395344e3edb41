import { Gauge, type Registry } from 'prom-client';
import type { IndexWaiters } from '../content/wait-until-indexed.ts';
import type { Traffic } from './traffic.ts';

type Bounded = { used: number; limit: number };
export type BoundedParts = { traffic: Traffic; indexWaiters: IndexWaiters };

/**
 * How much of every bounded resource is in use, beside its limit. What is bounded for each user is reported for the user who has most: it is
 * zero when nobody has any.
 */
export function measureTraffic(registry: Registry, parts: BoundedParts): void {
  gauge(registry, 'ugc_resource_used', 'How much of a bounded resource is in use, by resource', () => {
    return Object.entries(boundedResources(parts)).map(([resource, { used }]) => [resource, used]);
  });
  gauge(registry, 'ugc_resource_limit', 'The limit of a bounded resource, by resource', () => {
    return Object.entries(boundedResources(parts)).map(([resource, { limit }]) => [resource, limit]);
  });
}

function boundedResources({ traffic, indexWaiters }: BoundedParts): Record<string, Bounded> {
  const { connections, slots, largeBodies, uploads, lists, unread } = traffic;
  return {
    connections: { used: connections.count, limit: connections.limit },
    upload_bytes: { used: uploads.usedBytes, limit: uploads.limits.processLimitBytes },
    list_bytes: { used: lists.usedBytes, limit: lists.limits.processLimitBytes },
    index_waiters: { used: indexWaiters.waiting, limit: indexWaiters.limit },
    unread_bytes_of_one_user: { used: unread.totals.largest, limit: unread.limitBytes },
    requests_at_work_of_one_user: { used: slots.mostAtWork('other'), limit: slots.limits.atWork.other },
    large_bodies_of_one_user: { used: largeBodies.mostAtWork('body'), limit: largeBodies.limits.atWork.body },
    searches_of_one_user: { used: slots.mostAtWork('list'), limit: slots.limits.atWork.list },
    requests_waiting_of_one_user: { used: slots.mostWaiting, limit: slots.limits.waiting },
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => [resource: string, value: number][]): void {
  new Gauge({
    name,
    help,
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      for (const [resource, value] of read()) this.set({ resource }, value);
    },
  });
}
