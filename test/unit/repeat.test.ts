import { expect, it } from '@jest/globals';
import { repeat } from '@ugc/shared/timing/repeat';
import { until } from '../support/jest/until.ts';

const LONG_MS = 60_000;

it('a pass is repeated, also after an error, and stop waits for the end of the present one', async () => {
  const errors: unknown[] = [];
  let [begun, ended] = [0, 0];
  const pass = async (): Promise<void> => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    ended += 1;
    if (ended === 1) throw new Error('the first pass fails');
  };
  const { stop } = repeat(pass, { everyMs: 1, onError: (error) => errors.push(error) });
  await until('three passes began', () => begun >= 3);
  await stop();
  expect(errors).toEqual([new Error('the first pass fails')]);
  const stoppedAt = ended;
  expect(begun).toBe(stoppedAt);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(begun).toBe(stoppedAt);
});

it('a wake-up ends the wait; one during a pass begins another pass', async () => {
  const passes: boolean[] = [];
  const pass = (woken: boolean): Promise<void> => {
    passes.push(woken);
    if (passes.length === 2) wake();
    return Promise.resolve();
  };
  const { wake, stop } = repeat(pass, { everyMs: LONG_MS, onError: () => undefined });
  await until('the first pass ended', () => passes.length === 1);
  wake();
  await until('three passes ended', () => passes.length === 3);
  await stop();
  expect(passes).toEqual([false, true, true]);
});

it('a pass decides when the next one begins; one that begins at once knows of the last wake-up', async () => {
  const passes: boolean[] = [];
  const waits = [LONG_MS, 0, 0, 1, LONG_MS];
  const { wake, stop } = repeat((woken) => Promise.resolve(waits[passes.push(woken) - 1]), { everyMs: LONG_MS, onError: () => undefined });
  await until('the first pass ended', () => passes.length === 1);
  wake();
  await until('all passes ended', () => passes.length === waits.length);
  await stop();
  expect(passes).toEqual([false, true, true, true, false]);
});

it('an error after the stop is not reported: the stop may be its cause', async () => {
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const pass = () => new Promise<void>((_, reject) => stopping.signal.addEventListener('abort', () => reject(new Error('stopped'))));
  const { stop } = repeat(pass, { everyMs: 1, onError: (error) => errors.push(error), stopping });
  await stop();
  expect(errors).toEqual([]);
});
