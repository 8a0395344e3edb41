import { Caller } from '@ugc/api/limits/caller';
import { Shares } from '@ugc/api/limits/shares';
import { Threads } from '@ugc/api/limits/threads';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';

/** A request that searches and is never limited. */
export function callerWithoutLimits(disconnected = new AbortController().signal): Caller {
  const shares = new Shares({ user: Infinity, process: Infinity });
  const unread = new UnreadResponses(Infinity);
  return new Caller({ lists: shares, searches: shares, deepPages: shares, threads: new Threads(), unread }, 1, disconnected);
}
