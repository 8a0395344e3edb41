import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../jest/until.ts';

/** The points, between two steps of a service, at which a test can pause or end its process. */
export type Point =
  | 'api.after_insert'
  | 'api.after_commit'
  | 'relay.after_claim'
  | 'relay.after_enqueue'
  | 'worker.after_read'
  | 'worker.before_bulk'
  | 'worker.after_bulk'
  | 'worker.after_acknowledge';

/** Waits, or blocks the event loop, until released · ends the process before each request that contains `doing`. */
export type Order = { then: 'wait' | 'block' } | { then: 'crash'; doing: string };

/** Orders for the processes of a test, in files of a shared folder. The first process at the point follows the order. */
export class Failpoints {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  order(point: Point, order: Order = { then: 'wait' }): void {
    this.forget(point);
    writeFileSync(this.#file(point, 'ordered'), JSON.stringify(order));
  }

  /** @returns the id of the process that follows the order */
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
