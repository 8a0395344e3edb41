import type { ApiEnv } from '../env.ts';
import { LARGE_BODY_BYTES } from '../http/body.ts';
import { tryAgain, type Problem } from '@ugc/items/problems/problem';
import { Connections } from '../http/server.ts';
import { connectionLimit } from './open-files.ts';
import { ProcessLoad, RequestSlots } from './request-slots.ts';
import { byteLimits, Shares } from './shares.ts';
import { StoresAnswers } from './store-answers.ts';
import { LONG, Threads } from './threads.ts';
import { UnreadResponses } from './unread-responses.ts';
import type { ExceededLimit } from './turns.ts';

const ACTIVE_LISTS = 3;
/** A user who types needs one, and a second one until the closed connection of the letter before is noticed. */
const ACTIVE_SUGGESTIONS = 2;
/** Elasticsearch has four search threads on two cores; one is left for other users. */
const SEARCHES = { user: 3, process: 16 };
/** A page far inside a long list takes about ten searches. */
const DEEP_PAGES = { user: 2, process: 8 };
/** How many of the largest pages of all users, and unread pages of one user, are in memory at most. */
const PAGES = 4;
const UNREAD_PAGES = 2;
/** What is reserved for a response of Elasticsearch before it arrives. */
export const SMALL_RESPONSE_BYTES = 256 * 1_024;
/** A user may receive so many small responses besides the largest page. */
const SMALL_RESPONSES = 8;

/** A user, or one list that several users share. */
export type Searcher = number | symbol;

export type Traffic = ReturnType<typeof createTraffic>;

/**
 * The limits on the concurrent work of this process. Each has a gauge; see `resourceUsage`.
 * @param onThreadError as in `Threads`
 */
export function createTraffic(env: ApiEnv, onThreadError?: (error: Error) => void) {
  // Half of the PostgreSQL connections are left for other users.
  const active = { list: ACTIVE_LISTS, suggestion: ACTIVE_SUGGESTIONS, other: Math.floor(env.DATABASE_POOL_SIZE / 2) };
  const threads = new Threads(env, { onError: onThreadError });
  const longThread = new Threads(env, { limits: LONG, onError: onThreadError });
  const answers = new StoresAnswers();
  const slots: RequestSlots = new RequestSlots(active, { isBusy: () => load.isBusy(), searchWaitMs: env.LIST_TIMEOUT_MS, answers });
  const load = new ProcessLoad(threads, () => slots.startWaiting());
  return {
    load,
    answers,
    connections: new Connections(connectionLimit(env.CONNECTIONS_MAX, env.DATABASE_POOL_SIZE)),
    slots,
    /** Bytes of request bodies. */
    uploads: new Shares(uploadLimits(env), { toError: tooManyUploadBytes }),
    /** Bytes of the responses of Elasticsearch, until their pages are rendered. */
    lists: new Shares(listLimits(env), { toError: tooManyListBytes }),
    searches: new Shares<Searcher>(SEARCHES, { toError: tooManySearches }),
    deepPages: new Shares(DEEP_PAGES, { toError: tooManyDeepPages }),
    threads,
    longThread,
    unread: new UnreadResponses(UNREAD_PAGES * env.PAGE_MAX_BYTES),
  };
}

/** A user has two of the largest bodies, which may take two minutes each, and small ones; of little memory a quarter. */
function uploadLimits({ UPLOADS_IN_FLIGHT_MAX_BYTES: process, BODY_MAX_BYTES: largest }: ApiEnv) {
  const user = Math.max(largest, Math.min(Math.floor(2.5 * largest), Math.floor(process / 4)));
  return byteLimits({ process, user }, largest, LARGE_BODY_BYTES);
}

function listLimits({ PAGE_MAX_BYTES: largest }: ApiEnv) {
  const limits = { process: PAGES * largest, user: largest + SMALL_RESPONSES * SMALL_RESPONSE_BYTES };
  return byteLimits(limits, largest, SMALL_RESPONSE_BYTES);
}

export function tooManyUploads(): Problem {
  return tryAgain(503, 'overloaded', 'The service is processing too many uploads. Nothing was stored; try again.');
}

function tooManyUploadBytes(exceeded: ExceededLimit): Problem {
  if (exceeded === 'process') return tooManyUploads();
  const detail = 'Your uploads of other requests have not arrived in time. Nothing was stored; try again when one of them has finished.';
  return tryAgain(429, 'too-much-at-once', detail);
}

function tooManyListBytes(exceeded: ExceededLimit): Problem {
  const whose = exceeded === 'user' ? 'Your concurrent lists' : 'The concurrent lists of all users';
  return tryAgain(429, 'too-much-at-once', `${whose} are too large in total. Try again, or request smaller pages.`);
}

function tooManySearches(exceeded: ExceededLimit): Problem {
  const whose = exceeded === 'user' ? 'Your' : 'The';
  return tryAgain(429, 'too-much-at-once', `${whose} searches of other requests have not ended in time. Try again.`);
}

function tooManyDeepPages(exceeded: ExceededLimit): Problem {
  const who = exceeded === 'user' ? 'You are' : 'All users together are';
  return tryAgain(429, 'too-much-at-once', `${who} reading too many pages far inside long lists. Try again, or narrow the prompt.`);
}
