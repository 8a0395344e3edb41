import { Caller } from '@ugc/api/limits/caller';
import { Shares } from '@ugc/api/limits/shares';
import { StoresAnswers } from '@ugc/api/limits/store-answers';
import { Threads } from '@ugc/api/limits/threads';
import type { Searcher } from '@ugc/api/limits/traffic';
import { UnreadResponses } from '@ugc/api/limits/unread-responses';
import { typedAlternatives, typedBeginning } from '@ugc/text/prompt/alternatives';
import type { Interpretation } from '@ugc/api/search/prompt/interpret-prompt';
import type { Prompt } from '@ugc/text/prompt/parse-prompt';
import { createPromptMemory } from '@ugc/api/search/prompt/prompt-memory';
import { Session, type SearchSource } from '@ugc/api/search/session';
import { Synonyms } from '@ugc/text/prompt/synonyms';
import { NO_FIELDS } from '@ugc/fields/definition';
import { mappedFields } from '@ugc/shared/contracts/content-index';
import { mappingsOf } from '@ugc/shared/contracts/index-settings';
import type { Elasticsearch } from '@ugc/shared/elasticsearch/elasticsearch';
import { newestIndex } from './newest-index.ts';

const UNLIMITED = { user: Infinity, process: Infinity };

/** A request that searches and is never limited. `lists` tells how many bytes of responses it holds. */
export function callerWithoutLimits(disconnected = new AbortController().signal, lists = new Shares(UNLIMITED)): Caller {
  const [shares, searches] = [new Shares(UNLIMITED), new Shares<Searcher>(UNLIMITED)];
  const answers = new StoresAnswers();
  const [threads, unread] = [new Threads(), new UnreadResponses(Infinity)];
  return new Caller({ answers, lists, searches, deepPages: shares, threads, longThread: threads, unread }, 1, disconnected);
}

const LIST_TIMEOUT_MS = 60_000;

/** A session that counts its requests of several searches. All sent ones have ended when it is read. */
export class CountingSession extends Session {
  requests = 0;

  override searchMany(...[searches]: Parameters<Session['searchMany']>): ReturnType<Session['searchMany']> {
    if (searches.length > 0) this.requests += 1;
    return super.searchMany(searches);
  }
}

/** A session in the newest index behind an alias, of one shard. */
export function openSession({ elasticsearch, alias }: { elasticsearch: Elasticsearch; alias: string }): CountingSession {
  const source = { elasticsearch, alias, limits: { PAGE_MAX_BYTES: 33_554_432, LIST_TIMEOUT_MS } };
  const index = newestIndex(alias);
  return new CountingSession(source, callerWithoutLimits(), { index, signal: AbortSignal.timeout(LIST_TIMEOUT_MS) });
}

/** What searches need that the test runs in its own process, in the newest index. */
export function searchDeps({ elasticsearch, alias }: { elasticsearch: Elasticsearch; alias: string }, declared = NO_FIELDS) {
  const { properties } = mappingsOf({ INDEX_DATA: true }, declared);
  const index = { ...newestIndex(alias), fields: new Set(mappedFields(properties)) };
  const searchedIndex = { find: () => Promise.resolve(index), forget: () => undefined } as unknown as SearchSource['searchedIndex'];
  const limits = { PAGE_MAX_BYTES: 33_554_432, LIST_TIMEOUT_MS };
  return { elasticsearch, alias, searchedIndex, limits, ...createPromptMemory(), synonyms: new Synonyms([]) };
}

/** The interpretation of a prompt whose words all occur. */
export function asWritten(prompt: Prompt): Interpretation {
  const alternatives = [...typedAlternatives(prompt), ...typedBeginning(prompt.unfinished, true, prompt.rules)];
  return {
    ...prompt,
    match: 'most',
    required: 1,
    missing: [],
    isRelaxed: false,
    alternatives,
    ifRelaxed: [],
    inNames: new Map(),
    rare: [],
  };
}
