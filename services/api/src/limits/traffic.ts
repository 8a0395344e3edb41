import type { ApiEnv } from '../env.ts';
import { Connections } from '../http/connections.ts';
import { Problem } from '../http/problem.ts';
import { ProcessLoad, RecentUsers } from './process-load.ts';
import { RequestSlots } from './request-slots.ts';
import { byteLimits, Shares, type ExceededLimit } from './shares.ts';
import { UnreadResponses } from './unread-responses.ts';

/** The limits on the concurrent work of this process. Each has a gauge; see `resourceUsage`. */
export type Traffic = {
  connections: Connections;
  load: ProcessLoad;
  users: RecentUsers;
  /** Active requests per user. */
  slots: RequestSlots;
  /** Large request bodies per user that are being parsed and stored. */
  largeBodies: Shares;
  /** Bytes of request bodies. */
  uploads: Shares;
  /** Bytes of the responses of Elasticsearch, until their pages are rendered. */
  lists: Shares;
  /** Searches that Elasticsearch runs. */
  searches: Shares;
  deepPages: Shares;
  /** Threads that render large pages. */
  rendering: Shares;
  unread: UnreadResponses;
};

/** A waiting request costs one connection and its headers. */
const WAITING_REQUESTS = 200;
/** Applies while the process is busy and other users are active, whose requests would wait for these. */
const WHEN_BUSY = { active: { list: 1, suggestion: 1, other: 2 }, total: 2 };
const ACTIVE_LISTS = 3;
/** A user who types needs one, and a second one until the closed connection of the letter before is noticed. */
const ACTIVE_SUGGESTIONS = 2;
/** Elasticsearch has four search threads on two cores; one is left for other users. */
const SEARCHES = { user: 3, process: 16 };
/** A page far inside a long list takes about ten searches. */
const DEEP_PAGES = { user: 2, process: 8 };
/** Of two threads, one is left for other users. */
export const RENDERING_THREADS = { user: 1, process: 2 };
/** How many of the largest pages of all users, and unread pages of one user, are in memory at most. */
const PAGES = 4;
const UNREAD_PAGES = 2;
/** Parsing and validating a body of this size takes about 1 ms. */
const SMALL_BODY_BYTES = 64 * 1_024;
/** What is reserved for a response of Elasticsearch before it arrives. */
export const SMALL_RESPONSE_BYTES = 256 * 1_024;
/** A user may receive so many small responses besides the largest page. */
const SMALL_RESPONSES = 8;

export function createTraffic(env: ApiEnv): Traffic {
  // Half of the PostgreSQL connections are left for other users.
  const other = Math.floor(env.DATABASE_POOL_SIZE / 2);
  const rendering = new Shares(RENDERING_THREADS, { toError: tooManyPages });
  const [load, users] = [new ProcessLoad(rendering), new RecentUsers()];
  const appliesTo = (userId: number): boolean => load.isBusy() && users.hasOthersThan(userId);
  const active = { list: ACTIVE_LISTS, suggestion: ACTIVE_SUGGESTIONS, other };
  return {
    load,
    users,
    connections: new Connections(env.CONNECTIONS_MAX),
    slots: new RequestSlots({ active, waiting: WAITING_REQUESTS, whenBusy: { ...WHEN_BUSY, appliesTo }, toError: tooManyRequests }),
    largeBodies: new Shares({ user: 1, process: Infinity }),
    uploads: new Shares(uploadLimits(env), { toError: tooManyUploadBytes }),
    lists: new Shares(listLimits(env), { toError: tooManyListBytes }),
    searches: new Shares(SEARCHES),
    deepPages: new Shares(DEEP_PAGES, { toError: tooManyDeepPages }),
    rendering,
    unread: new UnreadResponses(UNREAD_PAGES * env.PAGE_MAX_BYTES),
  };
}

/** The share of a user is a quarter, but never less than the largest single request. */
function uploadLimits({ UPLOADS_IN_FLIGHT_MAX_BYTES: process, BODY_MAX_BYTES: largest }: ApiEnv) {
  return byteLimits({ process, user: Math.max(Math.floor(process / 4), largest) }, largest, SMALL_BODY_BYTES);
}

function listLimits({ PAGE_MAX_BYTES: largest }: ApiEnv) {
  const limits = { process: PAGES * largest, user: largest + SMALL_RESPONSES * SMALL_RESPONSE_BYTES };
  return byteLimits(limits, largest, SMALL_RESPONSE_BYTES);
}

function tooManyUploadBytes(exceeded: ExceededLimit): Problem {
  if (exceeded === 'process') return tryAgain(503, 'The service is processing too many uploads. Nothing was stored; try again.');
  return tryAgain(429, 'Your concurrent uploads are too large in total. Nothing was stored; try again when one of them has finished.');
}

function tooManyListBytes(exceeded: ExceededLimit): Problem {
  const whose = exceeded === 'user' ? 'Your concurrent lists' : 'The concurrent lists of all users';
  return tryAgain(429, `${whose} are too large in total. Try again, or request smaller pages.`);
}

function tooManyDeepPages(exceeded: ExceededLimit): Problem {
  const who = exceeded === 'user' ? 'You are' : 'All users together are';
  return tryAgain(429, `${who} reading too many pages far inside long lists. Try again, or narrow the prompt.`);
}

function tooManyPages(): Problem {
  return tryAgain(429, 'Too many large pages are being made. Try again, or request smaller pages.');
}

function tooManyRequests(): Problem {
  return tryAgain(429, 'Too many of your requests are waiting. Try again when some of them have finished.');
}

function tryAgain(status: number, detail: string): Problem {
  return new Problem(status, detail, { headers: { 'Retry-After': '1' } });
}
