import { expect, it } from '@jest/globals';
import { Liveness } from '@ugc/shared/process/liveness';

const LOOKS = 10;
const options = { stuckAfterMs: LOOKS * 1_000, checkEveryMs: 1_000 };

async function look(liveness: Liveness, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await liveness.check();
}

it('work that could be done and is not is a wedged process', async () => {
  const liveness = new Liveness(options);
  await look(liveness, LOOKS - 1);
  expect(liveness.isLive()).toBe(true);
  await look(liveness, 1);
  expect(liveness.isLive()).toBe(false);
});

it('something done in between is life', async () => {
  const liveness = new Liveness(options);
  for (let round = 0; round < 5; round++) {
    await look(liveness, LOOKS - 1);
    liveness.progressed();
  }
  expect(liveness.isLive()).toBe(true);
});

it('nothing to do, or a store that is away, is not held against it, however long', async () => {
  const liveness = new Liveness({ ...options, canProgress: () => Promise.resolve(false) });
  await look(liveness, 1_000);
  expect(liveness.isLive()).toBe(true);
});

it('a question that fails is a store that is away', async () => {
  const liveness = new Liveness({ ...options, canProgress: () => Promise.reject(new Error('no answer')) });
  await look(liveness, 1_000);
  expect(liveness.isLive()).toBe(true);
});

it('a watch that hangs is a wedged process', () => {
  const liveness = new Liveness({ ...options, canProgress: () => new Promise(() => undefined) });
  for (let n = 0; n < LOOKS; n++) void liveness.check();
  expect(liveness.isLive()).toBe(false);
});

it('a process that was stopped for long is judged by its looks, not by the clock', async () => {
  const liveness = new Liveness(options);
  await look(liveness, LOOKS / 2);
  // However long the pause, the timer fires once after it.
  await look(liveness, 1);
  expect(liveness.isLive()).toBe(true);
});
