import { describe, expect, it } from '@jest/globals';
import { RecentUsers } from '@ugc/api/limits/process-load';
import { RequestSlots } from '@ugc/api/limits/request-slots';
import { setImmediate } from 'node:timers/promises';

const NEVER = new AbortController().signal;
const toError = (): Error => new Error('too many requests wait');
const NOT_BUSY = { active: { list: 1, suggestion: 1, other: 1 }, total: 1, appliesTo: () => false };

type Limits = { list: number; other: number; waiting: number; whenBusy?: ConstructorParameters<typeof RequestSlots>[0]['whenBusy'] };

function createSlots({ list, other, waiting, whenBusy = NOT_BUSY }: Limits): RequestSlots {
  return new RequestSlots({ active: { list, other, suggestion: 1 }, waiting, whenBusy, toError });
}

describe('the request slots of one user', () => {
  /** Requests that record when they start, and finish on demand. Those whose names begin with `a` are lists. */
  function requestsOf(slots: RequestSlots) {
    const started: string[] = [];
    const releases: (() => void)[] = [];
    const send = async (name: string): Promise<void> => {
      const release = await slots.acquire(1, name.startsWith('a') ? 'list' : 'other', NEVER);
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
    const slots = createSlots({ list: 2, other: 1, waiting: 10 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'a4'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2']);
    await finishOne();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect([slots.mostActive('list'), slots.mostWaiting]).toEqual([2, 1]);
    for (let n = 0; n < 4; n += 1) await finishOne();
    await Promise.all(sent);
    expect([slots.mostActive('list'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one kind are not used by requests of another kind', async () => {
    const slots = createSlots({ list: 2, other: 1, waiting: 10 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'b1', 'b2'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let n = 0; n < 5; n += 1) await finishOne();
    await Promise.all(sent);
    expect([slots.mostActive('list'), slots.mostActive('other')]).toEqual([0, 0]);
  });

  it('are limited over all kinds while the busy limit applies, and by kind again afterwards', async () => {
    let applies = true;
    const slots = createSlots({
      list: 4,
      other: 4,
      waiting: 10,
      whenBusy: { active: { list: 2, suggestion: 1, other: 1 }, total: 2, appliesTo: () => applies },
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
    expect(slots.mostActive('list')).toBe(0);
  });

  it('fail all waiting requests of the same kind when an active request reports an outage', async () => {
    const slots = createSlots({ list: 1, other: 1, waiting: 10 });
    const release = await slots.acquire(1, 'list', NEVER);
    const sameKind = [slots.acquire(1, 'list', NEVER), slots.acquire(1, 'list', NEVER)];
    const [otherUser, waitingOtherUser] = [await slots.acquire(2, 'list', NEVER), slots.acquire(2, 'list', NEVER)];
    const [otherKind, waitingOtherKind] = [await slots.acquire(1, 'other', NEVER), slots.acquire(1, 'other', NEVER)];
    release(new Error('the store is unavailable'));
    for (const waiting of sameKind) await expect(waiting).rejects.toThrow('the store is unavailable');
    otherUser();
    (await waitingOtherUser)();
    otherKind();
    (await waitingOtherKind)();
    (await slots.acquire(1, 'list', NEVER))();
    expect([slots.mostActive('list'), slots.mostWaiting]).toEqual([0, 0]);
  });

  it('of one user are independent of the slots of other users', async () => {
    const slots = createSlots({ list: 1, other: 1, waiting: 0 });
    const release = await slots.acquire(1, 'list', NEVER);
    await expect(slots.acquire(1, 'list', NEVER)).rejects.toThrow('too many requests');
    (await slots.acquire(2, 'list', NEVER))();
    release();
    (await slots.acquire(1, 'list', NEVER))();
    expect(slots.mostActive('list')).toBe(0);
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
