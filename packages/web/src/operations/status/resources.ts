import type { Resource } from '@ugc/shared/contracts/operations-status';
import { formatBytes, formatNumber } from './format.ts';

const NAMES: Record<string, string> = {
  postgres_connections: 'Connections to PostgreSQL',
  waiting_jobs: 'Jobs in the queue',
  redis_memory_bytes: 'Memory of Redis',
  connections: 'Connections of clients',
  upload_bytes: 'Memory of uploads',
  list_bytes: 'Memory of lists',
  unread_response_bytes: 'Unread responses',
  searches: 'Searches',
  threads: 'Threads for large pages and bodies',
  long_thread: 'Thread for the largest pages, and for marks',
  deep_pages: 'Deep pages',
  deep_pages_of_one_user: 'Deep pages of one user',
  index_waiters: 'Requests that wait for the index',
  unread_response_bytes_of_one_user: 'Unread responses of one user',
  active_requests_of_one_user: 'Requests of one user',
  active_lists_of_one_user: 'Lists of one user',
  active_suggestions_of_one_user: 'Suggestions of one user',
  waiting_requests_of_one_user: 'Waiting requests of one user',
};

/** The same threshold as the alert UgcResourceNearlyUsedUp. */
const NEARLY_USED_UP = 0.8;

export function nameOf(resource: string): string {
  return NAMES[resource] ?? resource.replaceAll('_', ' ');
}

/**
 * Not for limits of one user, which a busy user reaches by intention, nor for the queue, which is full during any
 * backlog.
 */
export function isNearlyUsedUp({ resource, used, limit }: Resource): boolean {
  return used > NEARLY_USED_UP * limit && !resource.endsWith('_of_one_user') && resource !== 'waiting_jobs';
}

/** "3 of 20", "1.5 MiB of 64 MiB" */
export function formatUsage({ resource, used, limit }: Resource): string {
  const format = resource.includes('bytes') ? formatBytes : formatNumber;
  return `${format(used)} of ${format(limit)}`;
}
