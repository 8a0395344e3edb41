import { describe, expect, it } from '@jest/globals';
import { RecentUsers } from '@ugc/api/limits/process-load';
import { UserSlots } from '@ugc/api/limits/user-slots';
import { setImmediate } from 'node:timers/promises';

const NEVER = new AbortController().signal;

describe('the request slots of one user', () => {
  /** Requests that record when they start, and finish on demand. The first letter of a name is the kind. */
  function requestsOf(slots: UserSlots<'a' | 'b'>) {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const send = async (name: string): Promise<void> => {
      const release = await slots.acquire(1, name.startsWith('a') ? 'a' : 'b', NEVER);
      started.push(name);
      releases.push(release);
    };
    const finishOne = async (): Promise<void> => {
      releases.shift()?.();
      await setImmediate();
    };
    return { started, send, finishOne };
  }

  it('limit the active requests and start waiting ones in the order of arrival', async () => {
    const slots = new UserSlots({ active: { a: 2, b: 1 }, waiting: 10 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'a4'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2']);
    await finishOne();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect([slots.mostActive('a'), slots.mostWaiting]).toEqual([2, 1]);
    for (let n = 0; n < 4; n += 1) await finishOne();
    await Promise.all(sent);
    expect([slots.mostActive('a'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one kind are not used by requests of another kind', async () => {
    const slots = new UserSlots({ active: { a: 2, b: 1 }, waiting: 10 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'b1', 'b2'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let n = 0; n < 5; n += 1) await finishOne();
    await Promise.all(sent);
    expect([slots.mostActive('a'), slots.mostActive('b')]).toEqual([0, 0]);
  });

  it('are limited over all kinds while the busy limit applies, and by kind again afterwards', async () => {
    let applies = true;
    const slots = new UserSlots({
      active: { a: 4, b: 4 },
      waiting: 10,
      whenBusy: { active: { a: 2, b: 1 }, total: 2, appliesTo: () => applies },
    });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['b1', 'b2', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map(send);
    await setImmediate();
    expect(started).toEqual(['b1', 'a1']);
    await finishOne();
    expect(started).toEqual(['b1', 'a1', 'b2']);
    applies = false;
    // A new request starts after the requests that are already waiting.
    sent.push(send('a7'));
    await setImmediate();
    expect(started).toEqual(['b1', 'a1', 'b2', 'a2', 'a3', 'a4']);
    for (let n = 0; n < 8; n += 1) await finishOne();
    await Promise.all(sent);
    expect(slots.mostActive('a')).toBe(0);
  });

  it('fail all waiting requests of the same kind when an active request reports an outage', async () => {
    const slots = new UserSlots({ active: { a: 1, b: 1 }, waiting: 10 });
    const release = await slots.acquire(1, 'a', NEVER);
    const sameKind = [slots.acquire(1, 'a', NEVER), slots.acquire(1, 'a', NEVER)];
    const [otherUser, waitingOtherUser] = [await slots.acquire(2, 'a', NEVER), slots.acquire(2, 'a', NEVER)];
    const [otherKind, waitingOtherKind] = [await slots.acquire(1, 'b', NEVER), slots.acquire(1, 'b', NEVER)];
    release(new Error('the store is unavailable'));
    for (const waiting of sameKind) await expect(waiting).rejects.toThrow('the store is unavailable');
    otherUser();
    (await waitingOtherUser)();
    otherKind();
    (await waitingOtherKind)();
    (await slots.acquire(1, 'a', NEVER))();
    expect([slots.mostActive('a'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one user are independent of the slots of other users', async () => {
    const slots = new UserSlots({ active: { a: 1 }, waiting: 0 });
    const release = await slots.acquire(1, 'a', NEVER);
    await expect(slots.acquire(1, 'a', NEVER)).rejects.toThrow('too many requests');
    (await slots.acquire(2, 'a', NEVER))();
    release();
    (await slots.acquire(1, 'a', NEVER))();
    expect(slots.mostActive('a')).toBe(0);
  });
});

describe('the record of recent users', () => {
  it('reports whether users other than the given one have sent requests', () => {
    const users = new RecentUsers();
    expect(users.hasOthersThan(1)).toBe(false);
    users.record(1);
    users.record(1);
    expect([users.hasOthersThan(1), users.hasOthersThan(2)]).toEqual([false, true]);
    users.record(2);
    users.record(1);
    expect([users.hasOthersThan(1), users.hasOthersThan(2)]).toEqual([true, true]);
  });
});
