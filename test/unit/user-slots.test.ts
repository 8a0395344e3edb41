import { describe, expect, it } from '@jest/globals';
import { RecentUsers } from '@ugc/api/traffic/recent-users';
import { UserSlots } from '@ugc/api/traffic/user-slots';
import { setImmediate } from 'node:timers/promises';

const NEVER = new AbortController().signal;

describe('slots for the requests of one user', () => {
  /** Requests that note when they start, and end when they are told to. The first letter of a name is the kind. */
  function requestsOf(slots: UserSlots<'a' | 'b'>) {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const send = async (name: string): Promise<void> => {
      const release = await slots.take(1, name.startsWith('a') ? 'a' : 'b', NEVER);
      started.push(name);
      releases.push(release);
    };
    const endOne = async (): Promise<void> => {
      releases.shift()?.();
      await setImmediate();
    };
    return { started, send, endOne };
  }

  it('start waiting requests in the order in which they came, as many as there are slots', async () => {
    const slots = new UserSlots({ atWork: { a: 2, b: 1 }, waiting: 10 });
    const { started, send, endOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'a4'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2']);
    await endOne();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect([slots.mostAtWork('a'), slots.mostWaiting]).toEqual([2, 1]);
    for (let n = 0; n < 4; n += 1) await endOne();
    await Promise.all(sent);
    expect([slots.mostAtWork('a'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one kind are not taken by requests of another kind', async () => {
    const slots = new UserSlots({ atWork: { a: 2, b: 1 }, waiting: 10 });
    const { started, send, endOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'b1', 'b2'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let n = 0; n < 5; n += 1) await endOne();
    await Promise.all(sent);
    expect([slots.mostAtWork('a'), slots.mostAtWork('b')]).toEqual([0, 0]);
  });

  it('are fewer, of all kinds together, while the lower limit applies, and all of them again afterwards', async () => {
    let applies = true;
    const slots = new UserSlots({
      atWork: { a: 4, b: 4 },
      waiting: 10,
      lowered: { atWork: { a: 2, b: 1 }, together: 2, appliesTo: () => applies },
    });
    const { started, send, endOne } = requestsOf(slots);
    const sent = ['b1', 'b2', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(send);
    await setImmediate();
    expect(started).toEqual(['b1', 'a1']);
    await endOne();
    expect(started).toEqual(['b1', 'a1', 'b2']);
    applies = false;
    // A new one starts after those that wait already.
    sent.push(send('a7'));
    await setImmediate();
    expect(started).toEqual(['b1', 'a1', 'b2', 'a2', 'a3', 'a4']);
    for (let n = 0; n < 8; n += 1) await endOne();
    await Promise.all(sent);
    expect(slots.mostAtWork('a')).toBe(0);
  });

  it('are not waited for one by one while a store is away: who waits fails with the request that has met the outage', async () => {
    const slots = new UserSlots({ atWork: { a: 1, b: 1 }, waiting: 10 });
    const release = await slots.take(1, 'a', NEVER);
    const [own, others] = [[slots.take(1, 'a', NEVER), slots.take(1, 'a', NEVER)], await slots.take(2, 'a', NEVER)];
    const waitingOfOther = slots.take(2, 'a', NEVER);
    const [otherKind, waitingForOtherKind] = [await slots.take(1, 'b', NEVER), slots.take(1, 'b', NEVER)];
    release(new Error('the store is away'));
    for (const waiting of own) await expect(waiting).rejects.toThrow('the store is away');
    others();
    (await waitingOfOther)();
    otherKind();
    (await waitingForOtherKind)();
    (await slots.take(1, 'a', NEVER))();
    expect([slots.mostAtWork('a'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one user do not depend on those of another', async () => {
    const slots = new UserSlots({ atWork: { a: 1 }, waiting: 0 });
    const release = await slots.take(1, 'a', NEVER);
    await expect(slots.take(1, 'a', NEVER)).rejects.toThrow('too many requests');
    (await slots.take(2, 'a', NEVER))();
    release();
    (await slots.take(1, 'a', NEVER))();
    expect(slots.mostAtWork('a')).toBe(0);
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
