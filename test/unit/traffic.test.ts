import { describe, expect, it, jest } from '@jest/globals';
import { createTraffic } from '@ugc/api/limits/traffic';
import { defaultEnv } from '../support/processes/default-env.ts';
import { until } from '../support/jest/until.ts';

const NEVER = new AbortController().signal;

describe('the limits of one process', () => {
  const traffic = createTraffic(defaultEnv());

  it('of bytes together are below 400 MB by default', () => {
    const { uploads, lists, unread } = traffic;
    const sum = [uploads, lists, unread.bytes].reduce((bytes, { limits }) => bytes + limits.process, 0);
    expect(sum).toBeLessThan(400_000_000);
  });

  it('leave a part of everything to other users, and of bytes to small holdings', () => {
    const { uploads, lists, searches, deepPages, rendering, unread } = traffic;
    for (const { limits } of [uploads, lists, searches, deepPages, rendering, unread.bytes])
      expect(limits.user).toBeLessThan(limits.process);
    for (const { limits } of [uploads, lists]) expect(limits.small?.keptOfProcess).toBeGreaterThan(limits.small?.upTo ?? Infinity);
  });

  it('allow one large body of a user at a time, whatever others send', () => {
    traffic.largeBodies.take(1, 1);
    expect(traffic.largeBodies.exceeded(1, 1)).toBe('user');
    expect(traffic.largeBodies.exceeded(2, 1)).toBeUndefined();
  });

  it('are busy while all rendering threads are in use', async () => {
    const threads = [1, 2].map((userId) => traffic.rendering.take(userId, 1));
    await until('it is busy', () => traffic.load.isBusy());
    for (const thread of threads) thread.release();
  });

  it('allow a user three lists and two suggestions at a time', async () => {
    const { slots } = createTraffic(defaultEnv());
    const leaving = new AbortController();
    for (const [kind, count] of [
      ['list', 3],
      ['suggestion', 2],
    ] as const) {
      for (let n = 0; n < count; n++) await slots.acquire(1, kind, NEVER);
      const before = slots.mostWaiting;
      void slots.acquire(1, kind, leaving.signal).catch(() => undefined);
      expect([slots.mostActive(kind), slots.mostWaiting]).toEqual([count, before + 1]);
    }
    leaving.abort(new Error('left'));
  });

  it('allow a user two requests, of which one is a list and one a suggestion, while the process is busy and others are active', async () => {
    jest.spyOn(traffic.load, 'isBusy').mockReturnValue(true);
    traffic.users.record(1);
    traffic.users.record(2);
    const { slots } = traffic;
    const leaving = new AbortController();
    const start = (kind: 'list' | 'suggestion' | 'other', signal = NEVER) => slots.acquire(1, kind, signal);
    const waits = (kind: 'list' | 'suggestion' | 'other'): void => {
      const before = slots.mostWaiting;
      void start(kind, leaving.signal).catch(() => undefined);
      expect(slots.mostWaiting).toBe(before + 1);
    };
    const list = await start('list');
    waits('list');
    const suggestion = await start('suggestion');
    waits('suggestion');
    waits('other');
    leaving.abort(new Error('left'));
    [list, suggestion].forEach((release) => release());
    const others = [await start('other'), await start('other')];
    void start('other', AbortSignal.timeout(60_000)).catch(() => undefined);
    expect([slots.mostActive('other'), slots.mostWaiting]).toEqual([2, 1]);
    others.forEach((release) => release());
  });
});
