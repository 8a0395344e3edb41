import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../until.ts';

/** Where a service can be stopped: between which of its steps. */
export type Point =
  | 'api.after_insert'
  | 'api.after_commit'
  | 'relay.after_claim'
  | 'relay.after_enqueue'
  | 'worker.after_read'
  | 'worker.before_bulk'
  | 'worker.after_bulk'
  | 'worker.after_acknowledge';

/** Stops there until it is released · blocks the event loop · dies whenever it is about to do what contains these characters. */
export type Order = { then: 'wait' } | { then: 'block'; blockMs: number } | { then: 'crash'; doing: string };

/** Tells processes that a test has started, by files in a folder that they share, where to stop. The next to come there obeys. */
export class Failpoints {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  order(point: Point, order: Order = { then: 'wait' }): void {
    this.forget(point);
    writeFileSync(this.#file(point, 'ordered'), JSON.stringify(order));
  }

  /** @returns the process that has stopped there */
  async reached(point: Point): Promise<number> {
    const path = this.#file(point, 'reached');
    await until(`${point} is reached`, () => existsSync(path) && readFileSync(path).length > 0);
    return Number(readFileSync(path, 'utf8'));
  }

  release(point: Point): void {
    writeFileSync(this.#file(point, 'released'), '');
  }

  forget(point: Point): void {
    for (const state of ['ordered', 'taken', 'reached', 'released']) rmSync(this.#file(point, state), { force: true });
  }

  #file(point: Point, state: string): string {
    return join(this.folder, `${point}.${state}`);
  }
}
