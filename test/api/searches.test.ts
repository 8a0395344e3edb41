import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { INDEX_BODY } from '@ugc/shared/contracts/content-index';
import type { Elasticsearch } from '@ugc/shared/stores/elasticsearch';
import { Readable } from 'node:stream';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { scrape } from '../support/http/scrape.ts';
import { until } from '../support/jest/until.ts';

const KIB = 1_024;
const LARGE_ITEMS = 2;
const LARGE = '/api/content?anyTags=large';

describe('the searches of one API process', () => {
  let api: ApiAlone;
  /** While it is set, searches do not end; the bodies of large responses end neither while `bodies` is set. */
  let held: Promise<void> | undefined;
  let heldBodies: Promise<void> | undefined;
  let [active, mostActive] = [0, 0];
  /** Large responses that have arrived but for their end. */
  let received = 0;
  beforeAll(async () => {
    // Searches are held for as long as a busy machine needs to begin the others.
    api = await startApiAlone({}, holdable);
    const alias = api.env['CONTENT_ALIAS'] ?? '';
    await api.elasticsearch.indices.create({ index: `${alias}-v1`, ...INDEX_BODY, aliases: { [alias]: {} } });
    const operations = Array.from({ length: 12 }, (_, n) => [{ index: { _id: String(n + 1) } }, documentOf(n + 1)]).flat();
    expect((await api.elasticsearch.bulk({ index: alias, operations, refresh: true })).errors).toBe(false);
  });
  afterEach(async () => {
    [held, heldBodies, mostActive, received] = [undefined, undefined, 0, 0];
    await until('nothing is held', async () => (await used('searches')) === 0 && (await used('list_bytes')) === 0);
  });
  afterAll(() => api.stop());

  const used = async (resource: string) => (await scrape(api.operationsUrl)).get(`ugc_resource_used{resource="${resource}"}`);
  const statusesOf = async (requests: ReturnType<ApiAlone['client']['get']>[]) => (await Promise.all(requests)).map(({ status }) => status);

  function documentOf(contentId: number): object {
    const isLarge = contentId <= LARGE_ITEMS;
    const createdAt = new Date(Date.UTC(2026, 0, contentId)).toISOString();
    return {
      contentId,
      creatorId: 1,
      creatorName: 'user 1',
      name: `item ${contentId}`,
      nameSort: `item ${contentId}`,
      description: '',
      data: isLarge ? 'x'.repeat(300 * KIB) : '',
      tags: [isLarge ? 'large' : 'small'],
      tagKeys: [isLarge ? 'large' : 'small'],
      downloadsCount: 0,
      avgRating: 0,
      createdAt,
      updatedAt: createdAt,
      version: 1,
      deleted: false,
    };
  }

  function holdable(elasticsearch: Elasticsearch): Elasticsearch {
    const search = async (...parameters: Parameters<Elasticsearch['search']>) => {
      active += 1;
      mostActive = Math.max(mostActive, active);
      await held;
      const response: any = await elasticsearch.search(...parameters).finally(() => (active -= 1));
      const end = heldBodies;
      return end ? { ...response, body: Readable.from(withHeldEnd(response.body, end)) } : response;
    };
    return Object.create(elasticsearch, { search: { value: search } });
  }

  /** A body that ends on demand if it is large. */
  async function* withHeldEnd(body: NodeJS.ReadableStream, end: Promise<void>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      yield Buffer.from(chunk);
    }
    if (bytes <= 256 * KIB) return;
    received += 1;
    await end;
  }

  it('are at most three of one user: a request for facets counts with each of its searches, and other users are served', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const filters = 'anyTags=small&creatorId=1&minRating=0&minDownloads=0&createdFrom=2000-01-01';
    const facets = [1, 2].map((n) => api.client.get(`/api/content/facets?${filters}&maxDownloads=${100 * n}`, 1));
    await until('three are active', () => active === 3);
    const lists = [2, 3].map((userId) => api.client.get(`/api/content?size=${userId}`, userId));
    await until('those of other users are active', () => active === 5);
    resolve();
    expect(await statusesOf([...facets, ...lists])).toEqual([200, 200, 200, 200]);
    expect(mostActive).toBeLessThanOrEqual(5);
  });

  it('are at most sixteen of all users: those of further users wait for their turns', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    // One each: while the event loop is busy, a user may read only one list at a time.
    const lists = Array.from({ length: 20 }, (_, n) => api.client.get(`/api/content?size=${n + 1}`, n + 1));
    await until('sixteen are active', () => active === 16);
    resolve();
    expect(new Set(await statusesOf(lists))).toEqual(new Set([200]));
    expect(mostActive).toBe(16);
  });

  it('with a large response wait for their turn to be received, and never make a small one wait or fail', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heldBodies = promise;
    const large = [1, 2, 3, 4].map((userId) => api.client.get(`${LARGE}&size=${userId + 1}`, userId));
    await until('three are received', () => received === 3);
    for (const userId of [5, 6, 7]) expect((await api.client.get('/api/content?anyTags=small', userId)).status).toBe(200);
    expect(received).toBe(3);
    resolve();
    expect(await statusesOf(large)).toEqual([200, 200, 200, 200]);
  });
});
