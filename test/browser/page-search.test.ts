import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { describePage, expectAccessible, open, openAsUser, queryOf } from '../support/browser/page-visits.ts';
import { type Visit } from '../support/browser/web-page.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import type { Service } from '../support/processes/service.ts';

let service: Service;
let baseUrl: string;
let userId: number;
let itemId: number;

describePage(
  'a search and the filters of the web page',
  (given) => ({ service, baseUrl, userId, itemId } = given),
  () => {
    describe('a search', () => {
      it('shows items while one types, with suggestions, and marks what matches', async () => {
        const visit = await openAsUser();
        await visit.searchField.pressSequentially('lightho');
        await visit.page.getByRole('option', { name: 'Lighthouse at dusk' }).waitFor();
        await visit.heading.filter({ hasText: '“lightho”' }).waitFor();
        await expectAccessible(visit);
        await visit.searchField.press('ArrowDown');
        expect(await visit.searchField.getAttribute('aria-activedescendant')).toBe(
          await visit.page.locator('[aria-selected=true]').getAttribute('id'),
        );
        await visit.card('Lighthouse at dusk').locator('h3 mark').getByText('Lighthouse', { exact: true }).waitFor();
        await visit.page.goBack();
        await visit.heading.filter({ hasText: '500 items' }).waitFor();
        expect(await visit.searchField.inputValue()).toBe('');
      });

      it('leads to an item by the suggestion of its name, which has its picture, and closing it to the list', async () => {
        const visit = await openAsUser();
        await visit.searchField.pressSequentially('lightho');
        const suggestion = visit.page.getByRole('option', { name: 'Lighthouse at dusk' });
        await suggestion.locator('img').waitFor();
        expect(await suggestion.locator('b').textContent()).toBe('Lightho');
        await suggestion.click();
        await visit.dialog.getByRole('heading', { name: 'Lighthouse at dusk' }).waitFor();
        expect(queryOf(visit)).toBe(`?prompt=lightho&item=${itemId}`);
        await visit.page.keyboard.press('Escape');
        await visit.heading.filter({ hasText: '“lightho”' }).waitFor();
        expect(queryOf(visit)).toBe('?prompt=lightho');
      });

      it('begins with the key /, and the field is emptied by its button; the first Tab leads past it to the items', async () => {
        const visit = await openAsUser('/?prompt=lighthouse');
        await visit.page.keyboard.press('/');
        await visit.page.locator('.search-input:focus').waitFor();
        await visit.page.keyboard.type('/');
        expect(await visit.searchField.inputValue()).toBe('lighthouse/');
        await visit.button('Clear the search').click();
        await visit.page.locator('.search-input:focus').waitFor();
        await visit.heading.filter({ hasText: '500 items' }).waitFor();
        await visit.page.reload();
        await visit.heading.filter({ hasText: '500 items' }).waitFor();
        await visit.page.keyboard.press('Tab');
        await visit.page.getByRole('link', { name: 'Skip to the items' }).press('Enter');
        await visit.page.locator('.results-head h2:focus').waitFor();
      });

      it('shows the heading of the search before as long as it shows its items, and links to its pages', async () => {
        const visit = await openAsUser();
        const first = await visit.page.locator('.card h3').first().textContent();
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        await visit.page.route(/api\/content\?/, async (route) => {
          await released;
          await route.continue();
        });
        const asked = visit.page.waitForRequest(/api\/content\?prompt=lighthouse/);
        await visit.searchField.fill('lighthouse');
        await asked;
        await visit.page.locator('.results[aria-busy=true]').waitFor();
        expect(await visit.heading.textContent()).toBe('500 items');
        expect(await visit.page.locator('.card h3').first().textContent()).toBe(first);
        await visit.page.getByRole('link', { name: 'Next page' }).click();
        expect(queryOf(visit)).toBe('?sort=best&page=1');
        await visit.page.goBack();
        release();
        await visit.heading.filter({ hasText: '“lighthouse”' }).waitFor();
        await visit.card('Lighthouse at dusk').waitFor();
      });

      it('says which part of the address it does not understand, and why the service refuses another', async () => {
        const visit = await openAsUser('/?q=sea&tags=wallpaper');
        await visit.page.getByText('The page does not understand this part of the address: q=sea').waitFor();
        await expectAccessible(visit);
        await visit.page.goto(`${baseUrl}/?createdFrom=2026-02-01&createdTo=2026-01-01`);
        await visit.page.getByText('createdFrom must be before createdTo.').waitFor();
      });

      it('with words that no item has together says that the items have some of them', async () => {
        const visit = await openAsUser('/?prompt=lighthouse+xyzzyq');
        await visit.card('Lighthouse at dusk').waitFor();
        await visit.page.getByText('No item has all of these words. These have some of them.').waitFor();
      });

      describe('of which some items have more words than others', () => {
        const PROMPT = 'pixel art harbour';
        const totalBy = async (match: string): Promise<number> =>
          (await service.client.get(`/api/content?prompt=${encodeURIComponent(PROMPT)}&match=${match}&size=1`)).body.totalElements;
        const linkOf = ({ page }: Visit): Locator => page.getByRole('link', { name: 'more with fewer words' });

        it('shows these in each order, as facets do, and leads to the others by a link that shows them to anybody', async () => {
          const [closest, most] = [await totalBy('closest'), await totalBy('most')];
          expect(most).toBeGreaterThan(closest);
          const visit = await openAsUser();
          const counted: string[] = [];
          visit.page.on('request', (request) => counted.push(...(request.url().match(/api\/content\?.*&size=1&.*/) ?? [])));
          await visit.searchField.fill(PROMPT);
          await visit.page.getByRole('link', { name: `${most - closest} more with fewer words`, exact: true }).waitFor();
          expect(queryOf(visit)).toBe(`?${new URLSearchParams({ prompt: PROMPT })}`);
          for (const sort of ['Newest', 'Name']) {
            await visit.page.getByLabel('Sort by').selectOption({ label: sort });
            await visit.heading.filter({ hasText: new RegExp(`^${closest} items? for `) }).waitFor();
          }
          await visit.page.locator('.results[aria-busy=false]').waitFor();
          expect(await visit.page.locator('.card').count()).toBe(closest);
          expect(counted.length).toBe(1);
          await expectAccessible(visit);
          await linkOf(visit).click();
          await visit.heading.filter({ hasText: `${most} items for ` }).waitFor();
          expect(await linkOf(visit).count()).toBe(0);
          const other = await openAsUser(`/${queryOf(visit)}`);
          await other.heading.filter({ hasText: `${most} items for ` }).waitFor();
          await other.button('Remove the filter some of the words').click();
          await other.heading.filter({ hasText: new RegExp(`^${closest} items? for `) }).waitFor();
        });

        it('shows what a process of 1.0.0 finds, which refuses the parameter', async () => {
          const refused = {
            type: '/docs#validation-error',
            title: 'Bad Request',
            status: 400,
            detail: 'match must be one of any, most, all',
          };
          const visit = await openAsUser();
          await visit.page.route(/match=closest/, (route) => route.fulfill({ status: 400, json: refused }));
          await visit.searchField.fill(PROMPT);
          await visit.heading.filter({ hasText: `${await totalBy('most')} items for ` }).waitFor();
          await visit.page.unroute(/match=closest/);
        });

        it('counts nothing if all have as many', async () => {
          const visit = await openAsUser();
          const asked: string[] = [];
          visit.page.on('request', (request) => asked.push(request.url()));
          await visit.searchField.fill('lighthouse dusk');
          await visit.heading.filter({ hasText: '“lighthouse dusk”' }).waitFor();
          await visit.page.locator('.filters[aria-busy=false]').waitFor();
          expect(asked.filter((url) => /api\/content\?.*&size=1&/.test(url))).toEqual([]);
          expect(await linkOf(visit).count()).toBe(0);
        });
      });

      it('for a pasted text of more than 1,000 characters searches for its beginning, and says so', async () => {
        const visit = await openAsUser(`/?prompt=${encodeURIComponent('lighthouse '.repeat(200))}`);
        await visit.card('Lighthouse at dusk').waitFor();
        await visit.page.getByText('Only the first 1,000 characters of the text are searched for.').waitFor();
        await expectAccessible(visit);
      });

      it('with a misspelt word says what was corrected, and can be repeated as it was written', async () => {
        const visit = await openAsUser('/?prompt=lighthuose');
        await visit.card('Lighthouse at dusk').waitFor();
        await visit.page.getByText('Showing lighthouse instead of “lighthuose”.').waitFor();
        await expectAccessible(visit);
        await visit.page.getByRole('link', { name: 'Search for it as written' }).click();
        await visit.page.getByText('Nothing matches “lighthuose”.').waitFor();
        expect(queryOf(visit)).toBe('?prompt=lighthuose&correct=false');
        await visit.page.getByRole('link', { name: 'Search for “lighthouse”' }).click();
        await visit.card('Lighthouse at dusk').waitFor();
      });

      describe('that finds nothing', () => {
        const offersOf = async ({ page }: Visit): Promise<string[]> => {
          await page.getByText('Try instead:').waitFor();
          return page.locator('.empty a').allTextContents();
        };

        it('offers the search without the filters that are the reason, and the keyboard continues at the list', async () => {
          const visit = await openAsUser('/?prompt=lighthouse&tags=recipe');
          expect(await offersOf(visit)).toEqual(['Search without the filters']);
          await expectAccessible(visit);
          await visit.page.getByRole('link', { name: 'Search without the filters' }).press('Enter');
          await visit.card('Lighthouse at dusk').waitFor();
          await visit.page.locator('.results-head h2:focus').waitFor();
          expect(queryOf(visit)).toBe('?prompt=lighthouse');
        });

        it('because of several filters together offers to remove all of them', async () => {
          const visit = await openAsUser('/?prompt=lighthouse&tags=recipe&minRating=5&createdFrom=2200-01-01&creatorId=1&creatorId=2');
          expect(await offersOf(visit)).toEqual(['Search without the filters']);
          await visit.page.getByRole('link', { name: 'Search without the filters' }).click();
          await visit.card('Lighthouse at dusk').waitFor();
        });

        it('shows popular items and the filters that are set, and no others, whose counts would all be 0', async () => {
          const visit = await openAsUser('/?prompt=qwxyzzy&minRating=4');
          await visit.page.getByRole('region', { name: 'Popular items' }).locator('.card').nth(5).waitFor();
          await visit.page.locator('.filters[aria-busy=false]').waitFor();
          expect(await visit.page.locator('.filters legend').allTextContents()).toEqual(['Rating']);
          expect(await visit.page.locator('.filters .choice-count').count()).toBe(0);
          await expectAccessible(visit);
          await visit.page.locator('.card a').first().click();
          await visit.dialog.getByText('Similar items').waitFor();
          await visit.button('Close').click();
          await visit.page.getByText('Nothing matches “qwxyzzy”.').waitFor();
        });

        it('because nothing has been uploaded says so, whatever is searched for, and leads to an upload', async () => {
          const visit = await openAsUser();
          const empty = { content: [], last: true, number: 0, size: 24 };
          await visit.page.route(/api\/content\?/, (route) => route.fulfill({ json: empty }));
          for (const path of ['/', '/?prompt=lighthouse', '/?tags=sea&minRating=4']) {
            await visit.page.goto(baseUrl + path);
            await visit.page.getByText('Nothing here yet.').waitFor();
            expect(await visit.page.getByText('Check the spelling').count()).toBe(0);
          }
          await visit.page.getByRole('link', { name: 'Upload the first item' }).click();
          await visit.dialog.getByLabel('Name').waitFor();
        });

        it('because the user has not uploaded anything says so, and shows popular items', async () => {
          const [{ userId: newcomer } = { userId: 0 }] = await service.database.query<{ userId: number }>(
            `insert into users (user_id, username, credential) values (987654, 'newcomer', 'newcomer') returning user_id as "userId"`,
          );
          const visit = await open(`/?creatorId=${newcomer}`, { token: await tokenOf(newcomer) });
          await visit.page.getByText('You have not uploaded anything yet.').waitFor();
          await visit.page.getByRole('link', { name: 'Upload an item' }).waitFor();
          await visit.page.getByRole('region', { name: 'Popular items' }).locator('.card').nth(5).waitFor();
        });

        it('because of a phrase offers the search without it', async () => {
          const offers = ['Search for “at lighthouse” as separate words', 'Ignore the phrase “at lighthouse”'];
          const visit = await openAsUser(`/?prompt=${encodeURIComponent('dusk "at lighthouse"')}`);
          expect(await offersOf(visit)).toEqual(offers);
          await visit.page.getByRole('link', { name: offers[0], exact: true }).click();
          await visit.card('Lighthouse at dusk').waitFor();
        });

        it('on a page after the last one offers the first page only', async () => {
          const visit = await openAsUser('/?prompt=lighthouse&tags=wallpaper&page=900');
          await visit.page.getByText('The list has no such page.').waitFor();
          expect(await offersOf(visit)).toEqual(['Go to the first page']);
        });
      });

      it('shows text that looks like HTML as text', async () => {
        const name = '<img src=x onerror=alert(1)> & <mark>lanternfish</mark>';
        await service.client.upload({ name, description: '<b>lanternfish</b>', tags: ['<i>'] }, userId);
        await service.indexed();
        const visit = await openAsUser('/?prompt=lanternfish');
        await visit.card(name).waitFor();
        expect(await visit.card(name).locator('mark').allTextContents()).toEqual(['lanternfish', 'lanternfish']);
        await visit.page.getByRole('link', { name }).click();
        await visit.dialog.getByRole('heading', { name }).waitFor();
      });

      it('that Enter started is not repeated when the pause after the last key ends', async () => {
        const visit = await openAsUser();
        await visit.page.clock.install();
        await visit.page.clock.pauseAt(Date.now() + 60_000);
        await visit.searchField.fill('lighthouse');
        // Less than the pause together, and enough for the page to be drawn and to send its request.
        await visit.page.clock.runFor(50);
        await visit.searchField.press('Enter');
        await visit.page.clock.runFor(100);
        // The response needs real time, and its items none of the page's clock.
        const found = visit.page.locator('.results[aria-busy=false] h2', { hasText: 'lighthouse' });
        await until('the items of the search are shown', () => found.isVisible());
        await visit.card('Lighthouse at dusk').getByRole('link').click();
        await visit.page.clock.runFor(1_000);
        await visit.dialog.getByRole('button', { name: 'Download' }).waitFor();
      });

      it('has pages that the browser can go back and forth between', async () => {
        const visit = await openAsUser();
        await visit.page.getByRole('link', { name: 'Next page' }).click();
        await visit.page.getByRole('link', { name: 'Page 2', exact: true }).and(visit.page.locator('[aria-current=page]')).waitFor();
        expect(queryOf(visit)).toBe('?sort=best&page=1');
        await visit.page.locator('.results-head h2:focus').waitFor();
        await visit.page.goBack();
        await visit.page.getByRole('link', { name: 'Page 1', exact: true }).and(visit.page.locator('[aria-current=page]')).waitFor();
      });

      it('begins at its top, wherever the list before was scrolled to; whoever types or chooses stays there, on any page', async () => {
        const visit = await openAsUser('/?page=1');
        const scrolled = (): Promise<number> => visit.page.evaluate('scrollY');
        await visit.page.evaluate('scrollTo(0, 300)');
        await visit.searchField.fill('lighthouse');
        await visit.heading.filter({ hasText: '“lighthouse”' }).waitFor();
        await until('the list is shown from its top', async () => (await scrolled()) === 0);
        await visit.page.locator('.search-input:focus').waitFor();
        await visit.searchField.fill('');
        await visit.heading.filter({ hasText: /^\d+ items$/ }).waitFor();
        await visit.page.evaluate('scrollTo(0, 300)');
        await visit.page.getByText('4 stars or more').click();
        await visit.button('Remove the filter rated 4 or better').waitFor();
        await visit.page.locator('.results[aria-busy=false]').waitFor();
        expect(await scrolled()).toBeGreaterThan(0);
      });

      it('has pages that are scrolled, when one comes back to them, to where one left them, and an opened item moves none', async () => {
        const visit = await openAsUser('/?page=1');
        const scrolled = (): Promise<number> => visit.page.evaluate('scrollY');
        const first = await visit.page.locator('.card h3').first().textContent();
        await visit.page.getByRole('link', { name: 'Next page' }).scrollIntoViewIfNeeded();
        await until('the page is scrolled', async () => (await scrolled()) > 0);
        const left = await scrolled();
        await visit.page.locator('.card a').last().click();
        await visit.button('Close').click();
        await visit.dialog.waitFor({ state: 'detached' });
        expect(await scrolled()).toBe(left);
        await visit.page.getByRole('link', { name: 'Next page' }).click();
        await visit.page.locator('.results-head h2:focus').waitFor();
        expect(await scrolled()).toBe(0);
        await visit.page.goBack();
        await visit.page
          .locator('.card h3')
          .first()
          .filter({ hasText: first ?? '' })
          .waitFor();
        expect(await scrolled()).toBe(left);
        await visit.page.goto('about:blank');
        await visit.page.goBack();
        await until('the page is scrolled as it was', async () => (await scrolled()) === left);
        await visit.page.goto(`${baseUrl}/?page=2`);
        await visit.heading.filter({ hasText: /\d/ }).waitFor();
        expect(await scrolled()).toBe(0);
      });
    });

    it('a filter of a creator is named by the name that lists or facets have shown, also where no item is found', async () => {
      const visit = await openAsUser(`/?creatorId=${userId}`);
      await visit.button('Remove the filter by pixel_otter').waitFor();
      await visit.searchField.fill('Reykjavík');
      await visit.page.getByRole('link', { name: 'Search without the filters' }).waitFor();
      await visit.button('Remove the filter by pixel_otter').waitFor();
      expect(await visit.page.getByRole('group', { name: 'Creators' }).getByText('Mine').count()).toBe(1);
      const unknown = await openAsUser('/?creatorId=999999');
      await unknown.button('Remove the filter by user 999999').waitFor();
    });

    it('two facets narrow the list as far as their counts say, and the address shows the same list to others', async () => {
      const visit = await openAsUser();
      const choose = async (group: string, name: string): Promise<string> => {
        await visit.page.locator('.filters[aria-busy=false]').waitFor();
        const choice = visit.page.getByRole('group', { name: group }).locator('.choice', { hasText: name });
        const count = Number(await choice.locator('.choice-count [aria-hidden]').textContent());
        await choice.click();
        await visit.heading.filter({ hasText: new RegExp(`^${count} items$`) }).waitFor();
        return `${count} items`;
      };
      await visit.page.getByLabel('Find a tag').fill('wallp');
      await choose('Tags', 'wallpaper');
      const title = await choose('Rating', '4 stars or more');
      expect(queryOf(visit)).toBe('?tags=wallpaper&minRating=4&sort=best');
      await expectAccessible(visit);
      const other = await openAsUser(queryOf(visit));
      expect(await other.heading.textContent()).toBe(title);
      await visit.button('Remove the filter wallpaper').click();
      await visit.page.waitForURL('**/?minRating=4&sort=best');
    });

    it('a facet shows more values on request, leaves out the items of one, and dates include their last day', async () => {
      const visit = await openAsUser();
      const tags = visit.page.getByRole('group', { name: 'Tags' });
      const choices = tags.locator('.choice', { has: visit.page.locator('.choice-count') });
      await choices.nth(7).waitFor();
      expect(await choices.count()).toBe(8);
      await visit.button('More: Tags').click();
      await choices.nth(19).waitFor();
      await tags.getByText('The most frequent ones.').waitFor();
      await expectAccessible(visit);
      const total = async (query: string) => (await service.client.get(`/api/content?${query}`)).body.totalElements;
      await tags.getByRole('button', { name: 'Without recipe' }).click();
      await visit.heading.filter({ hasText: `${await total('excludeTags=recipe')} items` }).waitFor();
      const created = visit.page.getByRole('group', { name: 'Created', exact: true });
      await created.getByLabel('From').fill('2025-01-01');
      await created.getByLabel('To', { exact: true }).fill('2025-12-31');
      await visit.button('Remove the filter until Dec 31, 2025').waitFor();
      const query = 'excludeTags=recipe&createdFrom=2025-01-01&createdTo=2026-01-01';
      expect(queryOf(visit)).toBe(`?${query}&sort=best`);
      await visit.heading.filter({ hasText: `${await total(query)} items` }).waitFor();
      await expectAccessible(visit);
    });

    it('on a phone, a search that is started, or a suggestion that is chosen, leaves the field, so that the keyboard covers nothing', async () => {
      const visit = await openAsUser('/', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
      const isTyping = (): Promise<boolean> => visit.page.evaluate<boolean>(`document.activeElement.matches('.search-input')`);
      const suggestion = visit.page.locator('.suggestions').getByRole('option').first();
      for (const start of [() => visit.page.keyboard.press('Enter'), () => suggestion.tap()]) {
        await visit.page.goto(baseUrl);
        await visit.searchField.tap();
        await visit.searchField.pressSequentially('wallpa');
        await suggestion.waitFor();
        expect(await isTyping()).toBe(true);
        await start();
        await suggestion.waitFor({ state: 'detached' });
        expect(await isTyping()).toBe(false);
      }
    });

    it('on a phone, filters are a sheet that says how many items it leaves, and a button says how many filters are set', async () => {
      const visit = await openAsUser('/?tags=wallpaper', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
      await visit.button('Filters 1 set').click();
      await expectAccessible(visit);
      await visit.dialog.getByText('4 stars or more').click();
      await visit.page.waitForURL(/minRating=4/);
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      const { totalElements } = (await service.client.get('/api/content?tags=wallpaper&minRating=4')).body;
      const show = visit.dialog.getByRole('button', { name: `Show ${totalElements} items` });
      // In view without scrolling, although most filters are below it.
      expect((await show.boundingBox())?.y).toBeLessThan(640);
      await show.click();
      await visit.button('Filters 2 set').waitFor();
      await visit.heading.filter({ hasText: `${totalElements} items` }).waitFor();
      expect((await visit.page.locator('.card').first().boundingBox())?.y).toBeLessThan(400);
    });
  },
);
