import type { ApiEnv } from '../env.ts';
import { Problem } from '../http/problem.ts';
import { ByteBudget, shareOf, type Exhausted } from './byte-budget.ts';
import { Connections } from './connections.ts';
import { EventLoopMonitor } from './event-loop-load.ts';
import { RecentUsers } from './recent-users.ts';
import { UserSlots } from './user-slots.ts';
import { UserTotals } from './user-totals.ts';

/** What bounds the work that callers give this process. Every part has a gauge; see `measureTraffic`. */
export type Traffic = {
  connections: Connections;
  load: EventLoopMonitor;
  users: RecentUsers;
  /** Requests of one user that are being worked on: lists, which need Elasticsearch, and the others, which need PostgreSQL. */
  slots: UserSlots<'list' | 'other'>;
  /** Large bodies of one user that are being parsed and stored. */
  largeBodies: UserSlots<'body'>;
  /** Bytes of request bodies that are being read or worked on. */
  uploads: ByteBudget;
  /** Bytes of search answers that are being received or made into pages. */
  lists: ByteBudget;
  /** Bytes of answers that their callers have not read yet. */
  unread: { limitBytes: number; totals: UserTotals };
};

type TrafficEnv = Pick<
  ApiEnv,
  | 'CONNECTIONS_MAX'
  | 'DATABASE_POOL_SIZE'
  | 'BODY_MAX_BYTES'
  | 'UPLOADS_IN_FLIGHT_MAX_BYTES'
  | 'PAGE_MAX_BYTES'
  | 'LISTS_IN_FLIGHT_MAX_BYTES'
  | 'UNREAD_ANSWERS_MAX_BYTES'
>;

/** A request that waits costs a connection and its headers. */
const WAITING_REQUESTS = 200;
/** While the event loop is busy and other users call, too. Their requests would wait for all that this user has at work. */
const WHEN_BUSY = { atWork: { list: 1, other: 2 }, together: 2 };
/** Elasticsearch has four threads for searches on two cores: one is left for everybody else. */
const LISTS_AT_WORK = 3;

export function createTraffic(env: TrafficEnv): Traffic {
  // The other half of the connections is left for everybody else.
  const other = Math.floor(env.DATABASE_POOL_SIZE / 2);
  const [load, users] = [new EventLoopMonitor(), new RecentUsers()];
  const appliesTo = (userId: number): boolean => load.isBusy() && users.hasOthersThan(userId);
  return {
    load,
    users,
    connections: new Connections(env.CONNECTIONS_MAX),
    slots: new UserSlots({
      atWork: { list: LISTS_AT_WORK, other },
      waiting: WAITING_REQUESTS,
      lowered: { ...WHEN_BUSY, appliesTo },
    }),
    largeBodies: new UserSlots({ atWork: { body: 1 }, waiting: other }),
    uploads: new ByteBudget(shareOf(env.UPLOADS_IN_FLIGHT_MAX_BYTES, env.BODY_MAX_BYTES), noUploadRoom),
    lists: new ByteBudget(shareOf(Math.max(env.LISTS_IN_FLIGHT_MAX_BYTES, env.PAGE_MAX_BYTES), env.PAGE_MAX_BYTES), noListRoom),
    unread: { limitBytes: env.UNREAD_ANSWERS_MAX_BYTES, totals: new UserTotals() },
  };
}

function noUploadRoom(exhausted: Exhausted): Problem {
  if (exhausted === 'process') return tryAgain(503, 'Too much is being uploaded at the moment. Nothing was stored; try again.');
  return tryAgain(429, 'You are uploading too much at the same time. Nothing was stored; try again when an upload has ended.');
}

function noListRoom(exhausted: Exhausted): Problem {
  const who = exhausted === 'user' ? 'Your lists' : 'The lists of all users';
  return tryAgain(429, `${who} that are being made are too large together. Try again, or ask for smaller pages.`);
}

export function tooManyRequests(): Problem {
  return tryAgain(429, 'Too many of your requests are waiting. Try again when some of them are answered.');
}

export function tooMuchUnread(limitBytes: number): Problem {
  return tryAgain(429, `${limitBytes} bytes of answers or more wait to be read by you. Read them, or close their connections.`);
}

function tryAgain(status: number, detail: string): Problem {
  return new Problem(status, detail, { headers: { 'Retry-After': '1' } });
}
