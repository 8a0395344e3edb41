import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentPage } from '@ugc/api/search/page';
import { UgcClient } from '../../packages/client/src/index.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent, type StoredFields } from '../support/database/stored-content.ts';
import type { ApiResponse } from '../support/http/client.ts';
import { expectErrors } from '../support/http/problems.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { indexDeps } from '../support/indices/index-deps.ts';
import { rebuildIndex, rollBack } from '../support/indices/index-lock.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { documentedCommands, runRequests } from '../support/processes/documented-commands.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';

/** A field with the name of what Elasticsearch adds to each hit. */
const FIELDS = { sort: { type: 'number', many: true } };

/** 120 items, of which 60 were created in one millisecond, and every fourth is red. */
const ITEMS: StoredFields[] = Array.from({ length: 120 }, (_, n) => ({
  name: `walked ${n}`,
  tags: n % 4 === 0 ? ['red'] : [],
  data: 'x'.repeat(20_000),
  fields: { sort: [5, 7] },
  createdAt: new Date(Date.UTC(2026, 0, 1) + (n < 60 ? 0 : n)).toISOString(),
}));

let service: Service;
let ids: number[];

async function start(overrides = {}): Promise<void> {
  const env = await createEnvironment(overrides);
  const { close, ...stores } = openStores(env);
  await declareFields(stores.database, FIELDS);
  await close();
  service = await startService(env);
  ids = await storeContent(service.database, ITEMS);
  await service.indexed();
}

type Page = ApiResponse<ContentPage>;

const list = (query: string): Promise<Page> => service.client.get(`/api/content${query}`);
const idsOf = ({ body }: Page): number[] => body.content.map(({ contentId }) => contentId);

function nextOf({ headers }: Page): string | undefined {
  return /^<(\?[^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
}

/** @param between called after each page but the last one */
async function walk(query: string, between = async (_page: Page): Promise<void> => {}): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next: string | undefined = query; next !== undefined;) {
    const page = await list(next);
    expect(page.status).toBe(200);
    pages.push(page);
    next = nextOf(page);
    expect(page.body.last).toBe(next === undefined);
    if (next !== undefined) await between(page);
  }
  return pages;
}

describe('a list that is walked by its Link headers', () => {
  beforeAll(() => start());
  afterAll(() => service.stop());

  it.each([
    ['?size=7', 120],
    ['?size=40', 120],
    ['?size=120', 120],
    ['?size=119&totals=false', 120],
    ['?size=17&page=2', 120 - 34],
    ['?size=7&tags=red', 30],
    ['?prompt=walkde&size=11&explain=true&highlight=true', 120],
    ['?prompt=walked+%22walked%22&size=11&include=tags&fields=summary&sort=createdAt,desc', 120],
    ['?tags[]=red&createdTo=2026-01-01T00:00:00.001%2B00:00&size=4', 15],
    ['?size=7&tags=nothing', 0],
    [`?size=7&tags=red&${Array.from({ length: 40 }, (_, n) => `contentId=${n + 50}`).join('&')}`, 10],
  ])('has each item once, in the order of its pages: %s', async (query, count) => {
    const walked = (await walk(query)).flatMap(idsOf);
    expect(walked).toHaveLength(count);
    const whole = query.replace(/&?(size|page)=\d+/g, '');
    expect(walked).toEqual(idsOf(await list(`${whole}${whole === '?' ? '' : '&'}size=200`)).slice(-count || Infinity));
  });

  it('has pages without totals behind the first one, whose parameters are those of the request', async () => {
    const [first, second, ...others] = await walk('?highlight=true&prompt=walked&size=50&explain=true&include=tags');
    expect(first?.body).toMatchObject({ totalElements: 120, first: true, number: 0, last: false });
    expect(second?.body).toEqual({
      content: expect.any(Array),
      pageable: first?.body.pageable,
      last: false,
      first: false,
      size: 50,
      number: 0,
      sort: first?.body.sort,
      numberOfElements: 50,
      empty: false,
      interpretation: (first?.body as { interpretation?: unknown }).interpretation,
    });
    expect(second?.body.content[0]).toMatchObject({ tags: expect.any(Array), highlights: expect.any(Object) });
    expect(others).toHaveLength(1);
  });

  it('keeps the other parameters of the address, and leaves out the number of the page', async () => {
    const query = new URLSearchParams(nextOf(await list('?page=1&tags[]=red&prompt=walked%20%22red%22&size=5&unknown=%3E')));
    query.delete('after');
    expect([...query]).toEqual([['tags[]', 'red'], ['prompt', 'walked "red"'], ['size', '5'], ['unknown', '>']]); // prettier-ignore
  });

  it.each(['sort=createdAt', 'sort=name', 'sort=createdAt,desc&sort=name', 'prompt=walked&sort=relevance'])(
    'has no link in another order: %s',
    async (query) => {
      expect((await list(`?size=5&${query}`)).headers.has('link')).toBe(false);
    },
  );

  const after = (query: string, place: string) => `${query}&after=${encodeURIComponent(place)}`;
  const headerBytes = ({ headers }: Page): number =>
    [...headers].reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}: ${value}\r\n`), 'HTTP/1.1 200 OK\r\n\r\n'.length);

  it.each([
    ['600 Han characters', '漢'.repeat(600)],
    ['700 Cyrillic letters', 'щ'.repeat(700)],
    ['emoji', '😀'.repeat(900)],
  ])('whose query is too long for a header is read by the places in its pages: %s', async (_, text) => {
    const query = `?size=50&match=any&include=next&prompt=${encodeURIComponent(`walked ${text}`)}`;
    const walked: number[] = [];
    for (let next: string | null | undefined = ''; typeof next === 'string';) {
      const page: Page = await list(after(query, next));
      expect([page.status, page.headers.has('link'), page.body.last]).toEqual([200, false, page.body.next === null]);
      expect(headerBytes(page)).toBeLessThanOrEqual(3_072);
      walked.push(...idsOf(page));
      next = page.body.next;
    }
    expect(walked).toEqual(ids.toReversed());
  });

  it('has the place of its Link header in a page that includes it, null in other orders, and nothing unless asked', async () => {
    for (const query of [
      '?size=50',
      '?size=50&page=1',
      '?size=50&page=2',
      '?size=50&prompt=walked&totals=false',
      '?size=50&tags=nothing',
    ]) {
      const page = await list(`${query}&include=next&include=tags`);
      expect(page.body.next).toBe(new URLSearchParams(nextOf(page)).get('after'));
      expect(page.body.content.every(({ tags }) => Array.isArray(tags))).toBe(true);
      const { next: _, ...specified } = page.body;
      expect((await list(`${query}&include=tags`)).body).toEqual(specified);
    }
    for (const other of ['sort=name', 'sort=createdAt', 'prompt=walked&sort=relevance'])
      expect((await list(`?size=5&include=next&${other}`)).body.next).toBeNull();
  });

  it('repeats a query of up to 1,024 bytes in its header, and no longer one', async () => {
    const linkOf = async (length: number) => (await list(`?size=5&unknown=${'x'.repeat(length)}`)).headers.get('link')?.length;
    const short = (await linkOf(1)) ?? NaN;
    expect([await linkOf(1 + 1_024 - short), await linkOf(2 + 1_024 - short)]).toEqual([1_024, undefined]);
  });

  it('refuses an order or a page number beside the place', async () => {
    const next = nextOf(await list('?size=5')) ?? '';
    for (const other of ['sort=name', 'sort=createdAt', 'sort=createdAt,desc&sort=name', 'sort=best', 'page=1']) {
      const { body } = await list(`${next}&${other}`);
      expect(body).toMatchObject({
        status: 400,
        errors: [{ parameter: 'after', detail: expect.stringContaining(other.split('=')[0] ?? '') }],
      });
    }
    for (const other of ['sort=createdAt,desc', 'page=0', 'sort=&page=']) expect((await list(`${next}&${other}`)).status).toBe(200);
  });

  it('refuses a place that is cut, changed, too long, or not from here', async () => {
    const place = new URLSearchParams(nextOf(await list('?size=5'))).get('after') ?? '';
    const [time = '', id = '', check = ''] = place.split('.');
    const changed = [
      `${time}.${Number(id) + 1}.${check}`,
      `${time}.${id}`,
      `${id}.${time}.${check}`,
      `+${place}`,
      `${time}.0${id}.${check}`,
    ];
    const cut = [place.slice(0, -1), place.slice(1), `${place}0`, place.repeat(100)];
    for (const other of [...changed, ...cut, '0', 'eyJpZCI6MX0', '1.2.3', 'null', '%00', '%FF', '../x'])
      expectErrors(await list(`?after=${other}`), ['after']);
    expectErrors(await list(`?after=${place}&after=${place}`), ['after']);
    for (const blank of ['', '%20']) expect((await list(`?after=${blank}`)).body.first).toBe(true);
  });

  it('goes on behind the place of an item that is gone, and with other filters', async () => {
    const [id] = await storeContent(service.database, [{ name: 'gone', createdAt: ITEMS[100]?.createdAt ?? '' }]);
    await service.indexed();
    const before = await list('?size=20');
    expect(idsOf(before).at(-1)).toBe(id);
    const next = nextOf(before) ?? '';
    await service.client.send('DELETE', `/api/content/${id}`);
    await service.indexed();
    expect(idsOf(await list(next))[0]).toBe(ids[100]);
    expect(idsOf(await list(`${next}&tags=red`))[0]).toBe(ids[100]);
    expect(idsOf(await list(`${next}&prompt=walked+99`))).toEqual([ids[99]]);
  });

  it('is read by the commands of the documentation', async () => {
    const [block = ''] = documentedCommands('docs/api.md').flatMap(({ heading, block }) => (heading === 'Walk a list' ? block : []));
    const script = block.replace('tags=wallpaper', 'tags=red').replace('size=100', 'size=9');
    const printed = await runRequests(script, service.client.baseUrl, { TOKEN: await tokenOf(1) });
    const names = ITEMS.filter(({ tags }) => tags?.includes('red')).map(({ name }) => `"name":"${name}"`);
    expect(printed.trim().split('\n')).toEqual(names.toReversed());
  });

  it('is read by the client', async () => {
    const ugc = new UgcClient({ baseUrl: service.client.baseUrl, token: await tokenOf(1) });
    const walked: number[] = [];
    for await (const { contentId } of ugc.items({ size: 13, fields: 'summary' })) walked.push(contentId);
    expect(walked).toEqual(ids.toReversed());
  });

  it('has each item that stays exactly once beside changes, a swap and a rollback of the index', async () => {
    const [stays, leaves] = [ids.filter((id) => id % 3 > 0), ids.filter((id) => id % 3 === 0)];
    let pages = 0;
    const one = (of: number[]): number => of[(pages * 37) % of.length] ?? NaN;
    const walked = await walk('?size=9&prompt=walked', async () => {
      pages += 1;
      await service.client.send('PATCH', `/api/content/${one(stays)}`, { description: `edited ${pages}` });
      await service.client.send('PUT', `/api/content/${one(stays)}/rating`, { score: 5 }, 2);
      await service.client.send('DELETE', `/api/content/${one(leaves)}`);
      await service.client.upload({ name: 'walked meanwhile' });
      if (pages === 4) await rebuildIndex(indexDeps(service));
      if (pages === 8) await rollBack(indexDeps(service));
      await service.indexed();
    });
    const found = walked.flatMap(idsOf);
    expect(new Set(found).size).toBe(found.length);
    expect(stays.filter((id) => !found.includes(id))).toEqual([]);
  }, 300_000);

  it('with match=closest keeps the number of words with which it began, though its other items have fewer', async () => {
    const named = await storeContent(service.database, [
      ...Array.from({ length: 3 }, () => ({ name: 'quartz violet', description: 'marble' })),
      ...Array.from({ length: 3 }, () => ({ name: 'quartz violet' })),
    ]);
    await service.indexed();
    const query = '?size=1&match=closest&prompt=quartz+violet+marble';
    const toWalk = async () => (await walk(query)).flatMap(idsOf);
    expect((await toWalk()).toSorted()).toEqual(named.slice(0, 3).toSorted());
    // An item with a fourth word, and the end of those with three, change no walk that has begun.
    const longer = '?size=1&match=closest&prompt=quartz+violet+marble+onyx';
    let more: number[] = [];
    const walked = await walk(longer, async () => {
      if (more.length > 0) return;
      more = await storeContent(service.database, [
        { name: 'quartz violet onyx', description: 'marble', createdAt: '2020-01-01T00:00:00Z' },
      ]);
      await service.indexed();
    });
    expect(walked.flatMap(idsOf).toSorted()).toEqual([...named.slice(0, 3), ...more].toSorted());
    expect((await walk(longer)).flatMap(idsOf)).toEqual(more);
  });

  it('with match=closest whose filters leave nothing goes on as match=most', async () => {
    const ids = await storeContent(service.database, [
      { name: 'basalt pumice obsidian' },
      ...Array.from({ length: 3 }, () => ({ name: 'basalt pumice', tags: ['igneous'] })),
    ]);
    await service.indexed();
    const walked = await walk('?size=1&match=closest&prompt=basalt+pumice+obsidian&tags=igneous');
    expect(walked.flatMap(idsOf).toSorted()).toEqual(ids.slice(1).toSorted());
  });
});

describe('a walk without data in the index', () => {
  afterEach(() => service.stop());

  it('passes pages whose items are gone from the database, and pages that another thread renders', async () => {
    await start({ INDEX_DATA: 'false' });
    await service.database.query('delete from content where content_id = any($1)', [ids.slice(60, 120)]);
    const pages = await walk('?size=30');
    expect(pages.map(({ body }) => body.numberOfElements)).toEqual([0, 0, 30, 30]);
  });
});
