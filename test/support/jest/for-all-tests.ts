import { afterAll, beforeAll } from '@jest/globals';

/**
 * Starts something before all tests of a file or of a `describe`, and stops it after them.
 * @returns what is started, whose fields are there as soon as hooks and tests run
 */
export function forAllTests<T extends object & { stop(): Promise<unknown> }>(start: () => Promise<T>): T {
  const started = {} as T;
  beforeAll(async () => void Object.assign(started, await start()));
  afterAll(() => started.stop());
  return started;
}
