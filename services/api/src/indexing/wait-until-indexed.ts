import { readItemStates, type ItemState } from '@ugc/shared/outbox/item-states';
import type { ItemRevision } from '@ugc/shared/outbox/states';
import type { Log } from '@ugc/shared/process/log';
import type { Database } from '@ugc/shared/postgres/postgres';
import { throttle } from '@ugc/shared/timing/intervals';
import { outsideSpans } from '@ugc/shared/tracing/spans';
import { setTimeout as delay } from 'node:timers/promises';
import { Shares } from '../limits/shares.ts';
import type { SharedRefresh } from './shared-refresh.ts';

/** `refreshCall`: the number of the first call of a refresh after the acknowledgement. */
type Waiter = ItemRevision & { resolve: (isShown: boolean) => void; refreshCall?: number };
type WaitersDeps = { database: Database; refresh: Pick<SharedRefresh, 'call'>; log: Log };

const POLL_EVERY_MS = 25;
/** Polling slows down to this interval while a store is down. */
const POLL_INTERVAL_MAX_MS = 1_000;
const WAITERS_MAX = { user: 100, process: 1_000 };
const WARN_EVERY_MS = 1_000;

type Wait = { timeoutMs: number; userId: number; signal: AbortSignal };

/** Requests that wait until their change is searchable. They share one outbox query and the refreshes. */
export class IndexWaiters {
  readonly #deps: WaitersDeps;
  readonly #waiters = new Set<Waiter>();
  readonly #warn: (err: unknown) => void;
  #polling = false;
  readonly shares = new Shares(WAITERS_MAX);

  constructor(deps: WaitersDeps) {
    this.#deps = deps;
    this.#warn = throttle(WARN_EVERY_MS, (err) => deps.log.warn({ err }, 'cannot check whether changes are indexed'));
  }

  /** @returns false if lists do not show the change in time, or at once if too many requests wait */
  async wait(change: ItemRevision, { timeoutMs, userId, signal }: Wait): Promise<boolean> {
    if (this.shares.exceeded(userId, 1)) return false;
    const hold = this.shares.take(userId, 1);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { ...change, resolve };
    const end = (): void => resolve(false);
    const timer = setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    this.#waiters.add(waiter);
    void outsideSpans(() => this.#poll());
    const isShown = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    hold.release();
    this.#waiters.delete(waiter);
    return isShown;
  }

  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    for (let intervalMs = POLL_EVERY_MS; this.#waiters.size > 0;) {
      const checked = await this.#check().then(
        () => true,
        (err: unknown) => this.#warn(err),
      );
      intervalMs = checked ? POLL_EVERY_MS : Math.min(2 * intervalMs, POLL_INTERVAL_MAX_MS);
      await delay(intervalMs);
    }
    this.#polling = false;
  }

  async #check(): Promise<void> {
    const waiters = [...this.#waiters];
    const ids = waiters.map((waiter) => waiter.contentId);
    const rows = new Map((await readItemStates(this.#deps.database, ids)).map((row) => [row.contentId, row]));
    for (const waiter of waiters.filter(({ contentId: id, revision }) => isNeverShown(rows.get(id), revision))) waiter.resolve(false);
    const acknowledged = waiters.filter(({ contentId: id, revision }) => isAcknowledged(rows.get(id), revision));
    if (acknowledged.length === 0) return;
    // Only a refresh that begins after the acknowledgement is certain to include the document.
    const { call, shownUpTo } = await this.#deps.refresh.call();
    for (const waiter of acknowledged) {
      waiter.refreshCall ??= call;
      if (waiter.refreshCall <= shownUpTo) waiter.resolve(true);
    }
  }
}

/** Also if the item was deleted or hidden by a later change than this one, or no longer exists. */
function isNeverShown(state: ItemState | undefined, revision: number): boolean {
  if (!state || state.revision === null || (state.deleted && state.revision > revision)) return true;
  return state.rejectedReason !== null || (state.dropped && !state.inOutbox);
}

function isAcknowledged(state: ItemState | undefined, revision: number): boolean {
  return state !== undefined && !isNeverShown(state, revision) && (!state.inOutbox || (state.indexedRevision ?? 0) >= revision);
}
