import { expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { SCREENS } from '../support/browser/controls.ts';
import { describePage, expectAccessible, keepNotes, open, openAsUser } from '../support/browser/page-visits.ts';
import { type Visit } from '../support/browser/web-page.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import type { Service } from '../support/processes/service.ts';

const LIST = /api\/content\?/;
const FACETS = /api\/content\/facets\?/;
/** A page has less than its matches. */
const PROMPT = 'prompt=recipe&size=24';

/**
 * Records what a screen reader says of lists, and which heading is shown with which first item. Reads take as long as the
 * test needs.
 */
const RECORD = `Object.defineProperty(XMLHttpRequest.prototype, 'timeout', { set: () => {} });
window.said = [];
window.shown = [];
new MutationObserver(() => {
  const textOf = (name) => document.querySelector(name)?.textContent ?? '';
  const record = (list, text) => text !== list.at(-1) && list.push(text);
  record(said, textOf('.results > [role=status]'));
  record(shown, textOf('.results-head h2') + ': ' + textOf('.card h3'));
}).observe(document, { subtree: true, childList: true, characterData: true });`;

const saidOf = async ({ page }: Visit): Promise<string[]> => (await page.evaluate<string[]>('said')).filter((text) => text !== '');

let service: Service;
let baseUrl: string;
let userId: number;

describePage(
  'the number of items of a list on the web page',
  (given) => ({ service, baseUrl, userId } = given),
  () => {
    /** Opens the page after `prepare`, which is given the page of a path that does not exist. */
    const openPrepared = async (path: string, prepare: (page: Page) => Promise<unknown>, options: Parameters<typeof open>[1] = {}) => {
      const visit = await open('/no/such/page', options);
      await visit.page.addInitScript(RECORD);
      await prepare(visit.page);
      await visit.page.goto(`${baseUrl}${path}#token=${await tokenOf(userId)}`);
      return visit;
    };
    /** Answers no facets until the function that it returns is called. */
    const holdFacets = async (page: Page): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(FACETS, async (route) => {
        await promise;
        await route.continue();
      });
      return resolve;
    };
    const totalOf = async (query: string): Promise<number> => (await service.client.get(`/api/content?${query}`)).body.totalElements;
    const card = ({ page }: Visit) => page.locator('.card a').first();

    it('is counted by the facets alone, which are estimated if there are many, and not again for another page or order', async () => {
      const asked: URL[] = [];
      const visit = await openPrepared('/', (page) => {
        page.on('request', (request) => asked.push(new URL(request.url())));
        return Promise.resolve();
      });
      const queries = (path: string) => asked.filter(({ pathname }) => pathname === path).map(({ searchParams }) => searchParams);
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
      await visit.page.getByRole('link', { name: 'Next page' }).click();
      await visit.page.locator('.results[aria-busy=false] .pages [aria-current]', { hasText: '2' }).waitFor();
      await visit.page.getByLabel('Sort by').selectOption({ label: 'Name' });
      await visit.page.locator('.results[aria-busy=false] .pages [aria-current]', { hasText: '1' }).waitFor();
      expect(await visit.heading.textContent()).toBe('500 items');
      expect(queries('/api/content').map((query) => query.get('totals'))).toEqual(queries('/api/content').map(() => 'false'));
      expect(queries('/api/content').filter((query) => query.get('size') === '24').length).toBe(3);
      expect(queries('/api/content/facets').map((query) => query.get('counts'))).toEqual(['sampled']);
    });

    it.each(SCREENS)('at $width pixels is shown later than the list, moves nothing, and is announced once', async (screen) => {
      const { width, height, isTouch } = screen;
      for (const [path, before, after] of [
        ['sort=createdAt,desc&size=24', 'Items', '500 items'],
        [PROMPT, 'Items for “recipe”', `${await totalOf(`${PROMPT}&match=closest`)} items for “recipe”`],
      ] as const) {
        let release = (): void => undefined;
        const visit = await openPrepared(
          `/?${path}`,
          async (page) => {
            release = await holdFacets(page);
          },
          {
            viewport: { width, height },
            hasTouch: isTouch,
            isMobile: isTouch,
          },
        );
        await card(visit).waitFor();
        await visit.page.getByRole('link', { name: 'Next page' }).waitFor();
        await visit.page.locator('.results[aria-busy=false]').waitFor();
        expect(await visit.heading.textContent()).toBe(before);
        expect(await saidOf(visit)).toEqual([]);
        const placesOf = async () => {
          const places = ['.results-head', '.sort', '.card', '.pages'].map((name) => visit.page.locator(name).first().boundingBox());
          return Promise.all(places);
        };
        const places = await placesOf();
        const { height: high } = (await visit.heading.boundingBox()) ?? { height: 0 };
        release();
        await visit.heading.filter({ hasText: after }).waitFor();
        expect([await visit.heading.textContent(), await placesOf()]).toEqual([after, places]);
        expect((await visit.heading.boundingBox())?.height).toBe(high);
        const n = parseInt(after);
        const pages = Math.ceil(n / Number(new URLSearchParams(path).get('size')));
        await visit.page.getByRole('link', { name: `Page ${pages}`, exact: true }).waitFor();
        expect(await saidOf(visit)).toEqual([`${n} items found, page 1 of ${pages}`]);
        // Not while the number is waited for: the page does not wait for longer than 15 s.
        await expectAccessible(visit);
      }
    });

    it('is that of the list itself, if this has one page or no item, so that no facets are waited for', async () => {
      let release = (): void => undefined;
      const visit = await openPrepared('/?prompt=lighthouse', async (page) => {
        release = await holdFacets(page);
      });
      const found = await totalOf('prompt=lighthouse&match=closest');
      await visit.heading.filter({ hasText: `${found} items for “lighthouse”` }).waitFor();
      await visit.searchField.fill('qwxyzzy');
      await visit.page.getByText('Nothing matches “qwxyzzy”.').waitFor();
      expect(await visit.heading.textContent()).toBe('0 items for “qwxyzzy”');
      await until('both are announced', async () => (await saidOf(visit)).length === 2);
      release();
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      expect(await saidOf(visit)).toEqual([`${found} items found`, '0 items found']);
      expect((await visit.page.evaluate<string[]>('shown')).filter((text) => /^0 items$|^Items for/.test(text))).toEqual([]);
    });

    it.each(['counted', 'not counted'])(
      'of a page behind the end: where it is %s, the page says so and leads to the first one',
      async (state) => {
        const answer = Promise.withResolvers<void>();
        const visit = await openPrepared('/?tags=wallpaper&page=900', (page) =>
          page.route(FACETS, async (route) => {
            await answer.promise;
            await (state === 'counted' ? route.continue() : route.fulfill({ status: 400, json: {} }));
          }),
        );
        await visit.page.locator('.results[aria-busy=false]').waitFor();
        expect(await visit.page.locator('.empty').count()).toBe(0);
        answer.resolve();
        await visit.page.getByText('The list has no such page.').waitFor();
        await visit.page.getByText('Try instead:').waitFor();
        expect(await visit.page.locator('.empty a').allTextContents()).toEqual(['Go to the first page']);
        await visit.page.getByRole('link', { name: 'Go to the first page' }).click();
        await card(visit).waitFor();
      },
    );

    it('while it cannot be counted, the list is shown without it, and its pages lead on; once it can be, it is not announced again', async () => {
      const overloaded = { type: '/docs#overloaded', title: 'Service Unavailable', status: 503, detail: 'Busy.' };
      const refuse = (route: Route) => route.fulfill({ status: 503, json: overloaded });
      const visit = await openPrepared('/?sort=name,asc', (page) => page.route(FACETS, refuse));
      const names = async (page: number): Promise<string> =>
        (await service.client.get(`/api/content?sort=name,asc&size=24&page=${page}`)).body.content[0].name;
      await visit.card(await names(0)).waitFor();
      await visit.page.getByRole('link', { name: 'Next page' }).click();
      await visit.card(await names(1)).waitFor();
      expect(await visit.heading.textContent()).toBe('Items');
      await expectAccessible(visit);
      await visit.page.getByRole('link', { name: 'Page 3', exact: true }).click();
      await visit.card(await names(2)).waitFor();
      await visit.page.getByRole('link', { name: 'Previous page' }).click();
      await visit.card(await names(1)).waitFor();
      await until('the list is announced', async () => (await saidOf(visit)).length === 4);
      await visit.page.unroute(FACETS, refuse);
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
      await visit.page.getByRole('link', { name: 'Page 21', exact: true }).waitFor();
      expect(await saidOf(visit)).toEqual(['Items', 'Items', 'Items', 'Items']);
    });

    it('changes at once, together with the list, when the user deletes an item, and takes it back, whatever the facets do', async () => {
      const name = 'Deleted among many';
      const id = await service.client.upload({ name }, userId);
      await service.indexed();
      const visit = await openPrepared(`/?sort=createdAt,desc`, () => Promise.resolve());
      await visit.heading.filter({ hasText: '501 items' }).waitFor();
      await keepNotes(visit);
      const second = (await visit.page.locator('.card h3').nth(1).textContent()) ?? '';
      for (const [act, after] of [
        ['Delete', `500 items: ${second}`],
        ['Undo', `501 items: ${name}`],
      ] as const) {
        await visit.page.evaluate('shown.length = 0');
        const release = await holdFacets(visit.page);
        const read = visit.page.waitForResponse(LIST);
        if (act === 'Delete') {
          await visit.card(name).getByRole('link').click();
          await visit.dialog.getByRole('button', { name: 'Delete' }).click();
          await visit.dialog.getByRole('button', { name: 'Delete it' }).click();
        } else await visit.button('Undo').click();
        await (await read).finished();
        await visit.page.locator('.results[aria-busy=true]').waitFor();
        const shown = () => visit.page.evaluate<string[]>('shown');
        expect((await shown()).at(-1)).toBe(after);
        expect(await visit.card(name).count()).toBe(act === 'Delete' ? 0 : 1);
        release();
        await visit.page.locator('.results[aria-busy=false]').waitFor();
        expect((await shown()).at(-1)).toBe(after);
        expect((await shown()).length).toBeLessThanOrEqual(2);
        await visit.page.unroute(FACETS);
      }
      await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
      await service.indexed();
    });

    it('of a list of the own items is that of the list, which has no facets', async () => {
      const visit = await openAsUser('/?hidden=mine');
      const { totalElements } = (await service.client.get('/api/users/me/content?size=1', userId)).body;
      await visit.heading.filter({ hasText: `${totalElements} own items` }).waitFor();
      expect(await visit.page.locator('.filters').count()).toBe(0);
    });

    it('has a title, and the filters have their buttons, while the later parts of the page cannot be loaded', async () => {
      const visit = await openPrepared('/?hidden=mine', (page) => page.route(/later-parts/, (route) => route.abort()));
      await card(visit).waitFor();
      await visit.page.locator('.results[aria-busy=false]').waitFor();
      expect(await visit.heading.textContent()).toBe('Items');
      await visit.page.setViewportSize({ width: 390, height: 800 });
      await visit.page.goto(`${baseUrl}/?tags=wallpaper`);
      await visit.button(/^Filters/).click();
      await expectAccessible(visit);
      await visit.dialog.getByRole('button', { name: 'Remove all' }).click();
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
      await visit.dialog.getByRole('button', { name: 'Show items', exact: true }).click();
      await visit.dialog.waitFor({ state: 'detached' });
    });

    it('in a filter is said to be estimated where it is, and only there; an estimate of 0 is not said', async () => {
      const counted = (await service.client.get('/api/content/facets')).body.facets;
      type Stars = { stars: number; count: number };
      const ratings = counted.ratings.values.map(({ stars, count }: Stars) => ({ stars, count: stars < 4 ? count : 0 }));
      const tags = counted.tags.values.map((each: { tag: string; count: number }) => ({ ...each, count: each.count * 12_345 }));
      const visit = await openPrepared('/?sort=best', (page) =>
        page.route(FACETS, async (route) => {
          const response = await route.fetch();
          const body = await response.json();
          const facets = {
            ...body.facets,
            tags: { ...body.facets.tags, values: tags },
            ratings: { ...body.facets.ratings, values: ratings },
          };
          await route.fulfill({ response, json: { ...body, sampled: { tags: 0.25, ratings: 0.25 }, facets } });
        }),
      );
      const group = (name: string) => visit.page.getByRole('group', { name, exact: true });
      await group('Tags').locator('.choice-count').first().waitFor();
      const about = Number((tags[0].count as number).toPrecision(2)).toLocaleString('en');
      expect(await group('Tags').locator('.choice-count [aria-hidden]').first().textContent()).toBe(`about ${about}`);
      await group('Tags')
        .getByRole('checkbox', { name: `${tags[0].tag} about ${about} items` })
        .waitFor();
      expect(await group('Rating').locator('.choice-count').allTextContents()).toEqual(
        [3, 2].map((least) => {
          const n = ratings.reduce((sum: number, { stars, count }: Stars) => sum + (stars >= least ? count : 0), 0);
          return expect.stringMatching(`^about \\d+ *about ${Number(n.toPrecision(2))} items?$`);
        }),
      );
      expect((await group('Creators').locator('.choice-count').allTextContents()).join()).not.toContain('about');
      await expectAccessible(visit);
    });

    it('with a certain beginning of a tag is exact, since an estimate knows no rare tags; blanks are none', async () => {
      const visit = await openAsUser();
      const asked: URLSearchParams[] = [];
      visit.page.on('request', (request) => FACETS.test(request.url()) && asked.push(new URL(request.url()).searchParams));
      for (const typed of ['  ', ' wal']) await visit.page.getByLabel('Find a tag').fill(typed);
      await until('the tags are asked for', () => Promise.resolve(asked.length > 0));
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      expect(asked.map((query) => [query.get('tagPrefix'), query.get('counts')])).toEqual([['wal', null]]);
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
    });
  },
);
