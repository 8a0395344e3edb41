import { afterAll, describe, expect, it, jest } from '@jest/globals';
import type { State } from '@ugc/api/auth/authenticate';
import { LARGE_BODY_BYTES } from '@ugc/api/http/body';
import type { LoggedState } from '@ugc/api/http/request-log';
import { Caller } from '@ugc/api/limits/caller';
import { clientNetwork } from '@ugc/api/limits/failed-tokens';
import { disconnectSignal } from '@ugc/api/limits/request-limits';
import { connectionLimit, openFilesMax } from '@ugc/api/limits/open-files';
import { ProcessLoad, RequestSlots } from '@ugc/api/limits/request-slots';
import { byteLimits, type ShareLimits, Shares } from '@ugc/api/limits/shares';
import { Threads, type Work } from '@ugc/api/limits/threads';
import { StoresAnswers, StoreSilent } from '@ugc/api/limits/store-answers';
import { createTraffic } from '@ugc/api/limits/traffic';
import { Turns } from '@ugc/api/limits/turns';
import { bodyBytes, UnreadResponses } from '@ugc/api/limits/unread-responses';
import Koa from 'koa';
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { until } from '../support/jest/until.ts';
import { defaultEnv } from '../support/processes/default-env.ts';

const NEVER = new AbortController().signal;

const create = (limits: Partial<ShareLimits>) =>
  // What a test leaves waiting must not fail in another one.
  new Shares({ user: 60, process: 100, ...limits }, { waitMaxMs: 1e9, toError: (exceeded) => new Error(exceeded) });

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

  it('gets back at once what a holding that shrinks does not need, also while others wait', async () => {
    const shares = create({});
    const hold = shares.take(1, 60);
    const waiting = shares.wait(1, 30, NEVER);
    await hold.wait(20, NEVER);
    (await waiting).release();
    expect(shares.used).toBe(20);
  });

  it('gets everything back from a holding that ends, once, and nothing of it counts afterwards', async () => {
    const shares = create({});
    expect(shares.mostUsed).toBe(0);
    shares.take(1, 10);
    const hold = shares.take(1, 20);
    hold.resize(50);
    hold.release();
    hold.release();
    hold.resize(5);
    await hold.wait(5, NEVER);
    expect(shares.used).toBe(10);
  });

  it('leaves its user nothing else during a pause after it, but all others', async () => {
    const shares = create({});
    shares.take(1, 10).release(1);
    expect([shares.exceeded(1, 1), shares.exceeded(2, 1)]).toEqual(['user', undefined]);
    await shares.wait(1, 1, NEVER);
    expect(shares.exceeded(1, 1)).toBeUndefined();
  });

  it('of a user whose limit is lowered for a while is smaller, and never larger', () => {
    const lowered = new Map([[1, 2]]);
    const shares = new Shares({ user: 5, process: 20 }, { lowered: (user) => lowered.get(user) ?? Infinity });
    expect([2, 3].map((amount) => shares.exceeded(1, amount))).toEqual([undefined, 'user']);
    expect([5, 6].map((amount) => shares.exceeded(2, amount))).toEqual([undefined, 'user']);
  });

  it('above its limit, which exists already, may stay as it is and shrink', async () => {
    const shares = create({});
    const hold = shares.record(1, 200);
    hold.resize(200);
    await hold.wait(200, NEVER);
    hold.resize(150);
    expect(() => hold.resize(151)).toThrow('user');
    expect([shares.used, shares.mostUsed, shares.usedBy(1)]).toEqual([150, 150, 150]);
  });

  it('is held since it began, however it changes', () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const shares = create({});
    const hold = shares.take(1, 5);
    now.mockReturnValue(4_000);
    hold.resize(8);
    hold.resize(3);
    expect(shares.longestHoldMs).toBe(3_000);
    now.mockRestore();
  });

  it('is refused with the error of the shares, or one that names the limit', () => {
    const refused = new Error('too much');
    expect(() => new Shares({ user: 1, process: 1 }, { toError: () => refused }).take(1, 2)).toThrow(refused);
    expect(() => new Shares({ user: 1, process: 1 }).take(1, 2)).toThrow('the limit of the user is exceeded');
  });

  it('keeps a part of both limits free of large holdings, which small ones use', () => {
    const shares = create({ small: { upTo: 5, keptOfUser: 10, keptOfProcess: 20 } });
    expect(() => shares.take(1, 51)).toThrow('user');
    shares.take(1, 30).resize(50);
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

  it('stand in the same line as those of other shares that are given it', async () => {
    const turns = new Turns<number>();
    let limit = 0;
    const [shares, others] = [new Shares({ user: 1, process: 1 }, { turns, lowered: () => limit }), new Shares({ user: 1, process: 1 }, { turns })]; // prettier-ignore
    const waiting = shares.wait(1, 1, NEVER);
    expect([shares.waitingOf(1), others.waitingOf(1)]).toEqual([1, 1]);
    limit = 1;
    others.startWaiting();
    await waiting;
  });

  it('are not overtaken by smaller ones when they wait for the limit of all users', async () => {
    const { started, wait, end } = holdingsOf(create({ user: 100, small: { upTo: 5, keptOfUser: 10, keptOfProcess: 10 } }));
    await Promise.all([wait('a', 1, 40), wait('b', 2, 40)]);
    const waiting = [wait('c', 3, 20), wait('d', 4, 10)];
    await wait('e small', 5, 5);
    expect(started).toEqual(['a', 'b', 'e small']);
    await end('a');
    await Promise.all(waiting);
    expect(started).toEqual(['a', 'b', 'e small', 'c', 'd']);
  });

  it('leave room for those behind them when they give up', async () => {
    const { started, wait } = holdingsOf(create({ user: 100 }));
    await wait('a', 1, 90);
    const leaving = new AbortController();
    const left = wait('b', 2, 20, leaving.signal);
    const behind = wait('c', 3, 10);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await behind;
    expect(started).toEqual(['a', 'c']);
  });

  it('and what is held are measured by the longest', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const shares = create({ user: 1 });
    const longest = (): number[] => [shares.longestHoldMs, shares.longestWaitMs];
    const { wait, end } = holdingsOf(shares);
    await wait('a1', 1);
    now.mockReturnValue(4_000);
    const waiting = [wait('a2', 1), wait('b1', 2), wait('b2', 2)];
    await setImmediate();
    now.mockReturnValue(9_000);
    expect(longest()).toEqual([8_000, 5_000]);
    await end('a1');
    expect(longest()).toEqual([5_000, 5_000]);
    await end('b1');
    await end('b2');
    await end('a2');
    expect(longest()).toEqual([0, 0]);
    await Promise.all(waiting);
    now.mockRestore();
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

  it('are refused when their turn does not come, before the server closes the silent connection', async () => {
    const shares = new Shares({ user: 1, process: 1 }, { waitMaxMs: 1, toError: (exceeded) => new Error(`limit of the ${exceeded}`) });
    const { started, wait, end } = holdingsOf(shares);
    await wait('a1', 1);
    await expect(wait('a2', 1)).rejects.toThrow('limit of the user');
    await expect(wait('b1', 2)).rejects.toThrow('limit of the process');
    await end('a1');
    expect({ started, used: shares.used, waiting: shares.waitingOf(1) }).toEqual({ started: ['a1'], used: 0, waiting: 0 });
  });
});

describe('the connections of a process', () => {
  it.each([
    ['as many as are set, with enough open files', 65_536, 1_000],
    ['fewer, with fewer open files', 256, 136],
    ['a few, in any case', 50, 10],
    ['as many as are set, where the limit is unknown', Infinity, 1_000],
  ])('are %s', (_, openFiles, expected) => expect(connectionLimit(1_000, 20, openFiles)).toBe(expected));

  it('are below the limit of open files that the process has', () => {
    expect(openFilesMax()).toBeGreaterThan(100);
    expect(connectionLimit(Infinity, 20)).toBe(openFilesMax() - 120);
  });
});

describe('the request slots of one user', () => {
  it('are waited for by a list for the time of a list, and by other requests for longer', async () => {
    const slots = new RequestSlots({ list: 1, suggestion: 1, other: 1 }, { isBusy: () => false, searchWaitMs: 1 });
    const releases = [await slots.acquire(1, 'list', NEVER), await slots.acquire(1, 'other', NEVER)];
    const other = slots.acquire(1, 'other', NEVER);
    await expect(slots.acquire(1, 'list', NEVER)).rejects.toMatchObject({ status: 429, code: 'too-much-at-once' });
    expect(slots.waiting.used).toBe(1);
    for (const release of releases) release();
    (await other)();
  });

  let isBusy = false;
  const createSlots = (active: { list: number; other: number }): RequestSlots =>
    new RequestSlots({ ...active, suggestion: 1 }, { isBusy: () => isBusy });
  const most = ({ active, waiting }: RequestSlots): number[] => [active.list, active.other, waiting].map(({ mostUsed }) => mostUsed);

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
    const slots = createSlots({ list: 2, other: 1 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'a4'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2']);
    await finishOne();
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect(most(slots)).toEqual([2, 0, 1]);
    for (let n = 0; n < 4; n += 1) await finishOne();
    await Promise.all(sent);
    expect(most(slots)).toEqual([0, 0, 0]);
  });

  it('of one kind are not used by requests of another kind', async () => {
    const slots = createSlots({ list: 2, other: 1 });
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3', 'b1', 'b2'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    for (let n = 0; n < 5; n += 1) await finishOne();
    await Promise.all(sent);
    expect(most(slots)).toEqual([0, 0, 0]);
  });

  it('are two over all kinds while the process is busy and others are active, of which one is a list', async () => {
    isBusy = true;
    const slots = createSlots({ list: 4, other: 4 });
    (await slots.acquire(2, 'other', NEVER))();
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'b1', 'b2', 'a3', 'a4', 'a5'].map(send);
    await setImmediate();
    expect(started).toEqual(['a1', 'b1']);
    await finishOne();
    expect(started).toEqual(['a1', 'b1', 'a2']);
    isBusy = false;
    // A new request starts after the requests that are already waiting.
    sent.push(send('a6'));
    await setImmediate();
    expect(started.toSorted()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2']);
    for (let n = 0; n < 8; n += 1) await finishOne();
    await Promise.all(sent);
    expect(most(slots)).toEqual([0, 0, 0]);
  });

  it('go to the kind whose request has waited longest while the process is busy, whoever else of the user goes on', async () => {
    isBusy = true;
    const slots = createSlots({ list: 4, other: 4 });
    (await slots.acquire(2, 'other', NEVER))();
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['b1', 'b2', 'a1', 'b3', 'b4', 'a2'].map(send);
    await setImmediate();
    for (let n = 0; n < 6; n += 1) await finishOne();
    expect(started).toEqual(['b1', 'b2', 'a1', 'b3', 'b4', 'a2']);
    await Promise.all(sent);
    isBusy = false;
  });

  it('are two over all kinds also for a list beside two writes, or beside two suggestions of which one counts', async () => {
    isBusy = true;
    const slots = new RequestSlots({ list: 3, suggestion: 2, other: 4 }, { isBusy: () => isBusy });
    (await slots.acquire(3, 'other', NEVER))();
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['b1', 'b2', 'a1'].map(send);
    await setImmediate();
    expect(started).toEqual(['b1', 'b2']);
    for (let n = 0; n < 3; n += 1) await finishOne();
    await Promise.all(sent);
    isBusy = false;
    for (let n = 0; n < 2; n += 1) await slots.acquire(1, 'suggestion', NEVER);
    isBusy = true;
    await slots.acquire(1, 'list', NEVER);
    isBusy = false;
  });

  it('are waited for by those alone that have none, in the order of arrival also when more become free', async () => {
    isBusy = true;
    const slots = createSlots({ list: 2, other: 1 });
    (await slots.acquire(2, 'other', NEVER))();
    const first = slots.acquire(1, 'list', NEVER);
    expect(slots.waiting.used).toBe(0);
    const second = slots.acquire(1, 'list', NEVER);
    expect(slots.waiting.used).toBe(1);
    isBusy = false;
    const third = slots.acquire(1, 'list', NEVER);
    await second;
    await setImmediate();
    expect(slots.waiting.used).toBe(1);
    (await first)();
    await third;
  });

  it('are waited for while a store is silent, and the fault of the store if too many wait', async () => {
    const answers = new StoresAnswers();
    jest.spyOn(answers, 'isOneSilent').mockReturnValue(true);
    const slots = new RequestSlots({ list: 1, suggestion: 1, other: 1 }, { isBusy: () => false, answers });
    await slots.acquire(1, 'list', NEVER);
    const leaving = new AbortController();
    const waiting = Promise.allSettled(Array.from({ length: 200 }, () => slots.acquire(1, 'list', leaving.signal)));
    expect(slots.waiting.used).toBe(200);
    await expect(slots.acquire(1, 'list', NEVER)).rejects.toBeInstanceOf(StoreSilent);
    leaving.abort(new Error('left'));
    expect(await waiting).toMatchObject(Array.from({ length: 200 }, () => ({ reason: { message: 'left' } })));
  });

  it('leave one to writes when three lists have begun before the process is busy', async () => {
    const slots = createSlots({ list: 3, other: 4 });
    (await slots.acquire(2, 'other', NEVER))();
    const { started, send, finishOne } = requestsOf(slots);
    const sent = ['a1', 'a2', 'a3'].map(send);
    await setImmediate();
    isBusy = true;
    sent.push(...['b1', 'b2'].map(send));
    await setImmediate();
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
    for (let n = 0; n < 5; n += 1) await finishOne();
    await Promise.all(sent);
    isBusy = false;
  });

  it('are not lowered while the process is busy with the requests of this user alone', async () => {
    isBusy = true;
    const slots = createSlots({ list: 1, other: 3 });
    const releases = [
      await slots.acquire(1, 'other', NEVER),
      await slots.acquire(1, 'other', NEVER),
      await slots.acquire(1, 'other', NEVER),
    ];
    releases.forEach((release) => release());
    isBusy = false;
  });

  it('fail all waiting requests of the same kind when an active request reports an outage', async () => {
    const slots = createSlots({ list: 1, other: 1 });
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
    expect(most(slots)).toEqual([0, 0, 0]);
  });

  it('of one user are independent of the slots of other users', async () => {
    const slots = createSlots({ list: 1, other: 1 });
    const release = await slots.acquire(1, 'list', NEVER);
    const leaving = new AbortController();
    const left = Promise.allSettled(Array.from({ length: slots.waiting.limits.user }, () => slots.acquire(1, 'list', leaving.signal)));
    expect(slots.waiting.limits.user).toBe(200);
    await expect(slots.acquire(1, 'list', NEVER)).rejects.toThrow('Too many of your requests');
    (await slots.acquire(2, 'list', NEVER))();
    leaving.abort(new Error('left'));
    await left;
    release();
    (await slots.acquire(1, 'list', NEVER))();
    expect(most(slots)).toEqual([0, 0, 0]);
  });
});

describe('the limits of one process', () => {
  const traffic = createTraffic(defaultEnv());

  it('of bytes together are below 400 MB by default', () => {
    const { uploads, lists, unread } = traffic;
    const sum = [uploads, lists, unread.bytes].reduce((bytes, { limits }) => bytes + limits.process, 0);
    expect(sum).toBeLessThan(400_000_000);
  });

  it('leave a part of everything to other users, and of bytes to small holdings', () => {
    const { uploads, lists, searches, deepPages, threads, unread } = traffic;
    for (const { limits } of [uploads, lists, searches, deepPages, threads, unread.bytes]) expect(limits.user).toBeLessThan(limits.process);
    for (const { limits } of [uploads, lists]) expect(limits.small?.keptOfProcess).toBeGreaterThan(limits.small?.upTo ?? Infinity);
  });

  it('are these numbers, and so many of the largest pages and bodies', () => {
    const largest = { PAGE_MAX_BYTES: 10_000_000, BODY_MAX_BYTES: 1_000_000 };
    const limitsOf = (uploads: number) =>
      createTraffic({ ...defaultEnv(), ...largest, UPLOADS_IN_FLIGHT_MAX_BYTES: uploads, DATABASE_POOL_SIZE: 11 });
    const { searches, deepPages, lists, unread, slots, uploads } = limitsOf(100_000_000);
    expect([searches.limits, deepPages.limits, slots.active.other.limits.user]).toEqual([{ user: 3, process: 16 }, { user: 2, process: 8 }, 5]); // prettier-ignore
    expect(lists.limits).toMatchObject({ user: 10_000_000 + 8 * 262_144, process: 40_000_000, small: { upTo: 262_144 } });
    expect(unread.bytes.limits).toEqual({ user: 20_000_000, process: 40_000_000 });
    expect(uploads.limits).toMatchObject({ user: 2_500_000, process: 100_000_000, small: { upTo: LARGE_BODY_BYTES } });
    expect([8_000_000, 2_000_000].map((bytes) => limitsOf(bytes).uploads.limits.user)).toEqual([2_000_000, 1_000_000]);
  });

  it.each([
    ['uploads', 'user', 429, 'Your uploads of other requests have not arrived in time. Nothing was stored; try again when one of them has finished.'],
    ['uploads', 'process', 503, 'The service is processing too many uploads. Nothing was stored; try again.'],
    ['lists', 'user', 429, 'Your concurrent lists are too large in total. Try again, or request smaller pages.'],
    ['lists', 'process', 429, 'The concurrent lists of all users are too large in total. Try again, or request smaller pages.'],
    ['searches', 'user', 429, 'Your searches of other requests have not ended in time. Try again.'],
    ['searches', 'process', 429, 'The searches of other requests have not ended in time. Try again.'],
    ['deepPages', 'user', 429, 'You are reading too many pages far inside long lists. Try again, or narrow the prompt.'],
    ['deepPages', 'process', 429, 'All users together are reading too many pages far inside long lists. Try again, or narrow the prompt.'],
  ] as const)('say what is too much, whose it is and what helps: %s, %s', (name, exceeded, status, message) => {
    const code = status === 503 ? 'overloaded' : 'too-much-at-once';
    expect(traffic[name].errorOf(exceeded)).toMatchObject({ name: 'Problem', status, code, message });
  }); // prettier-ignore

  it('allow a user two of the largest bodies and small ones, so that a dozen users leave memory to others', () => {
    const { uploads } = createTraffic(defaultEnv());
    const { BODY_MAX_BYTES: largest } = defaultEnv();
    uploads.take(1, largest);
    uploads.take(1, largest);
    expect([uploads.exceeded(1, largest), uploads.exceeded(1, LARGE_BODY_BYTES)]).toEqual(['user', undefined]);
    for (let user = 2; user <= 12; user += 1) uploads.take(user, 2 * largest);
    expect(uploads.exceeded(13, 2 * largest)).toBeUndefined();
  });

  it('allow a user one thread for large bodies and pages, whatever others send', () => {
    const thread = traffic.threads.take(1, 1);
    expect([traffic.threads.exceeded(1, 1), traffic.threads.exceeded(2, 1)]).toEqual(['user', undefined]);
    thread.release();
  });

  it('give all users one thread for long work, so that short work waits neither for it nor for its pauses', () => {
    const { threads, longThread } = traffic;
    const turn = longThread.take(1, 1);
    expect([longThread.exceeded(1, 1), longThread.exceeded(2, 1)]).toEqual(['user', 'process']);
    const isFree = () => [1, 2].map((user) => threads.exceeded(user, 1));
    expect(isFree()).toEqual([undefined, undefined]);
    turn.release(60_000);
    expect([longThread.exceeded(1, 1), longThread.exceeded(2, 1)]).toEqual(['user', undefined]);
    expect(isFree()).toEqual([undefined, undefined]);
  });

  it('give long work a thread of its own, which begins while all others are in use', async () => {
    const { threads, longThread } = createTraffic(defaultEnv());
    const caller = new Caller({ ...traffic, threads, longThread }, 1, NEVER);
    const others = [1, 2].map((user) => threads.take(user, 1));
    const run = await caller.takeThread(NEVER, { isLong: true });
    const bytes = Buffer.from(JSON.stringify({ creatorId: 1, name: 'x', description: '', version: 1, data: '' }));
    expect(await run({ task: 'parseBody', bytes, details: { schema: 'Upload' } })).toMatchObject({ name: 'x' });
    expect([threads.used, longThread.used]).toEqual([2, 0]);
    for (const thread of others) thread.release();
    await longThread.close();
  });

  it.each([[0.7, false], [0.71, true]])('are busy while the event loop is in use for more than 70 % of the time: %d', async (utilization, isBusy) => {
    const loop = jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ utilization, active: 0, idle: 1 });
    const { promise: sampled, resolve } = Promise.withResolvers<void>();
    const load = new ProcessLoad(traffic.threads, resolve);
    await sampled;
    expect(load.isBusy()).toBe(isBusy);
    load.close();
    loop.mockRestore();
  }); // prettier-ignore

  it('are busy for what the event loop did since it was last looked at, and not before', async () => {
    const loop = jest.spyOn(performance, 'eventLoopUtilization');
    const looks: Parameters<typeof performance.eventLoopUtilization>[] = [];
    const load = new ProcessLoad(traffic.threads, () => void looks.push(loop.mock.lastCall ?? []));
    await until('it is looked at twice', () => looks.length > 1);
    load.close();
    loop.mockRestore();
    const [[first] = [], [, since] = []] = looks;
    expect(since).toBe(first);
    expect(first).toBeDefined();
  });

  it('are busy while all threads are in use', async () => {
    const idle = jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ utilization: 0, active: 0, idle: 1 });
    const load = new ProcessLoad(traffic.threads);
    const threads = [1, 2].map((userId) => traffic.threads.take(userId, 1));
    await until('it is busy', () => load.isBusy());
    for (const thread of threads) thread.release();
    load.close();
    idle.mockRestore();
  });

  it('rise for requests that wait when the process is no longer busy, without a further request', async () => {
    const { slots, load } = createTraffic(defaultEnv());
    const isBusy = jest.spyOn(load, 'isBusy').mockReturnValue(true);
    (await slots.acquire(2, 'other', NEVER))();
    await slots.acquire(1, 'list', NEVER);
    const second = slots.acquire(1, 'list', NEVER);
    await setImmediate();
    expect(slots.active.list.used).toBe(1);
    isBusy.mockReturnValue(false);
    await second;
    load.close();
  });

  it('allow a user three lists and two suggestions at a time', async () => {
    const { slots } = createTraffic(defaultEnv());
    const leaving = new AbortController();
    for (const [kind, count] of [
      ['list', 3],
      ['suggestion', 2],
    ] as const) {
      for (let n = 0; n < count; n++) await slots.acquire(1, kind, NEVER);
      const before = slots.waiting.mostUsed;
      void slots.acquire(1, kind, leaving.signal).catch(() => undefined);
      expect([slots.active[kind].mostUsed, slots.waiting.mostUsed]).toEqual([count, before + 1]);
    }
    leaving.abort(new Error('left'));
  });

  it('allow a user two requests, of which one is a list and one a suggestion, while the process is busy and others are active', async () => {
    jest.spyOn(traffic.load, 'isBusy').mockReturnValue(true);
    const { slots } = traffic;
    const leaving = new AbortController();
    const start = (kind: 'list' | 'suggestion' | 'other', signal = NEVER) => slots.acquire(1, kind, signal);
    const waits = (kind: 'list' | 'suggestion' | 'other'): void => {
      const before = slots.waiting.mostUsed;
      void start(kind, leaving.signal).catch(() => undefined);
      expect(slots.waiting.mostUsed).toBe(before + 1);
    };
    (await slots.acquire(2, 'other', NEVER))();
    const list = await start('list');
    waits('list');
    const suggestion = await start('suggestion');
    waits('suggestion');
    waits('other');
    leaving.abort(new Error('left'));
    [list, suggestion].forEach((release) => release());
    const others = [await start('other'), await start('other')];
    void start('other', AbortSignal.timeout(60_000)).catch(() => undefined);
    expect([slots.active.other.mostUsed, slots.waiting.mostUsed]).toEqual([2, 1]);
    others.forEach((release) => release());
  });
});

describe('work in a thread', () => {
  const opened: Threads[] = [];
  const open = (budgetMs?: number): Threads => {
    const threads = new Threads(defaultEnv(), budgetMs === undefined ? {} : { budgetMs });
    opened.push(threads);
    return threads;
  };
  afterAll(async () => {
    for (const threads of opened) await threads.close();
  });
  const parse = (body: object): Work => ({ task: 'parseBody', bytes: Buffer.from(JSON.stringify(body)), details: { schema: 'Upload' } });
  const UPLOAD = { creatorId: 1, name: 'x', description: '', version: 1, data: 'x'.repeat(100_000) };

  it('returns the result, or the refusal with its problems, and moves the bytes', async () => {
    const threads = open();
    const work = { ...parse(UPLOAD), moved: [new ArrayBuffer(8)] };
    expect(await threads.run(threads.take(1, 1), work)).toEqual({ ...UPLOAD, tags: [], thumbnail: undefined });
    expect([work.bytes.byteLength, work.moved[0]?.detached]).toEqual([0, true]);
    const refused = threads.run(threads.take(2, 1), parse({ ...UPLOAD, name: '', version: -1 }));
    const errors = ['#/name', '#/version'].map((pointer) => expect.objectContaining({ pointer }));
    await expect(refused).rejects.toMatchObject({ name: 'Problem', status: 400, errors });
    expect(threads.used).toBe(0);
  });

  it('leaves its user no other turn for as long as it took, but all others', async () => {
    const threads = open();
    await threads.run(threads.take(1, 1), parse(UPLOAD));
    expect([threads.used, threads.exceeded(1, 1), threads.exceeded(2, 1)]).toEqual([0, 'user', undefined]);
    // The pause ends.
    await threads.wait(1, 1, NEVER);
  });

  it('a thread that ends while it starts, before it has work, ends no process and is reported', async () => {
    const { promise: reported, resolve } = Promise.withResolvers<Error>();
    const threads = new Threads(undefined, { onError: resolve });
    opened.push(threads);
    threads.run(threads.take(1, 1), parse(UPLOAD)).catch(() => undefined);
    expect(String(await reported)).toContain('undefined');
  });

  it('is ended above its time with a 503 that says why', async () => {
    const threads = open(1);
    await expect(threads.run(threads.take(1, 1), parse(UPLOAD))).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('longer than 1 ms'),
    });
    expect(threads.used).toBe(0);
  });
});

describe('unread responses', () => {
  const KIB = 1_024;

  /** The limits are 1,000 KiB of one user, and 2,000 KiB of all. */
  const create = () => new UnreadResponses(1_000 * KIB);

  /** A response that records whether it is destroyed. */
  class Response extends EventEmitter {
    isDestroyed = false;
    destroy(): void {
      this.isDestroyed = true;
    }
  }

  function send(unread: UnreadResponses, userId: number, kib: number) {
    const response = new Response();
    const body = unread.send(userId, response as unknown as ServerResponse, Buffer.alloc(kib * KIB, 'x'));
    return { response, body };
  }

  const destroyed = (sent: { response: Response }[]): boolean[] => sent.map(({ response }) => response.isDestroyed);

  it('count until they are closed', () => {
    const unread = create();
    const { response } = send(unread, 1, 300);
    expect(unread.bytes.used).toBe(300 * KIB);
    response.emit('close');
    expect(unread.bytes.used).toBe(0);
  });

  it('are closed above the limit of all users: of the user with the most bytes, the one without progress for longest', async () => {
    const unread = create();
    const sent = [send(unread, 1, 500), send(unread, 2, 600), send(unread, 1, 500)];
    // The client reads a piece of its first response.
    const reader = sent[0]?.body as Readable;
    await reader[Symbol.asyncIterator]().next();
    sent.push(send(unread, 3, 900));
    expect(destroyed(sent)).toEqual([false, false, true, false]);
    expect(unread.bytes.used).toBe(2_000 * KIB);
    sent.push(send(unread, 4, 1));
    expect(destroyed(sent)).toEqual([false, false, true, true, false]);
  });

  it('are counted before they are made, and make room at once', () => {
    const unread = create();
    const sent = [send(unread, 1, 900), send(unread, 2, 800)];
    const made = unread.reserve(3, 900 * KIB);
    expect(destroyed(sent)).toEqual([true, false]);
    expect(unread.bytes.usedBy(3)).toBe(900 * KIB);
    made.release();
    expect(unread.bytes.used).toBe(800 * KIB);
  });

  it('above the limit of their user are refused, but for a single one, which may be larger', () => {
    const unread = create();
    const first = unread.reserve(1, 5_000 * KIB);
    expect(() => unread.reserve(1, 1)).toThrow('You have');
    expect(() => unread.assertBelowLimit(1)).toThrow('You have');
    unread.assertBelowLimit(2);
    first.release();
    unread.assertBelowLimit(1);
  });

  it('cannot be made while all the room is reserved', () => {
    const unread = create();
    unread.reserve(1, 1_000 * KIB);
    unread.reserve(2, 1_000 * KIB);
    expect(() => unread.reserve(3, 1)).toThrow('All users together');
  });

  it('are closed until there is room, and those that have ended are no longer among them', () => {
    const unread = create();
    const sent = [send(unread, 1, 300), send(unread, 1, 300), send(unread, 1, 300), send(unread, 2, 200)];
    sent[0]?.response.emit('close');
    send(unread, 3, 1_900);
    expect(destroyed(sent)).toEqual([false, true, true, true]);
    expect(unread.bytes.used).toBe(1_900 * KIB);
  });

  it('above a limit are refused with what is too much', () => {
    const { bytes } = create();
    const all = 'All users together have too many bytes of unread responses. Try again.';
    const own = 'You have 1024000 or more bytes of unread responses. Read them or close their connections.';
    expect(bytes.errorOf('process')).toMatchObject({ status: 429, code: 'too-much-at-once', message: all });
    expect(bytes.errorOf('user')).toMatchObject({ status: 429, code: 'too-much-at-once', message: own });
  });

  it('are the bytes of a text, of JSON, or those that are sent as they are', () => {
    const bytes = Buffer.from('x');
    const bytesOf = (body: unknown) => bodyBytes({ body } as Parameters<typeof bodyBytes>[0]);
    expect([null, undefined, bytes].map(bytesOf)).toEqual([undefined, undefined, bytes]);
    expect(bytesOf(bytes)).toBe(bytes);
    expect(['é', { a: 'é' }].map((body) => bytesOf(body)?.toString())).toEqual(['é', '{"a":"é"}']);
  });

  it('of others are not closed for one that its user may not have', () => {
    const unread = create();
    const other = send(unread, 2, 1_000);
    unread.reserve(1, 1_000 * KIB);
    expect(() => unread.reserve(1, 1)).toThrow('You have');
    expect(other.response.isDestroyed).toBe(false);
  });

  describe('count the response of', () => {
    const handled = async ({ method = 'GET', isKnown = true, body = 'é', isClosed = false }) => {
      const unread = create();
      const request = Object.assign(new IncomingMessage(new Socket()), { method, url: '/' });
      const ctx = new Koa<LoggedState>().createContext(request, new ServerResponse(request));
      if (isClosed) {
        ctx.res.destroy();
        await setImmediate();
      }
      await unread.count()(ctx, () => {
        if (isKnown) ctx.state.user = { limitKey: 1 } as State['user'];
        ctx.body = body;
        return Promise.resolve();
      });
      return { used: unread.bytes.usedBy(1), length: ctx.length };
    };

    it('a user, whose length is known also if it is sent in pieces', async () => {
      expect(await handled({})).toEqual({ used: 2, length: 2 });
      const body = 'x'.repeat(300 * KIB);
      expect(await handled({ body })).toEqual({ used: body.length, length: body.length });
    });

    it.each([
      ['nobody', { isKnown: false }],
      ['a request for the header', { method: 'HEAD' }],
      ['a client that has left', { isClosed: true }],
    ])('but not that of %s', async (_, request) => expect((await handled(request)).used).toBe(0));
  });

  it('have one listener that notices that the client has left, however many parts of a request wait', () => {
    const response = new Response() as unknown as ServerResponse;
    const signals = Array.from({ length: 3 }, () => disconnectSignal(response));
    expect(response.listenerCount('close')).toBe(1);
    response.emit('close');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  });

  it('are sent completely, large ones in pieces', async () => {
    const { body } = send(create(), 1, 700);
    const pieces = await (body as Readable).toArray();
    expect(pieces.map((piece) => piece.length / KIB)).toEqual([256, 256, 188]);
    const even = await (send(create(), 1, 512).body as Readable).toArray();
    expect(even.map((piece) => piece.length / KIB)).toEqual([256, 256]);
    expect((body as Readable).readableObjectMode).toBe(false);
    expect(Buffer.isBuffer(send(create(), 1, 256).body)).toBe(true);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2'],
  ['no address', 'no address'],
  ['192.0.2.7:5678', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['"192.0.2.7:5678"', '192.0.2.7'],
  ['[2001:db8:1:2::6]:443', '2001:db8:1:2'],
  ['[2001:db8:1:2::6]', '2001:db8:1:2'],
  ['"[2001:db8:1:2::6]:443"', '2001:db8:1:2'],
  ['2001:db8:1:2:3:4:5:6:443', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['[fe80::1%25eth0]:443', 'fe80:0:0:0'],
  ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['0000:0000:0000:0000:0000:ffff:c000:0207', '192.0.2.7'],
  ['unknown', 'unknown'],
  ['192.0.2.7:port', '192.0.2.7:port'],
  ['1.2.3', '1.2.3'],
])('the rate limit counts the client network and not the address: %s belongs to %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
