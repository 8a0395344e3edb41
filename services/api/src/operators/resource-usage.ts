import { Gauge, type Registry } from 'prom-client';
import type { HeldIndex } from '../search/facets/held-index.ts';
import type { IndexWaiters } from '../indexing/wait-until-indexed.ts';
import type { Shares } from '../limits/shares.ts';
import type { Traffic } from '../limits/traffic.ts';

export type Usage = { used: number; limit: number };
export type BoundedParts = { traffic: Traffic; indexWaiters: IndexWaiters };
type MeasuredParts = BoundedParts & { heldIndex: Pick<HeldIndex, 'values'> };

type AnyShares = Pick<Shares, 'used' | 'mostUsed' | 'limits' | 'longestHoldMs' | 'longestWaitMs'>;

/** A limit per user is reported for the user with the highest usage. */
export function measureTraffic(registry: Registry, parts: MeasuredParts): void {
  const gauge = (name: string, help: string, read: () => [resource: string, value: number][]) =>
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers: [registry],
      collect() {
        for (const [resource, value] of read()) this.set({ resource }, value);
      },
    });
  const usage = (field: keyof Usage) => () =>
    Object.entries(resourceUsage(parts)).map(([resource, each]): [string, number] => [resource, each[field]]);
  const seconds = (field: 'longestHoldMs' | 'longestWaitMs') => () =>
    Object.entries(sharesOf(parts)).map(([resource, shares]): [string, number] => [resource, shares[field] / 1_000]);
  gauge('ugc_resource_used', 'Current usage of a bounded resource, by resource', usage('used'));
  gauge('ugc_resource_limit', 'Limit of a bounded resource, by resource', usage('limit'));
  gauge(
    'ugc_resource_longest_hold_seconds',
    'For how long the oldest of the requests that hold a part of a bounded resource has held it, by resource',
    seconds('longestHoldMs'),
  );
  gauge(
    'ugc_resource_longest_wait_seconds',
    'For how long the oldest of the requests that wait for a part of a bounded resource has waited, by resource',
    seconds('longestWaitMs'),
  );
  new Gauge({
    name: 'ugc_facets_distinct_values',
    help: 'Distinct tags and creators of the searched index, of the shard with most, when facets were last asked for; above 100,000 facets are counted as of up to a minute ago',
    registers: [registry],
    collect() {
      this.set(parts.heldIndex.values);
    },
  });
}

export function resourceUsage(parts: BoundedParts): Record<string, Usage> {
  const { connections, deepPages, slots, unread } = parts.traffic;
  const usages = Object.entries(sharesOf(parts)).map(([resource, shares]): [string, Usage] => [
    resource,
    resource.endsWith(OF_ONE_USER) ? ofOneUser(shares) : ofAll(shares),
  ]);
  return {
    connections: { used: connections.count, limit: connections.limit },
    ...Object.fromEntries(usages),
    deep_pages_of_one_user: ofOneUser(deepPages),
    unread_response_bytes_of_one_user: ofOneUser(unread.bytes),
    waiting_requests_of_one_user: ofOneUser(slots.waiting),
  };
}

const OF_ONE_USER = '_of_one_user';

function sharesOf({ traffic, indexWaiters }: BoundedParts): Record<string, AnyShares> {
  const { slots, uploads, lists, searches, deepPages, threads, longThread, unread } = traffic;
  return {
    upload_bytes: uploads,
    list_bytes: lists,
    unread_response_bytes: unread.bytes,
    searches,
    deep_pages: deepPages,
    threads,
    long_thread: longThread,
    index_waiters: indexWaiters.shares,
    active_requests_of_one_user: slots.active.other,
    active_lists_of_one_user: slots.active.list,
    active_suggestions_of_one_user: slots.active.suggestion,
  };
}

function ofAll({ used, limits }: AnyShares): Usage {
  return { used, limit: limits.process };
}

function ofOneUser({ mostUsed, limits }: AnyShares): Usage {
  return { used: mostUsed, limit: limits.user };
}
