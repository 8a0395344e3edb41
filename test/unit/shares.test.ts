import { describe, expect, it } from '@jest/globals';
import { byteLimits, Shares, type ShareLimits } from '@ugc/api/limits/shares';
import { setImmediate } from 'node:timers/promises';

const NEVER = new AbortController().signal;

const create = (limits: Partial<ShareLimits>) =>
  new Shares({ user: 60, process: 100, ...limits }, { toError: (exceeded) => new Error(exceeded) });

/** Holdings that record their names when they start, and end on demand. */
function holdingsOf(shares: Shares) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const wait = async (name: string, userId: number, amount = 1, signal = NEVER): Promise<void> => {
    const hold = await shares.wait(userId, amount, signal);
    started.push(name);
    ends.set(name, hold.release);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await setImmediate();
  };
  return { started, wait, end };
}

describe('a share', () => {
  it('limits what one user holds', () => {
    const shares = create({});
    shares.take(1, 40);
    const second = shares.take(1, 20);
    expect(() => second.resize(21)).toThrow('user');
    expect(shares.used).toBe(60);
  });

  it('limits what all users hold', () => {
    const shares = create({});
    shares.take(1, 60);
    shares.take(2, 40);
    expect(() => shares.take(3, 1)).toThrow('process');
    expect(shares.used).toBe(100);
  });

  it('gets everything back from a holding that ends, once, and nothing of it counts afterwards', async () => {
    const shares = create({});
    shares.take(1, 10);
    const hold = shares.take(1, 20);
    hold.resize(50);
    hold.release();
    hold.release();
    hold.resize(5);
    await hold.wait(5, NEVER);
    expect(shares.used).toBe(10);
  });

  it('keeps a part of both limits free of large holdings, which small ones use', () => {
    const shares = create({ small: { upTo: 5, keptOfUser: 10, keptOfProcess: 20 } });
    expect(() => shares.take(1, 51)).toThrow('user');
    shares.take(1, 50);
    shares.take(1, 5);
    shares.take(1, 5);
    expect(() => shares.take(1, 1)).toThrow('user');
    shares.take(2, 30);
    expect(() => shares.take(2, 6)).toThrow('process');
    shares.take(2, 5);
    shares.take(3, 5);
    expect(() => shares.take(3, 1)).toThrow('process');
    expect(shares.used).toBe(100);
  });

  it('has room for the largest holding, and an eighth for small ones if that is possible', () => {
    expect(byteLimits({ user: 250, process: 1_000 }, 100, 8).small).toEqual({ upTo: 8, keptOfUser: 31, keptOfProcess: 125 });
    expect(byteLimits({ user: 100, process: 120 }, 100, 8).small).toEqual({ upTo: 8, keptOfUser: 0, keptOfProcess: 15 });
  });
});

describe('holdings that wait', () => {
  it('start in turn: one of each user, and those of one user in the order in which they came', async () => {
    const { started, wait, end } = holdingsOf(create({ user: 2, process: 2 }));
    const waiting = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => wait(name, 1));
    waiting.push(...['b1', 'b2'].map((name) => wait(name, 2)), wait('c1', 3));
    await setImmediate();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']) await end(name);
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
    await Promise.all(waiting);
  });

  it('do not delay other users when only the share of their own user is used up', async () => {
    const { started, wait, end } = holdingsOf(create({ user: 1, process: 2 }));
    const waiting = [wait('a1', 1), wait('a2', 1), wait('b1', 2)];
    await setImmediate();
    expect(started).toEqual(['a1', 'b1']);
    await end('a1');
    expect(started).toEqual(['a1', 'b1', 'a2']);
    await Promise.all(waiting);
  });

  it('may be small ones that start while large ones wait', async () => {
    const { started, wait } = holdingsOf(create({ small: { upTo: 5, keptOfUser: 10, keptOfProcess: 20 } }));
    void wait('a large', 1, 50);
    void wait('b large', 2, 50);
    await wait('b small', 2, 5);
    expect(started).toEqual(['a large', 'b small']);
  });

  it('are limited for each user', async () => {
    const { wait } = holdingsOf(create({ user: 1, process: 1, waiting: 1 }));
    await wait('a1', 1);
    void wait('a2', 1);
    await expect(wait('a3', 1)).rejects.toThrow('user');
    void wait('b1', 2);
  });

  it('leave the line when their signal is aborted, and nothing is held for them', async () => {
    const shares = create({ user: 1, process: 1 });
    const { started, wait, end } = holdingsOf(shares);
    const leaving = new AbortController();
    await wait('a1', 1);
    const left = wait('a2', 1, 1, leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(wait('a3', 1, 1, leaving.signal)).rejects.toThrow('left');
    await end('a1');
    expect({ started, used: shares.used, waiting: shares.waitingOf(1) }).toEqual({ started: ['a1'], used: 0, waiting: 0 });
  });
});
