import type { UnpublishedKind } from './unpublished.ts';

/** What `GET /status` of the operations port returns. Times are ISO 8601 in UTC, durations are in seconds. */
export type OperationsStatus = {
  time: string;
  process: ProcessStatus;
  stores: { postgres: PostgresState; redis: RedisState; elasticsearch: 'up' | 'down' };
  /** Why PostgreSQL stores no changes, and what to do. */
  postgresProblem: string | null;
  /** Why the keys that verify tokens cannot be fetched, and what to do. */
  keyProblem: string | null;
  /** What Redis refuses, as sentences that say what to do. */
  redisProblems: readonly string[];
  /** The migrations that the schema of PostgreSQL lacks. */
  missingMigrations?: string[];
  indexing: Part<Pause>;
  backlog: { now: Part<Backlog>; lastHour: BacklogSample[] };
  requests: RequestSample[];
  rejected: Part<RejectedChanges>;
  unfinished: Part<Unfinished>;
  queue: Part<QueueStatus>;
  targets: Part<TargetsStatus>;
  comparison: Part<ComparisonStatus>;
  /** Null if there has never been one. */
  lastBackup: Part<LastBackup | null>;
  unfitting: Part<UnfittingField[]>;
  /** Absent without SEARCH_INSIGHTS. */
  searchInsights?: Part<SearchInsight[]>;
  /** Absent without EMBEDDINGS_URL; null before an indexer has embedded any item. */
  embeddings?: Part<EmbeddingsStatus | null>;
  resources: Resource[];
};

/** `read_only` and `refuses`: it can be read, and stores no changes. */
type PostgresState = 'up' | 'down' | 'outdated' | 'read_only' | 'refuses';

/** `eviction_unknown`: up, but its user may not run INFO. `refuses`: it responds, but refuses what the service needs. */
type RedisState = 'up' | 'down' | 'evicts' | 'eviction_unknown' | 'refuses';

/** A part of the status; `problem` says why it is not known. One store that is down affects only its own parts. */
export type Part<T> = { value: T } | { problem: string };

type ProcessStatus = { startedAt: string; live: boolean; residentBytes: number };

/** A declared field of which `items` items have a value that does not fit, by the last count: a time in ISO 8601. */
export type UnfittingField = { field: string; items: number; countedAt: string };

/** The newest backup whose file was checked. */
export type LastBackup = { completedAt: string; madeBy: string; ageSeconds: number };

/** `pausedSince` is null while indexing runs. */
export type Pause = { pausedSince: string | null };

/** `oldestPendingSeconds` is null when nothing is pending. */
export type Backlog = { pending: number; oldestPendingSeconds: number | null };

/** `pending` is null if the outbox could not be counted at that time. */
export type BacklogSample = { time: string; pending: number | null; oldestPendingSeconds: number | null };

/** Requests of the API process in the minute that begins at `time`. `searches`: lists; `failures`: responses from 500 on. */
export type RequestSample = { time: string; searches: number; uploads: number; failures: number };

/** `items`: the first 20 rejected ones of `total`. */
export type RejectedChanges = { total: number; dropped: number; items: RejectedItem[] };

/** `reason` has at most 500 characters. */
export type RejectedItem = { contentId: number; revision: number; since: string; reason: string };

/**
 * Why an item is found or not. `stored`: null if PostgreSQL does not have it. `change`: the newest one that is not indexed;
 * null without one. `search`: what a search for its name finds in the searched index; null for an item without a name.
 */
export type ItemReport = {
  contentId: number;
  stored: {
    revision: number;
    name: string;
    deletedAt: string | null;
    hiddenAt: string | null;
    visibility: 'public' | UnpublishedKind;
  } | null;
  change: { revision: number; since: string; claims: number; rejectedReason: string | null } | null;
  droppedReason: string | null;
  droppedAt: string | null;
  indices: Part<ItemInIndex[]>;
  search: Part<{ isFound: boolean; others: number } | null>;
};

/** `revision`: null if the index does not have the item. `deleted`: it has a tombstone. */
export type ItemInIndex = { indexName: string; role: 'search' | 'next' | 'previous'; revision: number | null; deleted: boolean };

/** Jobs and items that should have ended. The lists are bounded; `jobCount` counts all old jobs. */
export type Unfinished = {
  jobCount: number;
  jobs: { jobId: string; items: number; claimedSeconds: number; state: JobState }[];
  isolated: { contentId: number; claims: number; pendingSeconds: number }[];
};

/** `missing`: the job is not in the queue; its changes are claimed again within seconds. `unknown`: Redis is down. */
export type JobState = 'waiting' | 'active' | 'missing' | 'unknown';

/**
 * `paused`: in BullMQ, as dashboards do it; `indexing` tells the pause of this service. `indexers`: connected indexers;
 * null if Redis does not permit to list its clients. `memory`: null if it does not permit INFO. `limitBytes`: null
 * without a limit.
 */
export type QueueStatus = {
  waiting: number;
  active: number;
  paused: boolean;
  indexers: number | null;
  memory: { usedBytes: number; limitBytes: number | null } | null;
};

/**
 * `problems`: why lists fail or indices are not written, with the indices, their databases and what to do; while
 * Elasticsearch does not respond, only that it is too old.
 */
export type TargetsStatus = {
  mappingVersion: number;
  rebuildDue: boolean;
  /** The declared fields for which it is due. */
  rebuildFields: string[];
  rebuild: Rebuild | null;
  list: Target[];
  unlisted: UnlistedIndex[];
  problems: string[];
};

/** An index with a name of the alias that no list knows, as after a restore. `owner`: null if it names no database. */
export type UnlistedIndex = { indexName: string; owner: string | null; aliases: string[] };

/** Not `running`: the rebuild was stopped. Items are filled in the order of their ids, up to `lastContentId`. */
export type Rebuild = { indexName: string; running: boolean; filledTo: number; lastContentId: number };

/** `index` is null if Elasticsearch does not respond or has no such index; `problem` says which. */
export type Target = {
  indexName: string;
  role: 'search' | 'next' | 'previous';
  roleSince: string;
  mappingVersion: number;
  /** The names of the declared fields that it has. */
  fields: string[];
  retiredReason: string | null;
  /** The database that the index belongs to; null if that is this one or not known. */
  foreignOwner: string | null;
  /** When an indexer last noticed that the index was restored or has lost writes, and what remains to be done. */
  restoredAt: string | null;
  repair: 'find' | 'settle' | 'others' | null;
  index: TargetIndex | null;
  problem: string | null;
};

/** `deleted`: how many of the documents are tombstones. `written`: documents written since the index was opened. */
export type TargetIndex = { searched: boolean; writesBlocked: boolean; documents: number; deleted: number; bytes: number; written: number };

/**
 * The continuous comparison of PostgreSQL and the searched index. `ahead`: items that the index had in a newer state than
 * PostgreSQL, as after a restore of PostgreSQL, since the last complete comparison; null without one.
 */
export type ComparisonStatus = {
  lastRound: LastRound | null;
  currentRound: CurrentRound | null;
  ahead: { items: number; firstSeenAt: string; lastSeenAt: string } | null;
};

/** `dropped`: an operator has dropped the change, so that it is not repaired. */
export type DifferenceCounts = { missing: number; stale: number; ahead: number; orphaned: number; dropped: number };

/** `repaired`: how many of the differences were put into the outbox. */
type ComparisonRound = { startedAt: string; differences: DifferenceCounts; repaired: number };
export type LastRound = ComparisonRound & { completedAt: string };

/** Items are compared in the order of their ids, up to `comparedTo`. */
export type CurrentRound = ComparisonRound & { items: number; comparedTo: number };

/**
 * A prompt that found nothing or was corrected, within 30 days. `searches`: how often; `nothingFound`: how often of these
 * without a result. `correction`: what was searched for instead of words of the prompt, most recently. `users`: on the day
 * with the most. `lastAt`: in whole hours.
 */
export type SearchInsight = {
  prompt: string;
  searches: number;
  nothingFound: number;
  correction: string | null;
  users: number;
  lastAt: string;
};

/**
 * The vectors of the items. `model`: the configured one, with `embedded` of the `items`; while it is `filling`, lists are
 * ranked by `searchedModel`, which is null before the first one is complete. `refused`: texts that the service does not
 * embed. `waiting`: texts to be embedded.
 */
export type EmbeddingsStatus = {
  model: string;
  filling: boolean;
  searchedModel: string | null;
  items: number;
  embedded: number;
  refused: number;
} & WaitingTexts;

export type WaitingTexts = { waiting: number; oldestWaitingSeconds: number | null };

/** A resource of this process with a limit. */
export type Resource = { resource: string; used: number; limit: number };
