import { describe, expect, it } from '@jest/globals';
import { RecentUsers } from '@ugc/api/traffic/recent-users';
import { UserSlots } from '@ugc/api/traffic/user-slots';
import { setImmediate } from 'node:timers/promises';

const NEVER = new AbortController().signal;

describe('slots for the requests of one user', () => {
  /** Requests that note when they start, and end when they are told to. */
  function requestsOf(slots: UserSlots) {
    const started: number[] = [];
    const releases: (() => void)[] = [];
    const send = async (n: number): Promise<void> => {
      const release = await slots.take(1, NEVER);
      started.push(n);
      releases.push(release);
    };
    const endOne = async (): Promise<void> => {
      releases.shift()?.();
      await setImmediate();
    };
    return { started, send, endOne };
  }

  it('start waiting requests in the order in which they came, as many as there are slots', async () => {
    const slots = new UserSlots({ atWork: 2, waiting: 10 });
    const { started, send, endOne } = requestsOf(slots);
    const sent = [1, 2, 3, 4].map(send);
    await setImmediate();
    expect(started).toEqual([1, 2]);
    await endOne();
    expect(started).toEqual([1, 2, 3]);
    expect([slots.mostAtWork, slots.mostWaiting]).toEqual([2, 1]);
    for (let n = 0; n < 4; n += 1) await endOne();
    await Promise.all(sent);
    expect([slots.mostAtWork, slots.mostWaiting]).toEqual([0, 0]);
  });

  it('are fewer while the lower limit applies, and all of them again afterwards', async () => {
    let applies = true;
    const slots = new UserSlots({ atWork: 4, waiting: 10, lowered: { atWork: 2, appliesTo: () => applies } });
    const { started, send, endOne } = requestsOf(slots);
    const sent = [1, 2, 3, 4, 5].map(send);
    await setImmediate();
    expect(started).toEqual([1, 2]);
    await endOne();
    expect(started).toEqual([1, 2, 3]);
    applies = false;
    // A new one waits behind those that wait already.
    sent.push(send(6));
    await setImmediate();
    expect(started).toEqual([1, 2, 3]);
    await endOne();
    expect(started).toEqual([1, 2, 3, 4, 5, 6]);
    for (let n = 0; n < 4; n += 1) await endOne();
    await Promise.all(sent);
    expect(slots.mostAtWork).toBe(0);
  });

  it('are not waited for one by one while a store is away: who waits fails with the request that has met the outage', async () => {
    const slots = new UserSlots({ atWork: 1, waiting: 10 });
    const release = await slots.take(1, NEVER);
    const [own, others] = [[slots.take(1, NEVER), slots.take(1, NEVER)], await slots.take(2, NEVER)];
    const waitingOfOther = slots.take(2, NEVER);
    release(new Error('the store is away'));
    for (const waiting of own) await expect(waiting).rejects.toThrow('the store is away');
    others();
    (await waitingOfOther)();
    (await slots.take(1, NEVER))();
    expect([slots.mostAtWork, slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one user do not depend on those of another', async () => {
    const slots = new UserSlots({ atWork: 1, waiting: 0 });
    const release = await slots.take(1, NEVER);
    await expect(slots.take(1, NEVER)).rejects.toThrow('too many requests');
    (await slots.take(2, NEVER))();
    release();
    (await slots.take(1, NEVER))();
    expect(slots.mostAtWork).toBe(0);
  });
});

describe('users who have called lately', () => {
  it('are others for everybody but the one who called alone', () => {
    const users = new RecentUsers();
    expect(users.hasOthersThan(1)).toBe(false);
    users.called(1);
    users.called(1);
    expect([users.hasOthersThan(1), users.hasOthersThan(2)]).toEqual([false, true]);
    users.called(2);
    users.called(1);
    expect([users.hasOthersThan(1), users.hasOthersThan(2)]).toEqual([true, true]);
  });
});
