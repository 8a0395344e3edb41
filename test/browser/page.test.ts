import { problemBody } from '@ugc/api/http/problem-details';
import { rebuildDue } from '@ugc/api/search/answerable';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Route } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser } from '../support/browser/browser.ts';
import { LAYOUT_SHIFT_MAX, SCREENS, unusableControls, watchLayoutShift } from '../support/browser/controls.ts';
import { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { rows } from '../support/jest/long.ts';
import { encodePng, gif, gifExtension, webpAnimated } from '../support/database/images.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Service } from '../support/processes/service.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import { readTexts, translate } from '../support/browser/translation.ts';
import { accessibilityViolations, isScrolledSideways, newVisit, startDemoService, type Visit } from '../support/browser/web-page.ts';

const PICTURE = {
  name: 'picture.png',
  mimeType: 'image/png',
  buffer: encodePng({
    width: 96,
    height: 96,
    channels: 3,
    pixels: Buffer.from(Array.from({ length: 96 * 96 * 3 }, (_, at) => (at * at) % 251)),
  }),
};

/** A BMP of one red pixel. */
const BMP = Buffer.from('424d3a0000000000000036000000280000000100000001000000010018000000000004000000000000000000000000000000000000000000ff00', 'hex'); // prettier-ignore
const KEEP_NOTES = `const { setTimeout: original } = window;
window.setTimeout = (run, ms, ...others) => ([8000, 20000].includes(ms) ? ((window.endNote = run), 0) : original(run, ms, ...others));`;
const HIDE = `Object.defineProperty(document, 'hidden', { value: true });
document.dispatchEvent(new Event('visibilitychange'));`;
const COMMENTS = Array.from({ length: 10 }, () => 'x'.repeat(255));
const DRAW = `({ side, type, clear }) => new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = canvas.getContext('2d');
  const image = context.createImageData(side, side);
  for (let at = 0; at < image.data.length; at += 65536) crypto.getRandomValues(image.data.subarray(at, at + 65536));
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = clear && at < image.data.length / 2 ? 0 : 255;
  context.putImageData(image, 0, 0);
  resolve(canvas.toDataURL(type).split(',')[1]);
})`;

describeInBrowser('the web page in a browser', () => {
  let service: Service;
  let browser: Browser;
  let proxy: ChaosProxy;
  let userId: number;
  let itemId: number;
  let baseUrl: string;
  const visits: Visit[] = [];
  /** Pictures that the page has requested and that do not exist: each is an error in the console. */
  const missing: string[] = [];
  beforeAll(async () => {
    ({ service, userId, itemId } = await startDemoService());
    proxy = await ChaosProxy.before(service.client.baseUrl);
    baseUrl = proxy.url.replace(/\/$/, '');
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await proxy.close();
    await service.stop();
  });
  afterEach(async () => {
    proxy.restore();
    for (const { page } of visits) await page.context().close();
    const watched = visits.splice(0).map((visit) => visit.watched);
    expect(watched).toEqual(watched.map(() => ({ violations: [], origins: new Set([baseUrl]), errors: [] })));
    expect(missing.splice(0)).toEqual([]);
  });

  /** Opens the page as a user, by default without a token. */
  const open = async (path = '/', options: Parameters<typeof newVisit>[1] & { token?: string } = {}): Promise<Visit> => {
    const { token, ...context } = options;
    const visit = await newVisit(browser, context);
    visits.push(visit);
    visit.page.on('response', (response) => {
      if (response.status() === 404 && response.url().endsWith('/thumbnail')) missing.push(response.url());
    });
    await visit.page.goto(baseUrl + path + (token === undefined ? '' : `#token=${token}`));
    return visit;
  };
  const openAsUser = async (path = '/', options: Parameters<typeof newVisit>[1] = {}): Promise<Visit> => {
    const visit = await open(path, { token: await tokenOf(userId), ...options });
    await visit.heading.filter({ hasText: /\d/ }).waitFor();
    return visit;
  };
  const accessible = async ({ page }: Visit): Promise<void> => expect(await accessibilityViolations(page)).toEqual([]);
  /** Notes of the page stay as long as the test needs, however slow the machine is. @returns a function that ends the newest */
  const keepNotes = async ({ page }: Visit): Promise<() => Promise<void>> => {
    await page.evaluate(KEEP_NOTES);
    return () => page.evaluate('endNote()');
  };
  const queryOf = ({ page }: Visit): string => new URL(page.url()).search;

  describe('a visitor', () => {
    it('without a token learns how to get one, and sees the collection after pasting it', async () => {
      const visit = await open();
      expect(await visit.page.getByText('npx').isVisible()).toBe(false);
      await visit.page.getByText('How to get a token').click();
      await visit.page.getByText('npx pnpm run token --user 1').waitFor();
      await accessible(visit);
      await visit.page.getByLabel('Token').fill('no token');
      await visit.button('Use this token').click();
      await visit.page.getByText('This is not the token of a user.').waitFor();
      await visit.page.getByLabel('Token').fill(`Bearer ${await tokenOf(userId)}`);
      await visit.button('Use this token').click();
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
    });

    it('with a token in the fragment sees the collection, and the token leaves the address', async () => {
      const visit = await openAsUser();
      expect(visit.page.url()).toBe(`${baseUrl}/?sort=best`);
      expect(await visit.page.getByRole('img', { name: 'Loading' }).count()).toBe(0);
      await accessible(visit);
      await visit.page.reload();
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
    });

    it('sees tags and rows of items above everything, each with all of its list, and none of them with a search', async () => {
      const visit = await openAsUser();
      await visit.page.locator('.row').getByRole('link').first().waitFor();
      // Nothing was changed, so the third row has other items, and there is no row of fewer than three.
      expect(await visit.page.locator('.row h2').allTextContents()).toEqual(['New', 'Most downloaded']);
      const { content } = (await service.client.list({ sort: 'downloadsCount,desc', size: 1 })).body;
      await visit.page.getByRole('region', { name: 'Most downloaded' }).getByRole('link', { name: content[0]?.name ?? '', exact: true }).waitFor(); // prettier-ignore
      await visit.page.getByRole('link', { name: 'All: Most downloaded' }).click();
      await visit.page.waitForURL(/sort=downloadsCount/);
      expect(await visit.page.locator('.row').count()).toBe(0);
      await visit.page.goBack();
      await visit.page.locator('.front-tags a').first().click();
      await visit.page.waitForURL(/tags=/);
    });

    it('sees 24 different pictures on the first page, whichever order of all collections they choose', async () => {
      const visit = await openAsUser();
      expect(await visit.page.locator('.card').count()).toBe(24);
      const sorts = await visit.page.evaluate<string[]>(`[...document.querySelectorAll('.sort option')].map(({ value }) => value)`);
      expect(sorts).toContain('best');
      for (const sort of sorts.filter((each) => !each.startsWith('fields.'))) {
        const { content } = (await service.client.list({ size: 24, sort })).body;
        const pictures = content.map(async ({ contentId }) => (await service.client.get(`/api/content/${contentId}/thumbnail`)).text);
        expect([sort, new Set(await Promise.all(pictures)).size]).toEqual([sort, 24]);
      }
    });

    it('who follows a link with the token of another user decides who they are', async () => {
      const visit = await openAsUser();
      const other = await tokenOf(userId + 1);
      await visit.page.goto(`${baseUrl}/#token=${other}`);
      await visit.dialog.getByText('You are pixel_otter.').waitFor();
      await visit.page.waitForURL(`${baseUrl}/?sort=best`);
      await accessible(visit);
      await visit.dialog.getByText(`a token of user ${userId + 1}`).waitFor();
      await visit.button('Stay').click();
      await visit.button('pixel_otter').waitFor();
      await visit.page.goto(`${baseUrl}/#token=${other}`);
      await visit.button('Become the other user').click();
      const { username } = (await service.client.get('/api/users/me', userId + 1)).body;
      await visit.button(username).waitFor();
    });

    it('opens an item in a new tab without a token, as long as another tab has one, and signs in to and out of both', async () => {
      const visit = await openAsUser();
      const other = await visit.page.context().newPage();
      await other.goto(`${baseUrl}/?item=${itemId}`);
      await other.getByRole('heading', { name: 'Lighthouse at dusk', level: 2 }).waitFor();
      // Any script of the origin reads that, also later.
      expect(await other.evaluate('Object.keys(localStorage)')).toEqual(['front-rows']);
      await other.goto(`${baseUrl}/#token=${await tokenOf(userId, { exp: Math.floor(Date.now() / 1_000) - 60 })}`);
      const question = other.getByRole('dialog', { name: 'Your token is no longer valid' });
      await question.getByRole('button', { name: 'Close' }).click();
      await other.getByText('To see it, you need a token').waitFor();
      await visit.button('pixel_otter').waitFor();
      expect(await visit.page.evaluate('sessionStorage.token')).toEqual(expect.any(String));
      await other.goto(`${baseUrl}/?item=${itemId}`);
      await other.getByRole('heading', { name: 'Lighthouse at dusk', level: 2 }).waitFor();
      await visit.button('pixel_otter').click();
      await visit.button('Forget the token').waitFor();
      await accessible(visit);
      await visit.button('Forget the token').click();
      await visit.page.getByLabel('Token').waitFor();
      await other.getByLabel('Token').waitFor();
      await other.reload();
      await other.getByText('The item of your link opens then.').waitFor();
      await other.getByLabel('Token').fill(await tokenOf(userId));
      await other.getByRole('button', { name: 'Use this token' }).click();
      await other.getByRole('heading', { name: 'Lighthouse at dusk', level: 2 }).waitFor();
      await visit.heading.filter({ hasText: '500 items' }).waitFor();
    });

    it('sees where the search field and the items will be before the script and the styles are loaded', async () => {
      const visit = await open('/nosuch');
      await visit.page.route(/\/assets\//, () => undefined);
      await visit.page.goto(baseUrl, { waitUntil: 'commit' });
      await visit.page.getByRole('img', { name: 'Loading' }).waitFor();
      await visit.page.unroute(/\/assets\//);
    });

    it('learns when a part of the page cannot be loaded, and reloads the page to see it', async () => {
      const visit = await open('/nosuch');
      await visit.page.route(/later-parts/, (route) => route.abort());
      await visit.page.goto(`${baseUrl}/#token=${await tokenOf(userId)}`);
      await visit.button('Upload').click();
      await visit.dialog.getByText('This part of the page could not be loaded.').waitFor();
      await accessible(visit);
      await visit.page.unroute(/later-parts/);
      await visit.dialog.getByRole('button', { name: 'Reload the page' }).click();
      await visit.dialog.getByLabel('Name').waitFor();
    });

    it('who opens a path that does not exist finds the collection from there', async () => {
      const visit = await open('/no/such/page');
      await accessible(visit);
      await visit.page.getByRole('link', { name: 'Go to the collection' }).click();
      await visit.page.getByLabel('Token').waitFor();
      expect(visit.page.url()).toBe(`${baseUrl}/`);
    });

    it('whose token has expired keeps what they typed and continues with a new token', async () => {
      const visit = await open('/?form=upload', { token: await tokenOf(userId) });
      await visit.dialog.getByLabel('Name').fill('Typed before the token expired');
      const expired = `Bearer ${await tokenOf(userId, { exp: Math.floor(Date.now() / 1_000) - 60 })}`;
      // The list, the facets and the thumbnails may still be read, and would be refused before the upload.
      await visit.page.route('**', (route, request) =>
        request.method() === 'GET' ? route.continue() : route.continue({ headers: { ...request.headers(), authorization: expired } }),
      );
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      const question = visit.page.getByRole('dialog', { name: 'Your token is no longer valid' });
      await question.waitFor();
      await visit.page.unroute('**');
      await accessible(visit);
      await question.getByLabel('Token').fill(await tokenOf(userId));
      await question.getByRole('button', { name: 'Use this token' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed before the token expired');
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });
  });

  it('where the service or a proxy refuses reads, pictures are read again with a new token, and other refusals leave the user alone', async () => {
    const visit = await openAsUser('/?prompt=lighthouse');
    const expired = `Bearer ${await tokenOf(userId, { exp: Math.floor(Date.now() / 1_000) - 60 })}`;
    const badGateway = { status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' };
    let pictures = 0;
    await visit.page.route('**/thumbnail', (route, request) => {
      if ((pictures += 1) === 1) return route.fulfill(badGateway);
      return route.continue({ headers: { ...request.headers(), authorization: expired } });
    });
    await visit.page.reload();
    const question = visit.page.getByRole('dialog', { name: 'Your token is no longer valid' });
    await question.getByLabel('Token').fill(await tokenOf(userId));
    await visit.page.unroute('**/thumbnail');
    await question.getByRole('button', { name: 'Use this token' }).click();
    await visit.card('Lighthouse at dusk').locator('img').waitFor();
    await visit.card('Dice tower shaped like a lighthouse').locator('img').waitFor();
    await visit.page.route(/api\/content\?prompt=script/, (route) => route.fulfill({ status: 403, body: 'forbidden' }));
    await visit.searchField.fill('script');
    await visit.page.getByText('The service responded with 403.').waitFor();
    expect(await visit.dialog.count()).toBe(0);
    await visit.page.route(/api\/content\?prompt=gateway/, (route) =>
      route.fulfill({ status: 503, json: { message: 'Unavailable', errors: {} } }),
    );
    await visit.searchField.fill('gateway');
    await visit.page.getByText('The service responded with 503.').waitFor();
  });

  it('says which filter waits for a rebuild of the index, as no outage, and shows the list again without it', async () => {
    const visit = await openAsUser();
    const due = problemBody(rebuildDue(['minDownloads']), '/api/content', 'id');
    await visit.page.route(/api\/content\?.*minDownloads/, (route) => route.fulfill({ status: due.status, json: due }));
    await visit.page.goto(`${new URL(visit.page.url()).origin}/?prompt=lighthouse&minDownloads=5`);
    await visit.page.getByText('minDownloads is not in the search index yet').waitFor();
    expect(await visit.page.getByText('The page tries again by itself').count()).toBe(0);
    await visit.page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await visit.card('Lighthouse at dusk').waitFor();
    expect(await visit.page.getByText('is not in the search index yet').count()).toBe(0);
  });

  describe('a search', () => {
    it('shows items while one types, with suggestions, and marks what matches', async () => {
      const visit = await openAsUser();
      await visit.searchField.pressSequentially('lightho');
      await visit.page.getByRole('option', { name: 'Lighthouse at dusk' }).waitFor();
      await visit.heading.filter({ hasText: '“lightho”' }).waitFor();
      await accessible(visit);
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
      await accessible(visit);
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
        await accessible(visit);
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
      await accessible(visit);
    });

    it('with a misspelt word says what was corrected, and can be repeated as it was written', async () => {
      const visit = await openAsUser('/?prompt=lighthuose');
      await visit.card('Lighthouse at dusk').waitFor();
      await visit.page.getByText('Showing lighthouse instead of “lighthuose”.').waitFor();
      await accessible(visit);
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
        await accessible(visit);
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
        await accessible(visit);
        await visit.page.locator('.card a').first().click();
        await visit.dialog.getByText('Similar items').waitFor();
        await visit.button('Close').click();
        await visit.page.getByText('Nothing matches “qwxyzzy”.').waitFor();
      });

      it('because nothing has been uploaded says so, whatever is searched for, and leads to an upload', async () => {
        const visit = await openAsUser();
        const empty = { content: [], totalElements: 0, totalPages: 0, number: 0, size: 24 };
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
      const count = parseInt((await choice.locator('.choice-count').textContent()) ?? '', 10);
      await choice.click();
      await visit.heading.filter({ hasText: new RegExp(`^${count} items$`) }).waitFor();
      return `${count} items`;
    };
    await visit.page.getByLabel('Find a tag').fill('wallp');
    await choose('Tags', 'wallpaper');
    const title = await choose('Rating', '4 stars or more');
    expect(queryOf(visit)).toBe('?tags=wallpaper&minRating=4&sort=best');
    await accessible(visit);
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
    await accessible(visit);
    const total = async (query: string) => (await service.client.get(`/api/content?${query}`)).body.totalElements;
    await tags.getByRole('button', { name: 'Without recipe' }).click();
    await visit.heading.filter({ hasText: `${await total('excludeTags=recipe')} items` }).waitFor();
    const created = visit.page.getByRole('group', { name: 'Created', exact: true });
    await created.getByLabel('From').fill('2025-01-01');
    await created.getByLabel('To', { exact: true }).fill('2025-12-31');
    await visit.button('Remove the filter until 2025-12-31').waitFor();
    const query = 'excludeTags=recipe&createdFrom=2025-01-01&createdTo=2026-01-01';
    expect(queryOf(visit)).toBe(`?${query}&sort=best`);
    await visit.heading.filter({ hasText: `${await total(query)} items` }).waitFor();
    await accessible(visit);
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
    await accessible(visit);
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

  it('lets a moderator hide an item with a reason, its creator read both, and the moderator show it again', async () => {
    const name = 'Unwanted lighthouse';
    const id = await service.client.upload({ name, creatorId: userId, data: 'x' }, userId);
    await service.indexed();
    const moderator = await open(`/?item=${id}`, { token: await tokenOf(userId + 1, { scope: 'content:moderate' }) });
    await moderator.dialog.getByRole('button', { name: 'Hide' }).click();
    await moderator.dialog.getByRole('button', { name: 'Hide it' }).click();
    await moderator.dialog.getByRole('alert').filter({ hasText: 'Enter a reason.' }).waitFor();
    await moderator.dialog.getByLabel('Reason').fill('The picture is that of another site.');
    await accessible(moderator);
    await moderator.dialog.getByRole('button', { name: 'Hide it' }).click();
    await moderator.dialog.getByText('The picture is that of another site.').waitFor();
    const creator = await openAsUser();
    await creator.button('pixel_otter').click();
    await creator.page.evaluate('window.isSamePage = true');
    await creator.dialog.getByRole('link', { name: 'Hidden items' }).click();
    await creator.heading.filter({ hasText: '1 hidden item' }).waitFor();
    expect(await creator.page.evaluate('isSamePage')).toBe(true);
    await accessible(creator);
    await creator.card(name).getByRole('link').click();
    await creator.dialog.getByText('The picture is that of another site.').waitFor();
    await accessible(creator);
    expect(await creator.dialog.getByRole('button').allTextContents()).toEqual(['', 'Download', 'Delete']);
    await moderator.dialog.getByRole('button', { name: 'Show' }).click();
    await moderator.dialog.getByRole('button', { name: 'Show it' }).click();
    await moderator.dialog.getByRole('button', { name: 'Hide' }).waitFor();
    expect((await service.client.get(`/api/content/${id}`, userId + 2)).status).toBe(200);
    await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
    await service.indexed();
  });

  describe('an upload', () => {
    it('with a picture is in the list when its form closes', async () => {
      const visit = await openAsUser('/?prompt=lighthouse');
      await keepNotes(visit);
      await visit.button('Upload').click();
      await visit.dialog.getByLabel('Name').fill('Tide pools at noon');
      await visit.dialog.getByLabel('Picture').setInputFiles(PICTURE);
      await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
      await visit.dialog.getByLabel('Tags').fill('tide, pools,');
      await accessible(visit);
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await visit.dialog.waitFor({ state: 'detached' });
      await visit.card('Tide pools at noon').locator('img').waitFor();
      expect(await visit.page.locator('.card').first().locator('.tag').allTextContents()).toEqual(['tide', 'pools']);
      await visit.page.getByText('“Tide pools at noon” is in the list.').waitFor();
      await accessible(visit);
      await visit.page.getByRole('link', { name: 'Show it' }).click();
      await visit.dialog.getByRole('heading', { name: 'Tide pools at noon' }).waitFor();
    });

    it('takes its content from a text file, chosen or dropped, and says what is wrong with another file', async () => {
      const visit = await openAsUser('/?form=upload');
      const content = visit.dialog.getByLabel('Content');
      const file = visit.dialog.getByLabel('Text file');
      const choose = (name: string, buffer: Buffer) => file.setInputFiles({ name, mimeType: 'text/plain', buffer });
      await content.fill('typed');
      await visit.dialog.getByText('a text file in UTF-8 with at most 262,144 characters').waitFor();
      for (const [bytes, reason] of [
        [Buffer.from('Zoë', 'latin1'), 'is a text file in another encoding than UTF-8'],
        [Buffer.from([0, 1, 2]), 'is not a text file.'],
      ] as const) {
        await choose('other.bin', bytes);
        await visit.dialog
          .getByRole('alert')
          .filter({ hasText: `“other.bin” ${reason}` })
          .waitFor();
        await choose('long.txt', Buffer.from('ü'.repeat(262_145)));
        const tooLarge = '“long.txt” is too large: the content may have at most 262,144 characters.';
        await visit.dialog.getByRole('alert').filter({ hasText: tooLarge }).waitFor();
      }
      expect(await content.inputValue()).toBe('typed');
      await accessible(visit);
      await choose('longest.txt', Buffer.from('🦦'.repeat(262_144)));
      await until('the content is that of the file', async () => (await content.inputValue()) === '🦦'.repeat(262_144));
      expect(await visit.dialog.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
      const dropped = await visit.page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['Zoë 🦦'], 'dropped.txt'));
        return transfer;
      })()`);
      await content.dispatchEvent('drop', { dataTransfer: dropped });
      await until('the content is that of the dropped file', async () => (await content.inputValue()) === 'Zoë 🦦');
      await visit.dialog.getByText('Downloads are called dropped.txt.').waitFor();
      await visit.dialog.getByLabel('Name').fill('From a file');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await visit.card('From a file').waitFor();
      const [stored] = (await service.client.list({ prompt: '"From a file"', include: 'fileName' })).body.content;
      expect(stored).toMatchObject({ data: 'Zoë 🦦', fileName: 'dropped.txt' });
    });

    it('that is not valid shows each error at its field and loses nothing', async () => {
      const visit = await openAsUser('/?form=upload');
      await visit.dialog.getByLabel('Description').fill('A description');
      await visit.dialog.getByLabel('Version', { exact: true }).fill('many');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      const name = visit.dialog.getByLabel('Name');
      await visit.dialog.locator('[aria-invalid=true]').first().waitFor();
      await visit.dialog.locator(`[id="${await name.getAttribute('aria-describedby')}"]`, { hasText: 'Enter a name.' }).waitFor();
      await visit.dialog.locator(`[id="${await name.getAttribute('id')}"]:focus`).waitFor();
      expect(await visit.dialog.locator('.field:has([aria-invalid=true]) > label').allTextContents()).toEqual(['Name', 'Version']);
      expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('A description');
      await accessible(visit);
      await name.fill('A name');
      expect(await visit.dialog.locator('[aria-invalid=true]').count()).toBe(1);
      await visit.dialog.getByLabel('Version', { exact: true }).fill('2');
      await visit.dialog.getByText('Some fields are not right yet.').waitFor({ state: 'detached' });
    });

    it('that is closed or loaded again keeps what was typed, and says so, until it is cancelled', async () => {
      const visit = await openAsUser('/?form=upload');
      await visit.dialog.getByLabel('Name').fill('A draft');
      await visit.dialog.getByLabel('Picture').setInputFiles(PICTURE);
      await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
      await visit.page.keyboard.press('Escape');
      await visit.page.getByText('Your draft is kept.').waitFor();
      await accessible(visit);
      await visit.button('Upload').click();
      await visit.dialog.getByText('Your draft is kept.').first().waitFor();
      await visit.page.reload();
      await visit.dialog.getByText('“Cancel” discards it.').waitFor();
      await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('A draft');
      expect(await visit.page.evaluate('sessionStorage.drafts')).not.toContain(await visit.page.evaluate<string>('sessionStorage.token'));
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      await visit.button('Upload').click();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('');
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      expect(await visit.page.getByText('Your draft is kept.').count()).toBe(0);
    });

    it('whose form is closed or changed while it is sent keeps what was typed since, and leaves the page as it is', async () => {
      const visit = await openAsUser('/?form=upload');
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await visit.page.route('**/content', async (route) => {
        await isReleased;
        const response = await route.fetch();
        // As of an item that is indexed, and not in lists before the next refresh.
        const { 'preference-applied': _, ...headers } = response.headers();
        await route.fulfill({ response, headers });
      });
      await visit.dialog.getByLabel('Name').fill('Sent at once');
      await visit.dialog.getByLabel('Description').fill('A description');
      await visit.dialog.getByLabel('Content').first().fill('Some content');
      const sent = visit.page.waitForRequest((request) => request.method() === 'POST');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await sent;
      await visit.dialog.getByLabel('Name').fill('Typed meanwhile');
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      const left = queryOf(visit);
      release();
      await visit.page.getByText('“Sent at once” is stored. It will be in the list soon.').waitFor();
      expect(queryOf(visit)).toBe(left);
      await visit.button('Upload').click();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed meanwhile');
      const second = visit.page.waitForRequest((request) => request.method() === 'POST');
      const { promise: isSecondReleased, resolve: releaseSecond } = Promise.withResolvers<void>();
      await visit.page.route('**/content', async (route) => {
        await isSecondReleased;
        await route.fallback();
      });
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await second;
      await visit.dialog.getByLabel('Name').fill('Typed in the end');
      releaseSecond();
      await visit.dialog.waitFor({ state: 'detached' });
      await visit.page.getByText('Your draft is kept.').waitFor();
      expect(queryOf(visit)).toBe('?sort=createdAt%2Cdesc');
      await visit.button('Upload').click();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed in the end');
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    it('that fails after its form was closed says so, and keeps what was typed', async () => {
      const visit = await openAsUser('/?form=upload');
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await visit.page.route('**/content', async (route) => {
        await isReleased;
        await route.abort();
      });
      await visit.dialog.getByLabel('Name').fill('Not stored');
      const sent = visit.page.waitForRequest((request) => request.method() === 'POST');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await sent;
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      await visit.page.getByText('Your draft is kept.').waitFor();
      release();
      await visit.page.getByText('Saving failed. The service does not respond.').waitFor();
      await visit.button('Upload').click();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Not stored');
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    it('whose page is left before the response is sent again with the same key when the page is loaded again', async () => {
      const visit = await openAsUser('/?form=upload');
      const keys: (string | undefined)[] = [];
      await visit.page.route('**/content', (route) => {
        keys.push(route.request().headers()['idempotency-key']);
        // The first response never arrives, although the item is stored.
        return keys.length === 1 ? route.fetch().then(() => undefined) : route.fallback();
      });
      await visit.dialog.getByLabel('Name').fill('Sent and left');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await until('it is sent', () => keys.length === 1);
      await visit.page.reload();
      await visit.page.getByText('“Sent and left” is').waitFor();
      await visit.dialog.waitFor({ state: 'detached' });
      expect(keys).toEqual([keys[0], keys[0]]);
      await visit.button('Upload').click();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('');
    });

    it('that was refused, or was sent long ago, is not sent again without a click', async () => {
      const visit = await openAsUser('/?form=upload');
      let count = 0;
      await visit.page.route('**/content', (route) => {
        count += 1;
        return count === 1 ? route.fulfill({ status: 500, body: '' }) : undefined;
      });
      await visit.dialog.getByLabel('Name').fill('Sent long ago');
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await visit.dialog.getByText('The service responded with 500.').first().waitFor();
      await visit.page.reload();
      await visit.dialog.getByText('“Cancel” discards it.').waitFor();
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await until('it is sent again', () => count === 2);
      await visit.page.clock.setFixedTime(Date.now() + 3_600_000);
      await visit.page.reload();
      await visit.dialog.getByText('“Cancel” discards it.').waitFor();
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(count).toBe(2);
    });

    it('of an edit whose page is left before the response is sent again', async () => {
      const id = await service.client.upload({ name: 'Before it is left' }, userId);
      const visit = await openAsUser(`/?item=${id}&form=edit`);
      let count = 0;
      await visit.page.route(`**/content/${id}`, (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        count += 1;
        return count === 1 ? undefined : route.fallback();
      });
      await visit.dialog.getByLabel('Name').fill('After it is left');
      await visit.dialog.getByRole('button', { name: 'Save' }).click();
      await until('it is sent', () => count === 1);
      await visit.page.reload();
      await visit.dialog.getByRole('heading', { name: 'After it is left' }).waitFor();
      expect(count).toBe(2);
    });

    it('of an edit is kept for its item and its user', async () => {
      const id = await service.client.upload({ name: 'Before the edit' }, userId);
      const visit = await openAsUser(`/?item=${id}&form=edit`);
      await visit.dialog.getByLabel('Description').fill('Half a descrip');
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      await visit.page.getByText('Your draft is kept.').waitFor();
      await visit.page.goto(`${baseUrl}/?item=${id}&form=edit#token=${await tokenOf(userId + 1)}`);
      await visit.button('Become the other user').click();
      await visit.page.goto(`${baseUrl}/?form=upload`);
      await visit.page.goto(`${baseUrl}/?item=${id}&form=edit`);
      await until('the form is empty', async () => (await visit.dialog.getByLabel('Description').inputValue()) === '');
      await visit.page.goto(`${baseUrl}/?item=${id}&form=edit#token=${await tokenOf(userId)}`);
      await visit.button('Become the other user').click();
      await visit.page.reload();
      await visit.dialog.getByText('Your draft is kept.').first().waitFor();
      expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('Half a descrip');
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    it('adds no tag by the Enter that ends a word of an input method, and needs no completions', async () => {
      const visit = await openAsUser('/?form=upload');
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      await visit.page.route(/api\/content\/facets/, (route) => route.fulfill({ status: 500, body: '' }));
      const tags = visit.dialog.getByRole('combobox', { name: 'Tags' });
      const failed = visit.page.waitForResponse(/api\/content\/facets/);
      await tags.fill('ピクセル');
      await failed;
      for (const ending of [{ isComposing: true }, { keyCode: 229 }]) await tags.dispatchEvent('keydown', { key: 'Enter', ...ending });
      expect(await tags.inputValue()).toBe('ピクセル');
      await tags.fill('ピクセルアート');
      await tags.press('Enter');
      expect(await visit.dialog.locator('.chip').allTextContents()).toEqual(['ピクセルアート']);
      // Nothing that the page repeats has failed.
      expect(await visit.page.getByText('The page tries again by itself').count()).toBe(0);
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    it('completes a tag with those of the collection, in whatever spelling, and while a syllable is typed', async () => {
      await service.client.upload({ name: '두부 조림', tags: ['두부'] }, userId);
      await service.indexed();
      const visit = await openAsUser('/?form=upload');
      const tags = visit.dialog.getByRole('combobox', { name: 'Tags' });
      await tags.pressSequentially('board_g');
      await visit.dialog.getByRole('listbox').getByRole('option', { name: 'board-game' }).waitFor();
      await accessible(visit);
      await tags.press('ArrowDown');
      await tags.press('Enter');
      expect(await tags.inputValue()).toBe('');
      await tags.pressSequentially('rec');
      await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).waitFor();
      await tags.press('Escape');
      await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).waitFor({ state: 'hidden' });
      await tags.pressSequentially('i');
      await visit.dialog.getByRole('listbox').getByRole('option', { name: 'recipe' }).click();
      for (const typed of ['ㄷ', '두', '둡']) {
        await tags.fill(typed);
        await visit.dialog.getByRole('listbox').getByRole('option', { name: '두부' }).waitFor();
        await tags.fill('');
        await visit.dialog.getByRole('listbox').getByRole('option', { name: '두부' }).waitFor({ state: 'hidden' });
      }
      expect(await visit.dialog.locator('.chip').allTextContents()).toEqual(['board-game', 'recipe']);
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
    });

    describe('with a picture', () => {
      /** What the browser makes of a canvas of noise, of which half is transparent if it is `clear`. */
      const drawn = async ({ page }: Visit, { side = 40, type = 'image/png', clear = false }): Promise<Buffer> => {
        const base64 = await page.evaluate<string>(`(${DRAW})(${JSON.stringify({ side, type, clear })})`);
        return Buffer.from(base64, 'base64');
      };
      const choose = (visit: Visit, name: string, buffer: Buffer) =>
        visit.dialog.getByLabel('Picture').setInputFiles({ name, mimeType: '', buffer });
      const stored = async (visit: Visit, name: string): Promise<{ type: string | null; bytes: Buffer }> => {
        await visit.dialog.getByLabel('Name').fill(name);
        await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
        await visit.dialog.getByRole('button', { name: 'Upload' }).click();
        await visit.card(name).locator('img').waitFor();
        const [item] = (await service.client.list({ prompt: `"${name}"` })).body.content;
        const path = `${service.client.baseUrl}/api/content/${item?.contentId}/thumbnail`;
        const response = await fetch(path, { headers: { authorization: `Bearer ${await tokenOf(userId)}` } });
        return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
      };

      it.each([
        ['a photo becomes a smaller JPEG', { clear: false }, 'image/jpeg'],
        ['with transparency becomes a smaller WebP', { clear: true }, 'image/webp'],
      ])('that is too large: %s', async (_, options, type) => {
        const visit = await openAsUser('/?form=upload');
        // Noise does not compress, so a PNG of it is larger than the limit.
        const large = await drawn(visit, { side: 1_700, ...options });
        await choose(visit, 'large.png', large);
        await visit.dialog.getByText('Made smaller:').waitFor();
        await accessible(visit);
        expect(await stored(visit, `Large ${type}`)).toMatchObject({ type });
      });

      it('that the API does not accept is converted if the browser can read it, whatever its size', async () => {
        const visit = await openAsUser('/?form=upload');
        await choose(visit, 'small.bmp', BMP);
        expect((await stored(visit, 'Small BMP')).type).toBe('image/jpeg');
        await visit.button('Upload').click();
        await choose(visit, 'small.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>'));
        expect((await stored(visit, 'Small SVG')).type).toBe('image/webp');
      });

      it('that is small enough is sent as it is; one that loses its animation says so before', async () => {
        const visit = await openAsUser('/?form=upload');
        const tooLarge = gif({ frames: 2, extensions: Array.from({ length: 300 }, () => gifExtension(0xfe, ...COMMENTS)) });
        await choose(visit, 'large.gif', tooLarge);
        await visit.dialog.getByText('Its animation is lost: only the first frame is kept.').waitFor();
        await choose(visit, 'small.gif', gif({ frames: 2 }));
        await visit.dialog.getByText('Its animation is lost').waitFor({ state: 'detached' });
        expect(await stored(visit, 'Small GIF')).toEqual({ type: 'image/gif', bytes: gif({ frames: 2 }) });
      });

      it('that cannot be read is an error at its field at once, until another one is chosen', async () => {
        const visit = await openAsUser('/?form=upload');
        const picture = visit.dialog.getByLabel('Picture');
        await choose(visit, 'photo.heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1'));
        await visit.dialog.getByText('“photo.heic” has the format HEIC, which this browser cannot show.').first().waitFor();
        for (const buffer of [Buffer.from('no picture'), PICTURE.buffer.subarray(0, 400), Buffer.alloc(0)]) {
          await choose(visit, 'broken.png', buffer);
          await visit.dialog.getByText('“broken.png” is broken, or is not a picture that this browser can read.').first().waitFor();
          expect(await picture.getAttribute('aria-invalid')).toBe('true');
          await accessible(visit);
          await picture.setInputFiles(PICTURE);
          await visit.dialog.locator('[type=file][aria-invalid=false]').first().waitFor();
          await visit.dialog.getByAltText('The picture as it will be shown').waitFor();
        }
      });
    });
  });

  describe('an item', () => {
    it('can be rated by others, who see the rating at once and on their next visit', async () => {
      const id = await service.client.upload({ name: 'To be rated' }, userId + 1);
      const visit = await openAsUser(`/?item=${id}`);
      await visit.dialog.getByText('Not rated').waitFor();
      await visit.dialog.getByRole('button', { name: '4 stars' }).click();
      await visit.dialog.getByText('1 rating').waitFor();
      await accessible(visit);
      expect((await service.client.get(`/api/content/${id}`)).body.avgRating).toBe(4);
      const next = await openAsUser(`/?item=${id}`);
      await next.dialog.locator('[aria-label="4 stars"][aria-pressed=true]').waitFor();
      await next.dialog.getByRole('button', { name: 'Remove' }).click();
      await next.dialog.getByText('Not rated').waitFor();
    });

    it('cannot be rated by its creator, who can remove a rating of earlier times', async () => {
      const id = await service.client.upload({ name: 'Rated by its creator' }, userId);
      const visit = await openAsUser(`/?item=${id}`);
      await visit.dialog.getByText('Not rated').waitFor();
      expect(await visit.dialog.getByRole('group', { name: 'Your rating' }).count()).toBe(0);
      await service.database.query('insert into rating (content_id, user_id, score) values ($1, $2, 5)', [id, userId]);
      await service.database.query('update content set rating_sum = 5, rating_count = 1, revision = revision + 1 where content_id = $1', [
        id,
      ]);
      await visit.page.reload();
      await visit.dialog.getByText('You rated it with 5 stars.').waitFor();
      expect(await visit.dialog.getByRole('button', { name: 'stars' }).count()).toBe(0);
      await accessible(visit);
      await visit.dialog.getByRole('button', { name: 'Remove' }).click();
      await visit.dialog.getByText('Not rated').waitFor();
    });

    it('shows its content as text, its picture large, and of its description lists, bold text, and the pages that it names as links', async () => {
      const { mimeType, buffer } = PICTURE;
      const id = await service.client.upload(
        {
          name: 'With a content',
          description: 'See https://example.org/a_(b), not javascript:alert(1)\n\n- **Bold** <i>text</i>\n- [b](https://example.org/b)',
          data: '<b>x</b>\n'.repeat(4_000),
          thumbnail: `data:${mimeType};base64,${buffer.toString('base64')}`,
        },
        userId,
      );
      const visit = await openAsUser(`/?item=${id}`);
      const link = visit.dialog.getByRole('link', { name: 'https://example.org/a_(b)' });
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
      await visit.dialog.locator('.item-description li > strong', { hasText: /^Bold$/ }).waitFor();
      expect(await visit.dialog.locator('.item-description a').count()).toBe(2);
      await visit.dialog.getByText(' <i>text</i>').waitFor();
      expect(await visit.dialog.locator('pre').count()).toBe(0);
      await visit.dialog.getByText('36 kB').click();
      await visit.dialog.locator('pre', { hasText: '<b>x</b>' }).waitFor();
      await visit.dialog.getByText('These are the first 20,000 characters. The download has all of them.').waitFor();
      await accessible(visit);
      await visit.button('Show the picture large').click();
      await visit.page.getByAltText('The picture of With a content').waitFor();
      await accessible(visit);
      await visit.page.keyboard.press('Escape');
      await visit.page.getByAltText('The picture of With a content').waitFor({ state: 'detached' });
      await visit.page.locator('[aria-label="Show the picture large"]:focus').waitFor();
    });

    it.each([
      ['the facts', { createdAt: 'no time' }],
      ['the description', { description: 7 }],
      ['the tags', { tags: 7 }],
      ['the content', { data: 7 }],
    ])('keeps its buttons and its other parts when %s cannot be shown', async (_, broken) => {
      const visit = await openAsUser();
      await visit.page.route(`**/api/content/${itemId}?*`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...broken } });
      });
      await visit.card('Lighthouse at dusk').getByRole('link').click();
      await visit.button('Delete').waitFor();
      if ('data' in broken) await visit.dialog.getByText('Content').click();
      await visit.dialog.getByText('This part cannot be shown.').waitFor();
      await visit.dialog.getByRole('heading', { name: 'Similar items' }).waitFor();
      await accessible(visit);
      await visit.button('Delete').click();
      await visit.button('Keep it').waitFor();
      expect(visit.watched.errors.splice(0)).toHaveLength(1);
    });

    it('that cannot be shown in the list keeps no other item from being shown', async () => {
      const visit = await openAsUser('/?prompt=lighthouse');
      const cards = await visit.page.locator('.card').count();
      await visit.page.route('**/api/content?*', async (route) => {
        const response = await route.fetch();
        const page = await response.json();
        await route.fulfill({ response, json: { ...page, content: [{ ...page.content[0], tags: 7 }, ...page.content.slice(1)] } });
      });
      await visit.page.reload();
      await visit.page.locator('.card', { hasText: 'This part cannot be shown.' }).waitFor();
      expect(await visit.page.locator('.card a').count()).toBe(cards - 1);
      await accessible(visit);
      expect(visit.watched.errors.splice(0)).toHaveLength(1);
    });

    it('has a link to itself alone, which can be copied', async () => {
      const visit = await openAsUser(`/?prompt=lighthouse&item=${itemId}`);
      await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await visit.button('Copy link').click();
      await visit.dialog.getByText('The link is copied.').waitFor();
      expect(await visit.page.evaluate('navigator.clipboard.readText()')).toBe(`${baseUrl}/?item=${itemId}`);
    });

    it('leads to the items before and after it in the list, by buttons and arrow keys, and closing it to the list', async () => {
      const visit = await openAsUser('/?sort=name,asc');
      const names = await visit.page.locator('.card h3').allTextContents();
      const shows = (name: string | undefined) => visit.dialog.getByRole('heading', { name, exact: true, level: 2 }).waitFor();
      await visit.page.locator('.card a').nth(22).click();
      await shows(names[22]);
      expect(await visit.dialog.getByRole('button', { name: 'Previous item' }).count()).toBe(1);
      await visit.dialog.getByRole('button', { name: 'Next item' }).click();
      await shows(names[23]);
      await visit.page.keyboard.press('ArrowRight');
      await visit.page.waitForURL(/page=1/);
      await visit.dialog.getByText(/version \d/).waitFor();
      await visit.page.locator('.results[aria-busy=false]').waitFor();
      await visit.page.keyboard.press('ArrowLeft');
      await shows(names[23]);
      await accessible(visit);
      await visit.page.keyboard.press('Escape');
      await visit.dialog.waitFor({ state: 'detached' });
      expect(queryOf(visit)).toBe('?sort=name%2Casc');
    });

    /** Asks for the item on the next page, closes the item before it is answered, and opens another one afterwards. */
    async function leaveBeforeAnswer({ page, dialog }: Visit, answer: (route: Route) => Promise<void>): Promise<void> {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await page.route(/api\/content\?.*page=1/, async (route) => {
        await isReleased;
        await answer(route);
      });
      await page.locator('.card a').last().click();
      const asked = page.waitForRequest(/api\/content\?.*page=1/);
      await dialog.getByRole('button', { name: 'Next item' }).click();
      await asked;
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
      const late = page.waitForResponse(/api\/content\?.*page=1/);
      release();
      await (await late).finished();
      await page.locator('.card a').first().click();
      await dialog.getByText(/version \d/).waitFor();
    }

    it('on the next page is not opened any more once one has closed the item before it, and its failure is not told', async () => {
      const visit = await openAsUser('/?sort=name,asc');
      await leaveBeforeAnswer(visit, (route) => route.continue());
      expect(queryOf(visit)).not.toContain('page=1');
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      await leaveBeforeAnswer(visit, (route) => route.fulfill({ status: 500, body: '' }));
      expect(await visit.page.getByText('The service responded with 500.').count()).toBe(0);
    });

    it('has room as on a page, leads to more of its creator, and is closed by a click that begins and ends beside it', async () => {
      const visit = await openAsUser('/?prompt=lighthouse', { viewport: { width: 1440, height: 900 } });
      await visit.card('Lighthouse at dusk').getByRole('link').click();
      const more = visit.dialog.getByRole('region', { name: 'More by pixel_otter' });
      const name = (await more.getByRole('link').nth(1).textContent()) ?? '';
      const picture = await visit.button('Show the picture large').boundingBox();
      const text = await visit.dialog.locator('.item-text').boundingBox();
      expect((picture?.width ?? 0) / (picture?.height ?? 1)).toBeCloseTo(1.5, 1);
      expect((picture?.x ?? 0) + (picture?.width ?? 0)).toBeLessThan(text?.x ?? 0);
      await more.getByRole('link').nth(1).click();
      const title = visit.dialog.getByRole('heading', { name, exact: true });
      await title.waitFor();
      await visit.dialog.getByText(/version \d/).waitFor();
      await title.hover();
      await visit.page.mouse.down();
      await visit.page.mouse.move(10, 450);
      await visit.page.mouse.up();
      await title.waitFor();
      await visit.page.mouse.click(10, 450);
      await visit.dialog.waitFor({ state: 'detached' });
      expect(queryOf(visit)).toBe('?prompt=lighthouse');
    });

    it('leads to its creator, of whom the list says what there is together, the newest items first', async () => {
      const visit = await openAsUser(`/?item=${itemId}`);
      const { body } = await service.client.get(`/api/users/${userId}`);
      await visit.dialog.getByRole('link', { name: 'pixel_otter', exact: true }).click();
      const head = visit.page.locator('.creator');
      await head.getByText(`${body.itemsCount} items`).waitFor();
      await head.getByText(`${body.downloadsCount.toLocaleString('en')} downloads`).waitFor();
      await head.getByText('here since').waitFor();
      expect(new URLSearchParams(queryOf(visit)).get('sort')).toBe('createdAt,desc');
      await accessible(visit);
      await visit.page.goto(`${baseUrl}/?creatorId=99999`);
      await visit.heading.filter({ hasText: '0 items' }).waitFor();
      expect(await head.locator('.creator-name').count()).toBe(0);
    });

    it('leads to similar items, from which closing returns to the list', async () => {
      const visit = await openAsUser('/?prompt=lighthouse');
      await visit.card('Lighthouse at dusk').getByRole('link').click();
      const similar = visit.dialog.getByRole('region', { name: 'Similar items' }).getByRole('link').first();
      const name = (await similar.textContent()) ?? '';
      await accessible(visit);
      await similar.click();
      await visit.dialog.getByRole('heading', { name, exact: true }).waitFor();
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      await visit.dialog.waitFor({ state: 'detached' });
      expect(new URL(visit.page.url()).search).toBe('?prompt=lighthouse');
    });

    it('that somebody else has edited meanwhile is merged with the own text, which is kept', async () => {
      const id = await service.client.upload({ name: 'Old name', description: 'Old text', tags: ['old'] }, userId);
      const visit = await openAsUser(`/?item=${id}&form=edit`);
      await visit.dialog.getByLabel('Name').fill('My name');
      await service.client.send('PATCH', `/api/content/${id}`, { name: 'Their name', description: 'Their text' }, userId);
      await visit.dialog.getByRole('button', { name: 'Save' }).click();
      await visit.dialog.getByText('changed by somebody else').waitFor();
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('My name');
      await accessible(visit);
      await visit.dialog.getByRole('button', { name: 'Look again' }).click();
      await visit.dialog.getByText('Their name: Their name').waitFor();
      expect(await visit.dialog.getByLabel('Description').inputValue()).toBe('Their text');
      await accessible(visit);
      await visit.dialog.getByRole('button', { name: 'Save' }).click();
      await visit.dialog.getByRole('heading', { name: 'My name' }).waitFor();
      expect((await service.client.get(`/api/content/${id}?include=tags`)).body).toMatchObject({
        name: 'My name',
        description: 'Their text',
        tags: ['old'],
      });
    });

    it.each(['open', 'closed'])(
      'that is edited while an edit of it is saved: what was typed since is the next edit, in a form that is %s',
      async (form) => {
        const id = await service.client.upload({ name: 'Before', description: 'Before', tags: ['a'] }, userId);
        const visit = await openAsUser(`/?item=${id}&form=edit`);
        const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
        const path = `**/api/content/${id}`;
        await visit.page.route(path, async (route, request) => {
          if (request.method() === 'PATCH') await isReleased;
          await route.continue();
        });
        await visit.dialog.getByLabel('Name').fill('After');
        await visit.dialog.getByLabel('Description').fill('After');
        const sent = visit.page.waitForRequest((request) => request.method() === 'PATCH');
        await visit.dialog.getByRole('button', { name: 'Save' }).click();
        await sent;
        await visit.dialog.getByLabel('Description').fill('Before');
        if (form === 'closed') await visit.button('Close').click();
        release();
        await visit.page.getByText('“After” was changed.').first().waitFor();
        if (form === 'closed') await visit.page.goto(`${baseUrl}/?item=${id}&form=edit`);
        await visit.dialog.getByRole('button', { name: 'Save' }).click();
        await visit.dialog.getByRole('heading', { name: 'After' }).waitFor();
        expect((await service.client.get(path.slice(2) + '?include=tags')).body).toMatchObject({
          name: 'After',
          description: 'Before',
          tags: ['a'],
        });
      },
    );

    describe('that is deleted', () => {
      const deleteItem = async (name: string) => {
        const id = await service.client.upload({ name }, userId);
        await service.indexed();
        const visit = await openAsUser(`/?prompt=${encodeURIComponent(`"${name}"`)}`);
        const endNote = await keepNotes(visit);
        await visit.card(name).getByRole('link').click();
        await visit.dialog.getByRole('button', { name: 'Delete' }).click();
        await accessible(visit);
        await visit.dialog.getByRole('button', { name: 'Delete it' }).click();
        await visit.card(name).waitFor({ state: 'detached' });
        await visit.page.getByText(`“${name}” was deleted.`).waitFor();
        return { visit, id, endNote, status: async () => (await service.client.get(`/api/content/${id}`)).status };
      };

      it('comes back with Undo, beside which the keyboard is, while the note stands', async () => {
        const { visit, status, endNote } = await deleteItem('Deleted by mistake');
        await accessible(visit);
        await visit.page.locator('.results-head h2:focus').waitFor();
        await visit.page.keyboard.press('Shift+Tab');
        await visit.page.keyboard.press('Enter');
        await visit.card('Deleted by mistake').waitFor();
        await endNote();
        expect(await status()).toBe(200);
      });

      it('is deleted when the note is over', async () => {
        const { visit, status, endNote } = await deleteItem('Deleted after a while');
        expect(await status()).toBe(200);
        await endNote();
        await until('it is deleted', async () => (await status()) === 404);
        await visit.page.getByText('was deleted').waitFor({ state: 'detached' });
      });

      it('is deleted when the page is left', async () => {
        const { visit, status } = await deleteItem('Deleted by leaving');
        await visit.page.goto('about:blank');
        await until('it is deleted', async () => (await status()) === 404);
      });

      it('is deleted when the page is hidden, since a phone may end it then', async () => {
        const { visit, status } = await deleteItem('Deleted by hiding');
        await visit.page.evaluate(HIDE);
        await until('it is deleted', async () => (await status()) === 404);
        expect(await visit.button('Undo').count()).toBe(0);
      });

      it('is shown again with the reason if somebody has changed it', async () => {
        const { visit, id, status, endNote } = await deleteItem('Deleted too late');
        await service.client.send('PATCH', `/api/content/${id}`, { description: 'changed' }, userId);
        await endNote();
        await visit.page.getByText('“Deleted too late” was not deleted. Somebody changed it since you opened it.').waitFor();
        await visit.card('Deleted too late').waitFor();
        expect(await status()).toBe(200);
      });
    });

    it('of another user cannot be deleted', async () => {
      const id = await service.client.upload({ name: 'Not to be deleted' }, userId);
      const visit = await open(`/?item=${id}`, { token: await tokenOf(userId + 1) });
      await visit.dialog.getByText('version 1').waitFor();
      expect(await visit.dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    });

    it('is downloaded with the name of its file, or with its own, which counts once a visit', async () => {
      const download = async ({ page, dialog }: Visit): Promise<string> => {
        const downloading = page.waitForEvent('download');
        await dialog.getByRole('button', { name: 'Download' }).click();
        return (await downloading).suggestedFilename();
      };
      const id = await service.client.upload({ name: 'To be downloaded', data: 'its content' }, userId);
      const visit = await openAsUser(`/?item=${id}`);
      expect(await download(visit)).toBe('To be downloaded.txt');
      await visit.dialog.getByText('1 download').waitFor();
      await service.client.send('PATCH', `/api/content/${id}`, { fileName: 'notes.json' }, userId);
      await visit.page.reload();
      expect(await download(visit)).toBe('notes.json');
      const other = await openAsUser(`/?item=${id}`);
      expect(await download(other)).toBe('notes.json');
      await other.dialog.getByText('2 downloads').waitFor();
    });
  });

  it('shows a small drawing of the first frame of each picture, two at a time, whatever the pictures cost', async () => {
    const thumbnail = webpAnimated({ frames: 500, side: 4_096 }).toString('base64');
    const names = Array.from({ length: 24 }, (_, position) => `Costly ${position}`);
    const ids = await Promise.all(names.map((name) => service.client.upload({ name, tags: ['costly'], thumbnail }, userId)));
    await service.indexed();
    const visit = await openAsUser();
    await visit.page.addInitScript(`(() => {
      const decode = createImageBitmap;
      let now = 0;
      window.mostAtOnce = 0;
      window.createImageBitmap = async (...given) => {
        window.mostAtOnce = Math.max(window.mostAtOnce, (now += 1));
        try { return await decode(...given); } finally { now -= 1; }
      };
    })()`);
    await visit.page.goto(`${baseUrl}/?tags=costly`);
    await visit.heading.filter({ hasText: '24 items' }).waitFor();
    const card = visit.page.locator('.card:not(.card-skeleton)');
    for (let position = 0; position < 24; position += 1) {
      await card.nth(position).scrollIntoViewIfNeeded();
      await card.nth(position).locator('img').waitFor();
    }
    const widths = await visit.page.evaluate<number[]>(
      `[...document.querySelectorAll('.card img')].map(({ naturalWidth }) => naturalWidth)`,
    );
    expect([await visit.page.evaluate('mostAtOnce'), widths]).toEqual([2, widths.map(() => 480)]);
    for (const id of ids) await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
    await service.indexed();
  });

  it('that a browser translates says after each step what it says untranslated', async () => {
    const plain = await openAsUser();
    const translated = await openAsUser();
    await translate(translated.page);
    const closeForm = ({ dialog }: Visit) => dialog.getByRole('button', { name: 'Cancel' }).click();
    const steps: [string, (visit: Visit) => Promise<unknown>][] = [
      ['a search', async ({ searchField }) => searchField.fill('lighthouse')],
      ['its suggestions are closed', ({ searchField }) => searchField.press('Enter')],
      ['a filter', ({ page }) => page.getByRole('group', { name: 'Tags' }).locator('.choice').first().click()],
      ['no filter', ({ page }) => page.locator('.chip-removable').first().click()],
      ['another order', ({ page }) => page.locator('.sort select').selectOption({ index: 2 })],
      ['an opened item', ({ page }) => page.locator('.card a').first().click()],
      ['the next item', ({ button }) => button('Next item').click()],
      ['the list', ({ button }) => button('Close').click()],
      ['a misspelt search', async ({ searchField }) => searchField.fill('lighthuose').then(() => searchField.press('Enter'))],
      ['a search without a result', async ({ searchField }) => searchField.fill('zzxqwv').then(() => searchField.press('Enter'))],
      ['all items', ({ page }) => page.locator('.brand').click()],
      ['the second page', ({ page }) => page.getByRole('link', { name: 'Page 2', exact: true }).click()],
      ['a form', ({ button }) => button('Upload').click()],
      ['its errors', ({ dialog }) => dialog.getByRole('button', { name: 'Upload' }).click()],
      [
        'a tag',
        async ({ dialog }) =>
          dialog
            .getByLabel('Tags')
            .fill('seaside')
            .then(() => dialog.getByLabel('Tags').press('Enter')),
      ],
      ['no form', closeForm],
      ['the account', ({ button }) => button('pixel_otter').click()],
    ];
    let said = await readTexts(plain.page);
    for (const [step, act] of steps) {
      for (const visit of [plain, translated]) await act(visit);
      await until(
        `both say the same after: ${step}`,
        async () => {
          const [expected, read] = [await readTexts(plain.page), await readTexts(translated.page)];
          if (read !== expected || read === said || (await plain.page.locator('[aria-busy=true], .skeleton').count()) > 0) return false;
          said = read;
          return true;
        },
        60_000,
      );
    }
  });

  it('while the API is down, the page says so and keeps what was typed; when it is back, everything continues', async () => {
    const visit = await openAsUser('/?form=upload');
    await visit.dialog.getByLabel('Name').fill('Typed during an outage');
    proxy.reset();
    await visit.dialog.getByRole('button', { name: 'Upload' }).click();
    await visit.dialog.getByText('The service does not respond. What you typed is kept; try again.').waitFor();
    await visit.dialog.getByRole('button', { name: 'Close' }).click();
    await visit.searchField.fill('lighthouse');
    await visit.page.getByText('The page tries again by itself').waitFor();
    expect(await visit.page.locator('.card').count()).toBeGreaterThan(0);
    await accessible(visit);
    await visit.page.locator('.card a').first().click();
    await visit.dialog.getByText('The page tries again by itself').waitFor();
    await accessible(visit);
    proxy.restore();
    await visit.dialog.getByText('The page tries again by itself').waitFor({ state: 'detached' });
    await visit.dialog.getByText(/version \d/).waitFor();
    await visit.dialog.getByRole('button', { name: 'Close' }).click();
    await visit.card('Lighthouse at dusk').locator('img').waitFor();
    await visit.page.getByText('The page tries again by itself').waitFor({ state: 'detached' });
    await visit.button('Upload').click();
    expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed during an outage');
    await visit.dialog.getByRole('button', { name: 'Upload' }).click();
    await visit.card('Typed during an outage').waitFor();
  });

  it('over the limit of lists, the page says so and keeps what is shown and typed; when lists are allowed again, it continues by itself', async () => {
    const port = String((await freePorts(1))[0]);
    const ofService = { ...service.env, PORT: port, OPERATIONS_PORT: '0' };
    let api = await startAnotherApi({ ...ofService, RATE_LIMIT_LISTS_PER_MINUTE: '12' });
    const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
    const limited = await Promise.all([{}, phone].map((options) => newVisit(browser, options)));
    for (const visit of limited) await visit.page.goto(`${api.client.baseUrl}/#token=${await tokenOf(userId)}`);
    for (const { page } of limited) await page.locator('.card').first().waitFor();
    const banner = ({ page }: Visit) => page.getByText(/The limit is 12 per minute\. .* The page tries again by itself/);
    for (const [n, visit] of limited.entries()) {
      for (let search = 0; !(await banner(visit).isVisible()); search += 1) {
        await visit.searchField.fill(`lighthouse ${n} ${search}`);
        await visit.searchField.press('Enter');
        await visit.page.locator('.results[aria-busy=false]').or(banner(visit)).first().waitFor();
      }
      await visit.searchField.fill('lighthouse');
      await visit.searchField.press('Enter');
      await accessible(visit);
      expect(await isScrolledSideways(visit.page)).toBe(false);
      await visit.button('Upload').click();
      await visit.dialog.getByLabel('Name').fill(`Typed over the limit ${n}`);
    }
    await api.stop();
    api = await startAnotherApi(ofService);
    for (const [n, visit] of limited.entries()) {
      await banner(visit).waitFor({ state: 'detached' });
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe(`Typed over the limit ${n}`);
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      expect(await visit.searchField.inputValue()).toBe('lighthouse');
      await visit.card('Lighthouse at dusk').waitFor();
      await visit.button('Upload').click();
      await visit.dialog.getByRole('button', { name: 'Upload' }).click();
      await visit.card(`Typed over the limit ${n}`).waitFor();
      expect(visit.watched.errors).toEqual([]);
      await visit.page.context().close();
    }
    await api.stop();
  });

  it('the keyboard alone searches, opens an item, rates it and returns to where it was', async () => {
    // The first item is that of the other user.
    const { page, dialog, card, heading } = await open('/', { token: await tokenOf(userId + 1) });
    await heading.filter({ hasText: /\d/ }).waitFor();
    const press = async (key: string, times = 1): Promise<void> => {
      for (let time = 0; time < times; time += 1) await page.keyboard.press(key);
    };
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent || document.activeElement.ariaLabel');
    await press('Tab', 3);
    await page.locator('.search-input:focus').waitFor();
    await page.keyboard.type('misty harbour');
    await press('Enter');
    await page.locator('.results[aria-busy=false] h2', { hasText: 'misty harbour' }).waitFor();
    const first = (await page.locator('.card h3').first().textContent()) ?? '';
    for (let tabs = 0; tabs < 80 && (await focused()) !== first; tabs += 1) await press('Tab');
    expect(await focused()).toBe(first);
    await press('Enter');
    await dialog.getByRole('button', { name: '5 stars' }).waitFor();
    for (let tabs = 0; tabs < 20 && (await focused()) !== '5 stars'; tabs += 1) await press('Tab');
    await press('Space');
    await dialog.getByText('Your rating').waitFor();
    await press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await card(first).count()).toBe(1);
    await until('the focus is back on the link', async () => (await focused()) === first);
  });

  it('where something that had the focus disappears or moves, the keyboard continues beside it', async () => {
    const { page, dialog, button } = await openAsUser();
    const press = async (target: Locator, key: string): Promise<void> => {
      await target.focus();
      await page.keyboard.press(key);
    };
    const focused = (name: string): Promise<void> => page.locator(`${name}:focus`).waitFor();
    const tags = page.getByRole('group', { name: 'Tags' }).locator('.choice', { has: page.locator('.choice-count') });
    const chosen = (await tags.nth(5).locator('.choice-label').textContent()) ?? '';
    await press(tags.nth(5).locator('input'), 'Space');
    await button(`Remove the filter ${chosen}`).waitFor();
    await focused('.choice input:checked');
    await press(button(`Remove the filter ${chosen}`), 'Enter');
    await focused('.results-head h2');
    const ofOther = await service.client.upload({ name: 'Of somebody else' }, userId + 1);
    await page.goto(`${baseUrl}/?item=${ofOther}`);
    await press(dialog.getByRole('button', { name: '4 stars' }), 'Space');
    await press(dialog.getByRole('button', { name: 'Remove' }), 'Enter');
    await focused('[aria-label="Your rating"]');
    await page.goto(`${baseUrl}/?item=${itemId}`);
    await press(dialog.getByRole('button', { name: 'Delete' }), 'Enter');
    await focused('[aria-label="Delete the item?"]');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Edit' }).waitFor();
    await focused('.dialog-foot');
    await press(dialog.getByRole('button', { name: 'Edit' }), 'Enter');
    await dialog.getByRole('heading', { name: 'Edit item' }).waitFor();
    await focused('.dialog h2');
    await press(dialog.getByRole('button', { name: 'Remove the tag' }).first(), 'Enter');
    await focused('.field input[autocomplete=off]');
    await press(dialog.getByRole('button', { name: 'Cancel' }), 'Enter');
    await focused('.dialog h2');
  });

  it.each(SCREENS)('at $width pixels, what is shown stays where it is while a view is loaded', async ({ width, height, isTouch }) => {
    const moved = async (path: string, token?: string): Promise<[string, number]> => {
      const visit = await newVisit(browser, { viewport: { width, height }, hasTouch: isTouch, isMobile: isTouch });
      visits.push(visit);
      const layoutShift = await watchLayoutShift(visit.page);
      await visit.page.goto(baseUrl + path + (token === undefined ? '' : `#token=${token}`));
      await visit.page.waitForLoadState('networkidle');
      return [path, await layoutShift()];
    };
    const token = await tokenOf(userId);
    const item = `/?item=${itemId}`;
    const views = [
      '/',
      '/?prompt=lighthouse',
      '/?prompt=lighthouse&tags=recipe',
      '/?hidden=true',
      '/?form=upload',
      item,
      `${item}&form=edit`,
    ];
    const shifts = [await moved('/'), await moved('/no/such/page')];
    for (const path of views) shifts.push(await moved(path, token));
    expect(shifts.filter(([, shift]) => shift > LAYOUT_SHIFT_MAX)).toEqual([]);
  });

  it.each(SCREENS)('at $width pixels, nothing covers a control, whatever is open besides', async ({ width, height, isTouch }) => {
    const screen = { viewport: { width, height }, hasTouch: isTouch, isMobile: isTouch };
    const own = await openAsUser('/', screen);
    const usable = async (state: string, { page }: Visit = own): Promise<void> =>
      expect([state, await unusableControls(page)]).toEqual([state, []]);
    const goTo = async (path: string): Promise<void> => {
      await own.page.goto(baseUrl + path);
      await own.page.locator('.results[aria-busy=false]').waitFor({ state: 'attached' });
    };
    const close = (): Promise<void> => own.dialog.last().getByRole('button', { name: 'Close' }).click();
    const ask = async (visit: Visit, question: string, answer: string): Promise<void> => {
      await visit.dialog.getByRole('button', { name: question, exact: true }).click();
      await visit.button(answer).waitFor();
      await usable(question, visit);
    };

    await usable('the list');
    await own.searchField.pressSequentially('light');
    await own.page.getByRole('option').first().waitFor();
    await own.heading.filter({ hasText: '“light”' }).waitFor();
    await usable('the suggestions');
    await goTo('/?prompt=lighthouse&tags=recipe&createdFrom=2026-01-01&page=900');
    await own.page.getByText('Try instead:').waitFor();
    await usable('an empty list');
    await goTo('/?createdFrom=2025-01-01');
    if (width < 900) await own.button(/^Filters/).click();
    await own.button('More: Tags').click();
    await own.button('More creators').click();
    await usable('the filters');
    if (width < 900) await close();
    await own.button(/^(pixel_otter|Account)$/).click();
    await own.dialog.getByText('For developers').click();
    await own.button('Copy token').waitFor();
    await usable('the account');
    await close();
    await goTo('/?form=upload');
    await own.dialog.getByLabel('Tags').fill('wal');
    await own.dialog.getByRole('listbox').getByRole('option').first().waitFor();
    await usable('the form with completions');
    await own.dialog.getByLabel('Tags').fill('wallpaper,sea,');
    await own.dialog.getByLabel('Picture').setInputFiles(PICTURE);
    await own.button('Remove the picture').waitFor();
    await usable('the form with a picture');
    await goTo(`/?item=${itemId}&form=edit`);
    await own.button('Save').waitFor();
    await usable('the form of an edit');
    await goTo(`/?item=${itemId}`);
    await own.dialog.getByText('Similar items').waitFor();
    await own.dialog.locator('summary').click();
    await usable('an own item');
    await ask(own, 'Delete', 'Keep it');
    await own.button('Keep it').click();
    await own.button('Show the picture large').click();
    await usable('the picture');
    await close();
    proxy.reset();
    await close();
    await own.searchField.fill('lighthouse');
    await own.page.getByText('The page tries again by itself').waitFor();
    await usable('the list during an outage');
    proxy.restore();

    const moderator = await open(`/?item=${itemId}`, { ...screen, token: await tokenOf(userId + 1, { scope: 'content:moderate' }) });
    await moderator.dialog.getByText('Similar items').waitFor();
    await usable('the item of somebody else', moderator);
    await ask(moderator, 'Hide', 'Hide it');
    await moderator.page.goto(`${baseUrl}/#token=${await tokenOf(userId)}`);
    await moderator.button('Stay').waitFor();
    await usable('a link with another token', moderator);
    const visitor = await open('/', screen);
    await visitor.button('Use this token').waitFor();
    await usable('a visitor', visitor);
    await usable('a path that does not exist', await open('/no/such/page', screen));
  });

  it.each(SCREENS)('at $width pixels, the list of hidden items is as wide as the page', async ({ width, height }) => {
    const { page } = await open('/?hidden=true', {
      token: await tokenOf(userId, { scope: 'content:moderate' }),
      viewport: { width, height },
    });
    await page.locator('.results[aria-busy=false]').waitFor();
    const edges = `(() => {
      const [brand, account, list] = ['.brand', '.header-actions', '.results'].map((name) => document.querySelector(name).getBoundingClientRect());
      return { list: [list.left, list.right], page: [brand.left, account.right] };
    })()`;
    const { list, page: whole } = await page.evaluate<{ list: number[]; page: number[] }>(edges);
    expect(list).toEqual(whole);
  });

  it.each(rows(2, ['/', 'edit', '/?prompt=lighthuose', '/?form=upload', 'item']))(
    'at 320 pixels, %s fits without scrolling sideways',
    async (state) => {
      const path = { item: `/?item=${itemId}`, edit: `/?item=${itemId}&form=edit` }[state] ?? state;
      for (const colorScheme of ['light', 'dark'] as const) {
        const visit = await openAsUser(path, { viewport: { width: 320, height: 640 }, colorScheme });
        expect(await isScrolledSideways(visit.page)).toBe(false);
        await accessible(visit);
      }
    },
  );

  // Written only on request, like the generated tables.
  if (process.env['UPDATE_DOCS'])
    it.each(['light', 'dark'] as const)('the screenshot of the README in %s colours is written', async (colorScheme) => {
      const visit = await openAsUser('/?prompt=lighthuose', { colorScheme, viewport: { width: 1200, height: 720 } });
      await visit.card('Lighthouse at dusk').locator('img').waitFor();
      await visit.page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/web-page-${colorScheme}.png`, import.meta.url)) });
    });
});
