import { Gauge, type Registry } from 'prom-client';
import type { IndexWaiters } from '../indexing/wait-until-indexed.ts';
import type { Shares } from '../limits/shares.ts';
import type { Traffic } from '../limits/traffic.ts';

export type Usage = { used: number; limit: number };
export type BoundedParts = { traffic: Traffic; indexWaiters: IndexWaiters };

/** A limit per user is reported for the user with the highest usage. */
export function measureTraffic(registry: Registry, parts: BoundedParts): void {
  const gauge = (name: string, help: string, field: keyof Usage) =>
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers: [registry],
      collect() {
        for (const [resource, usage] of Object.entries(resourceUsage(parts))) this.set({ resource }, usage[field]);
      },
    });
  gauge('ugc_resource_used', 'Current usage of a bounded resource, by resource', 'used');
  gauge('ugc_resource_limit', 'Limit of a bounded resource, by resource', 'limit');
}

export function resourceUsage({ traffic, indexWaiters }: BoundedParts): Record<string, Usage> {
  const { connections, slots, uploads, lists, searches, deepPages, threads, unread } = traffic;
  return {
    connections: { used: connections.count, limit: connections.limit },
    upload_bytes: ofAll(uploads),
    list_bytes: ofAll(lists),
    unread_response_bytes: ofAll(unread.bytes),
    searches: ofAll(searches),
    deep_pages: ofAll(deepPages),
    threads: ofAll(threads),
    index_waiters: ofAll(indexWaiters.shares),
    deep_pages_of_one_user: ofOneUser(deepPages),
    unread_response_bytes_of_one_user: ofOneUser(unread.bytes),
    active_requests_of_one_user: ofOneUser(slots.active.other),
    active_lists_of_one_user: ofOneUser(slots.active.list),
    active_suggestions_of_one_user: ofOneUser(slots.active.suggestion),
    waiting_requests_of_one_user: ofOneUser(slots.waiting),
  };
}

function ofAll({ used, limits }: Pick<Shares, 'used' | 'limits'>): Usage {
  return { used, limit: limits.process };
}

function ofOneUser({ mostUsed, limits }: Shares): Usage {
  return { used: mostUsed, limit: limits.user };
}
