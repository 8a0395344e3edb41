import { describe, expect, it } from '@jest/globals';
import { badRequest, Problem } from '@ugc/api/http/problem';
import type { ListParameters } from '@ugc/api/search/parameters';
import { SharedLists } from '@ugc/api/search/shared-lists';
import { SearchFailed } from '@ugc/api/search/response';

const list = (parameters: Partial<ListParameters> = {}) => ({ prompt: '', page: 0, size: 10, ...parameters }) as ListParameters;

/** Counts the searches. Each result is the number of its search; the first ones fail with the given errors. */
function countedReads(...failures: Error[]) {
  const lists = new SharedLists<number>();
  let searches = 0;
  const search = async (): Promise<number> => {
    const failure = failures[searches++];
    return failure ? Promise.reject(failure) : Promise.resolve(searches);
  };
  return { read: (parameters = list()) => lists.read(parameters, search), searches: () => searches };
}

describe('equal lists without a prompt', () => {
  it('share a search when they arrive together', async () => {
    const { read, searches } = countedReads();
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(searches()).toBe(1);
  });

  it('do not share a search that began before one of them arrived', async () => {
    const { read, searches } = countedReads();
    const first = read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(searches()).toBe(1);
    expect(await Promise.all([first, read()])).toEqual([1, 2]);
  });

  it.each([
    ['a limit of the client that the search runs for is reached', new Problem(429, 'too many bytes')],
    ['the client that the search runs for disconnects', new Error('the client closed the connection')],
  ])('share the next search if %s', async (_, error) => {
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
    ['the page is too large', badRequest('The page is too large.', [])],
  ])('fail after one search if %s', async (_, error) => {
    const { read, searches } = countedReads(error);
    for (const outcome of await Promise.allSettled([read(), read()])) expect(outcome).toMatchObject({ reason: error });
    expect(searches()).toBe(1);
  });
});

describe('lists that arrive together', () => {
  it('do not share a search if their parameters differ or they have a prompt', async () => {
    const { read } = countedReads();
    const withPrompt = list({ prompt: 'pixel' });
    const results = await Promise.all([read(), read(list({ page: 1 })), read(withPrompt), read(withPrompt)]);
    expect(new Set(results).size).toBe(4);
  });
});
