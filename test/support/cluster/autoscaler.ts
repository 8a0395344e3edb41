import type { Server } from '@ugc/local-stack/server';
import { setTimeout as delay } from 'node:timers/promises';
import { scrape } from '../http/scrape.ts';

/** A line of the timeline. `wanted` is undefined if the API did not know it. */
type Step = { seconds: number; wanted: number | undefined; pending: number | undefined; running: number };

type Options = { operationsUrl: string; indexers: Server[]; pollEveryMs?: number; windowPolls?: number };

/**
 * What KEDA and the HorizontalPodAutoscaler do with `ugc_indexers_wanted`, in seconds instead of minutes: indexers are
 * added at once, and one is removed when none of the last polls needed it. An unknown number removes none.
 */
export class Autoscaler {
  readonly #options: Required<Options>;
  readonly #startedAt = performance.now();
  readonly steps: Step[] = [];
  #recent: number[] = [];
  running: number;
  /** How many indexers were started, again or for the first time. */
  starts = 0;

  constructor(options: Options) {
    this.#options = { pollEveryMs: 500, windowPolls: 10, ...options };
    this.running = options.indexers.length;
  }

  get mostRunning(): number {
    return Math.max(...this.steps.map(({ running }) => running));
  }

  async runUntil(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await this.#poll();
      await delay(this.#options.pollEveryMs);
    }
  }

  async #poll(): Promise<void> {
    const metrics = await scrape(this.#options.operationsUrl);
    const wanted = metrics.get('ugc_indexers_wanted');
    this.#recent = [...this.#recent, wanted ?? Math.max(1, this.running)].slice(-this.#options.windowPolls);
    await this.#scaleTo(this.#target());
    this.#record({ wanted, pending: metrics.get('ugc_outbox_pending_changes'), running: this.running });
  }

  #target(): number {
    const most = Math.max(...this.#recent);
    const isWindowFull = this.#recent.length === this.#options.windowPolls;
    return most >= this.running ? most : isWindowFull ? this.running - 1 : this.running;
  }

  async #scaleTo(target: number): Promise<void> {
    const { indexers } = this.#options;
    const [from, to] = [this.running, Math.min(target, indexers.length)];
    this.starts += Math.max(0, to - from);
    await Promise.all(indexers.slice(from, to).map((indexer) => indexer.start()));
    await Promise.all(indexers.slice(to, from).map((indexer) => indexer.stop()));
    this.running = to;
  }

  #record(now: Omit<Step, 'seconds'>): void {
    const last = this.steps.at(-1);
    if (last?.running === now.running && last.wanted === now.wanted) return;
    this.steps.push({ seconds: Math.round((performance.now() - this.#startedAt) / 100) / 10, ...now });
  }

  /** @returns the times at which the number changed, as a table */
  timeline(): string {
    const rows = this.steps.map(({ seconds, wanted, pending, running }) => [seconds, pending, wanted, running]);
    const lines = [['seconds', 'pending', 'wanted', 'running'], ...rows];
    return lines.map((cells) => cells.map((cell) => String(cell ?? 'unknown').padStart(9)).join('')).join('\n');
  }
}
