import { Caller } from '@ugc/api/limits/caller';
import { Shares } from '@ugc/api/limits/shares';
import { Threads } from '@ugc/api/limits/threads';
import { Searches } from '@ugc/api/limits/traffic';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';
import { typedAlternatives, typedBeginning } from '@ugc/text/prompt/alternatives';
import type { Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';

/** A request that searches and is never limited. */
export function callerWithoutLimits(disconnected = new AbortController().signal): Caller {
  const unlimited = { user: Infinity, process: Infinity };
  const [shares, searches] = [new Shares(unlimited), new Searches(unlimited)];
  const [threads, unread] = [new Threads(), new UnreadResponses(Infinity)];
  return new Caller({ lists: shares, searches, deepPages: shares, threads, longThread: threads, unread }, 1, disconnected);
}

/** The interpretation of a prompt whose words all occur. */
export function asWritten(prompt: Prompt): Interpretation {
  const alternatives = [...typedAlternatives(prompt), ...typedBeginning(prompt.unfinished, true, prompt.rules)];
  return { ...prompt, match: 'most', required: 1, missing: [], isRelaxed: false, alternatives };
}
