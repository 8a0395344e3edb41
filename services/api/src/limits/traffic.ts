import type { ApiEnv } from '../env.ts';
import { Problem } from '../http/problem.ts';
import { ByteBudget, byteLimits, type ExceededLimit } from './byte-budget.ts';
import { Connections } from '../http/connections.ts';
import { DeepPages } from './deep-pages.ts';
import { EventLoopMonitor, RecentUsers } from './process-load.ts';
import { UserSlots } from './user-slots.ts';
import { UserTotals } from './user-totals.ts';

/** The limits on the concurrent work of this process. Each has a gauge; see `measureTraffic`. */
export type Traffic = {
  connections: Connections;
  load: EventLoopMonitor;
  users: RecentUsers;
  /** Active requests per user: lists and suggestions, which use Elasticsearch, and all others, which use PostgreSQL. */
  slots: UserSlots<'list' | 'suggestion' | 'other'>;
  /** Large request bodies per user that are being parsed and stored. */
  largeBodies: UserSlots<'body'>;
  uploads: ByteBudget;
  lists: ByteBudget;
  deepPages: DeepPages;
  /** Bytes of responses that clients have not read yet. */
  unread: { limitBytes: number; totals: UserTotals };
};

/** A waiting request costs one connection and its headers. */
const WAITING_REQUESTS = 200;
/** Applies while the event loop is busy and other users are active, whose requests would wait for these. */
const WHEN_BUSY = { active: { list: 1, suggestion: 1, other: 2 }, total: 2 };
/** Elasticsearch has four search threads on two cores; one is left for other users. */
const ACTIVE_LISTS = 3;
/** A user who types needs one, and a second one until the closed connection of the letter before is noticed. */
const ACTIVE_SUGGESTIONS = 2;
/** A page far inside a long list takes about ten searches. */
const DEEP_PAGES = { user: 2, process: 8 };

export function createTraffic(env: ApiEnv): Traffic {
  // Half of the PostgreSQL connections are left for other users.
  const other = Math.floor(env.DATABASE_POOL_SIZE / 2);
  const [load, users] = [new EventLoopMonitor(), new RecentUsers()];
  const appliesTo = (userId: number): boolean => load.isBusy() && users.hasOthersThan(userId);
  const active = { list: ACTIVE_LISTS, suggestion: ACTIVE_SUGGESTIONS, other };
  const slotLimits = { active, waiting: WAITING_REQUESTS, whenBusy: { ...WHEN_BUSY, appliesTo } };
  const listBytes = Math.max(env.LISTS_IN_FLIGHT_MAX_BYTES, env.PAGE_MAX_BYTES);
  return {
    load,
    users,
    connections: new Connections(env.CONNECTIONS_MAX),
    slots: new UserSlots(slotLimits),
    largeBodies: new UserSlots({ active: { body: 1 }, waiting: other }),
    uploads: new ByteBudget(byteLimits(env.UPLOADS_IN_FLIGHT_MAX_BYTES, env.BODY_MAX_BYTES), tooManyUploadBytes),
    lists: new ByteBudget(byteLimits(listBytes, env.PAGE_MAX_BYTES), tooManyListBytes),
    deepPages: new DeepPages(DEEP_PAGES),
    unread: { limitBytes: env.UNREAD_ANSWERS_MAX_BYTES, totals: new UserTotals() },
  };
}

function tooManyUploadBytes(exceeded: ExceededLimit): Problem {
  if (exceeded === 'process') return tryAgain(503, 'The service is processing too many uploads. Nothing was stored; try again.');
  return tryAgain(429, 'Your concurrent uploads are too large in total. Nothing was stored; try again when one of them has finished.');
}

function tooManyListBytes(exceeded: ExceededLimit): Problem {
  const whose = exceeded === 'user' ? 'Your concurrent lists' : 'The concurrent lists of all users';
  return tryAgain(429, `${whose} are too large in total. Try again, or request smaller pages.`);
}

export function tooManyRequests(): Problem {
  return tryAgain(429, 'Too many of your requests are waiting. Try again when some of them have finished.');
}

export function tooManyUnreadBytes(limitBytes: number): Problem {
  return tryAgain(429, `You have ${limitBytes} or more bytes of unread responses. Read them or close their connections.`);
}

function tryAgain(status: number, detail: string): Problem {
  return new Problem(status, detail, { headers: { 'Retry-After': '1' } });
}
