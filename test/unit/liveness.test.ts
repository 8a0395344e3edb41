import { describe, expect, it } from '@jest/globals';
import { Liveness } from '@ugc/shared/process/liveness';

const CHECKS_UNTIL_STUCK = 10;
const options = { stuckAfterMs: CHECKS_UNTIL_STUCK * 1_000, checkEveryMs: 1_000 };

async function check(liveness: Liveness, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await liveness.check();
}

describe('a process', () => {
  it('is not live after a number of checks without progress although progress is possible', async () => {
    const liveness = new Liveness(options);
    await check(liveness, CHECKS_UNTIL_STUCK - 1);
    expect(liveness.isLive()).toBe(true);
    await check(liveness, 1);
    expect(liveness.isLive()).toBe(false);
  });

  it('is live as long as it makes progress before that number of checks', async () => {
    const liveness = new Liveness(options);
    for (let round = 0; round < 5; round++) {
      await check(liveness, CHECKS_UNTIL_STUCK - 1);
      liveness.progressed();
    }
    expect(liveness.isLive()).toBe(true);
  });

  it('is live for any time while it has no work or a store is unavailable', async () => {
    const liveness = new Liveness({ ...options, canProgress: () => Promise.resolve(false) });
    await check(liveness, 1_000);
    expect(liveness.isLive()).toBe(true);
  });

  it('is live when the check itself fails, because a store is unavailable', async () => {
    const liveness = new Liveness({ ...options, canProgress: () => Promise.reject(new Error('unavailable')) });
    await check(liveness, 1_000);
    expect(liveness.isLive()).toBe(true);
  });

  it('is not live when the check itself never completes', () => {
    const liveness = new Liveness({ ...options, canProgress: () => new Promise(() => undefined) });
    for (let n = 0; n < CHECKS_UNTIL_STUCK; n++) void liveness.check();
    expect(liveness.isLive()).toBe(false);
  });

  it('is judged by the number of checks and not by the clock, so that a long suspension has no effect', async () => {
    const liveness = new Liveness(options);
    await check(liveness, CHECKS_UNTIL_STUCK / 2);
    // After a suspension of any length the timer fires only once.
    await check(liveness, 1);
    expect(liveness.isLive()).toBe(true);
  });
});
