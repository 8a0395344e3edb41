import { throttle } from '@ugc/shared/timing/throttle';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import type { Log } from '@ugc/shared/process/log';
import type { ItemRevision } from '@ugc/shared/outbox/outbox';
import type { Database } from '@ugc/shared/stores/postgres';
import { setTimeout as delay } from 'node:timers/promises';
import { UserTotals } from '../traffic/user-totals.ts';

type Waiter = ItemRevision & { resolve: () => void };
type OutboxRow = { content_id: number; indexed_revision: number | null; rejected_reason: string | null };
type WatchDeps = { database: Database; elasticsearch: Elasticsearch; alias: string; log: Log };

const LOOK_EVERY_MS = 50;
const WAITERS_MAX = 1_000;
const WAITERS_OF_ONE_USER_MAX = 100;
/** While a store does not answer. */
const LOOK_AT_LEAST_EVERY_MS = 1_000;
const WARN_EVERY_MS = 1_000;

export type Wait = { timeoutMs: number; userId: number; signal: AbortSignal };

/**
 * Lets requests wait until their change can be searched. However many wait, there is one look at the outbox and one refresh of
 * the index at a time, and none when nobody waits.
 */
export class IndexWaiters {
  readonly #deps: WatchDeps;
  readonly #waiters = new Set<Waiter>();
  readonly #waitersOf = new UserTotals();
  readonly #warn: (err: unknown) => void;
  #watching = false;
  readonly limit = WAITERS_MAX;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#warn = throttle(WARN_EVERY_MS, (err) => deps.log.warn({ err }, 'waiting requests learn nothing at the moment'));
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Resolves once the change can be searched or is rejected, at the latest after `timeoutMs` or when `signal` is aborted.
   * @returns false, at once, when too many are waiting already
   */
  async wait(change: ItemRevision, { timeoutMs, userId, signal }: Wait): Promise<boolean> {
    if (this.waiting >= WAITERS_MAX || this.#waitersOf.of(userId) >= WAITERS_OF_ONE_USER_MAX) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { ...change, resolve };
    const end = (): void => resolve();
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    this.#waiters.add(waiter);
    this.#waitersOf.add(userId, 1);
    void this.#watch();
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    this.#waitersOf.add(userId, -1);
    this.#waiters.delete(waiter);
    return true;
  }

  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    for (let pauseMs = LOOK_EVERY_MS; this.#waiters.size > 0;) {
      const answered = await this.#look().then(
        () => true,
        (err: unknown) => this.#warn(err),
      );
      pauseMs = answered ? LOOK_EVERY_MS : Math.min(2 * pauseMs, LOOK_AT_LEAST_EVERY_MS);
      await delay(pauseMs);
    }
    this.#watching = false;
  }

  async #look(): Promise<void> {
    const waiters = [...this.#waiters];
    const rows = new Map((await this.#readOutbox(waiters)).map((row) => [row.content_id, row]));
    for (const waiter of waiters.filter(({ content_id: id }) => rows.get(id)?.rejected_reason)) waiter.resolve();
    const acknowledged = waiters.filter(({ content_id: id, revision }) => isAcknowledged(rows.get(id), revision));
    if (acknowledged.length === 0) return;
    // A refresh that began before the acknowledgement may have missed the document: this one begins now.
    await this.#deps.elasticsearch.indices.refresh({ index: this.#deps.alias });
    for (const waiter of acknowledged) waiter.resolve();
  }

  #readOutbox(waiters: Waiter[]): Promise<OutboxRow[]> {
    return this.#deps.database.query<OutboxRow>(
      `select content_id, indexed_revision, rejected_reason from index_outbox where content_id = any($1::bigint[])`,
      [waiters.map((waiter) => waiter.content_id)],
    );
  }
}

function isAcknowledged(row: OutboxRow | undefined, revision: number): boolean {
  return row === undefined || (row.indexed_revision ?? 0) >= revision;
}
