import { describe, expect, it } from '@jest/globals';
import { badRequest, Problem } from '@ugc/api/http/problem';
import type { ListParameters } from '@ugc/api/search/parameters';
import { SharedLists } from '@ugc/api/search/shared-lists';
import { SearchFailed } from '@ugc/api/search/response';
import { DatabaseUnavailable } from '@ugc/shared/stores/postgres-errors';
import { setImmediate } from 'node:timers/promises';

const list = (parameters: Partial<ListParameters> = {}) => ({ prompt: '', page: 0, size: 10, ...parameters }) as ListParameters;
const NEVER = new AbortController().signal;

/** Counts the searches. Each result is the number of its search; the first ones fail with the given errors. */
function countedReads(...failures: Error[]) {
  const lists = new SharedLists<number>();
  let searches = 0;
  const search = async (): Promise<number> => {
    const failure = failures[searches++];
    return failure ? Promise.reject(failure) : Promise.resolve(searches);
  };
  return { read: (parameters = list()) => lists.read(parameters, { search, disconnected: NEVER }), searches: () => searches };
}

/** Searches that end on demand. */
function heldReads() {
  const lists = new SharedLists<string>();
  const begun: { end: (result: string) => void; fail: (error: Error) => void; abandoned: AbortSignal }[] = [];
  const search = (abandoned: AbortSignal): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    begun.push({ end: resolve, fail: reject, abandoned });
    return promise;
  };
  const read = async (disconnected = NEVER): Promise<string> => lists.read(list(), { search, disconnected });
  return { begun, read };
}

describe('equal lists without a prompt', () => {
  it('share a search when they arrive together', async () => {
    const { read, searches } = countedReads();
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(searches()).toBe(1);
  });

  it('do not share a search that began before one of them arrived: of those that arrive later, one waits for its end', async () => {
    const { begun, read } = heldReads();
    const first = read();
    await setImmediate();
    const later = [read(), read()];
    await setImmediate();
    later.push(read());
    expect(begun.length).toBe(1);
    begun[0]?.end('first');
    expect(await first).toBe('first');
    await setImmediate();
    expect(begun.length).toBe(2);
    const last = read();
    begun[1]?.end('second');
    expect(await Promise.all(later)).toEqual(['second', 'second', 'second']);
    await setImmediate();
    begun[2]?.end('third');
    expect([await last, begun.length]).toEqual(['third', 3]);
  });

  it('end for one client that leaves, and for the others when they are read', async () => {
    const { begun, read } = heldReads();
    const leaving = new AbortController();
    const [left, stays] = [read(leaving.signal), read()];
    await setImmediate();
    leaving.abort(new Error('the client closed the connection'));
    await expect(left).rejects.toThrow('closed the connection');
    expect(begun[0]?.abandoned.aborted).toBe(false);
    begun[0]?.end('read');
    expect(await stays).toBe('read');
  });

  it('are cancelled when all clients have left, and not begun if they still wait', async () => {
    const { begun, read } = heldReads();
    const leaving = new AbortController();
    const left = [read(leaving.signal)];
    await setImmediate();
    left.push(read(leaving.signal), read(leaving.signal));
    leaving.abort(new Error('the client closed the connection'));
    for (const each of left) await expect(each).rejects.toThrow('closed the connection');
    expect(begun[0]?.abandoned.aborted).toBe(true);
    begun[0]?.fail(new Error('cancelled'));
    await setImmediate();
    await setImmediate();
    expect(begun.length).toBe(1);
    const next = read();
    await setImmediate();
    begun[1]?.end('read');
    expect(await next).toBe('read');
  });

  it.each([new SearchFailed('unavailable'), new DatabaseUnavailable('unavailable')])(
    'that wait fail with the outage of the one that is read: %s',
    async (outage) => {
      const { begun, read } = heldReads();
      const first = read();
      await setImmediate();
      const waiting = read();
      begun[0]?.fail(outage);
      await expect(first).rejects.toThrow('unavailable');
      await expect(waiting).rejects.toThrow('unavailable');
      const next = read();
      await setImmediate();
      begun[1]?.end('read');
      expect([await next, begun.length]).toEqual(['read', 2]);
    },
  );

  it('share the next search if a limit of the client that the search runs for is reached', async () => {
    const error = new Problem(429, 'too many bytes');
    const { read, searches } = countedReads(error);
    const [first, ...others] = await Promise.allSettled([read(), read(), read()]);
    expect(first).toMatchObject({ reason: error });
    expect(others).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'fulfilled', value: 2 },
    ]);
    expect(searches()).toBe(2);
  });

  it.each([
    ['Elasticsearch is unavailable', new SearchFailed('unavailable')],
    ['PostgreSQL is unavailable', new DatabaseUnavailable('unavailable')],
    ['the page is too large', badRequest('The page is too large.', [])],
  ])('fail after one search if %s', async (_, error) => {
    const { read, searches } = countedReads(error);
    for (const outcome of await Promise.allSettled([read(), read()])) expect(outcome).toMatchObject({ reason: error });
    expect(searches()).toBe(1);
  });
});

describe('lists that arrive together', () => {
  it('do not share a search if any of their parameters differs', async () => {
    const { read } = countedReads();
    const others: Partial<ListParameters>[] = [
      { page: 1 },
      { size: 20 },
      { include: 'tags' },
      { creatorId: [1] },
      { creatorId: [2] },
      { tags: ['a'] },
      { anyTags: ['a'] },
      { minRating: 4 },
      { explain: 'true' },
      { highlight: 'true' },
      { sort: [{ field: 'name', direction: 'asc' }] },
    ];
    const results = await Promise.all([read(), ...others.map((parameters) => read(list(parameters)))]);
    expect(new Set(results).size).toBe(others.length + 1);
  });

  it('do not share a search if they have a prompt', async () => {
    const { read, searches } = countedReads();
    const withPrompt = list({ prompt: 'pixel' });
    await Promise.all([read(withPrompt), read(withPrompt)]);
    expect(searches()).toBe(2);
  });
});
