import { problemBody } from '@ugc/api/http/problem-details';
import { rebuildDue } from '@ugc/api/search/answerable';
import { expect, it } from '@jest/globals';
import { describePage, expectAccessible, open, openAsUser } from '../support/browser/page-visits.ts';
import type { Visit } from '../support/browser/web-page.ts';
import { tokenOf } from '../support/http/tokens.ts';
import type { Service } from '../support/processes/service.ts';

let service: Service;
let baseUrl: string;
let userId: number;
let itemId: number;

describePage(
  'the web page for a visitor and their token',
  (given) => ({ service, baseUrl, userId, itemId } = given),
  () => {
    it('without a token learns how to get one, and sees the collection after pasting it', async () => {
      const visit = await open();
      expect(await visit.page.getByText('npx').isVisible()).toBe(false);
      await visit.page.getByText('How to get a token').click();
      await visit.page.getByText('npx pnpm run token --user 1').waitFor();
      await expectAccessible(visit);
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
      await expectAccessible(visit);
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

    it('sees as popular what others have downloaded, and not what is new, of which two are of the same creator', async () => {
      const names = ['First brass bell', 'Second brass bell', 'Third brass bell'];
      const ids = await Promise.all(names.map((name) => service.client.upload({ name }, userId)));
      await service.indexed();
      const popular = ({ page }: Visit) => page.getByRole('region', { name: 'Popular this week' });
      const before = await openAsUser();
      const bells = before.page.getByRole('region', { name: 'New' }).getByRole('link', { name: / brass bell$/ });
      await bells.last().waitFor();
      expect(await bells.count()).toBe(2);
      expect(await popular(before).count()).toBe(0);
      for (const id of ids) await service.client.send('POST', `/api/content/${id}/downloads`, undefined, userId + 1);
      await service.indexed();
      const after = await openAsUser();
      await popular(after)
        .getByRole('link', { name: names[0] ?? '', exact: true })
        .waitFor();
      await after.page.getByRole('link', { name: 'All: Popular this week' }).click();
      await after.heading.filter({ hasText: '3 items' }).waitFor();
      for (const id of ids) await service.client.send('DELETE', `/api/content/${id}`, undefined, userId);
      await service.indexed();
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
      await expectAccessible(visit);
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
      await expectAccessible(visit);
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

    it('whose browser cannot load the script is offered to reload the page after a while', async () => {
      const visit = await open('/nosuch');
      await visit.page.route(/\/assets\/page-.*\.js/, (route) => route.abort());
      await visit.page.goto(baseUrl);
      await visit.page.getByRole('img', { name: 'Loading' }).waitFor();
      const reload = visit.page.getByRole('link', { name: 'Reload the page' });
      expect(await reload.count()).toBe(0);
      await visit.page.evaluate(`document.querySelector('#page svg:has(set)').setCurrentTime(60)`);
      await reload.waitFor();
      await visit.page.getByText('The page is not shown yet.').waitFor();
      await visit.page.unroute(/\/assets\/page-.*\.js/);
      await reload.click();
      await visit.page.getByLabel('Token').waitFor();
      expect(await visit.page.getByText('The page is not shown yet.').count()).toBe(0);
    });

    it('learns when a part of the page cannot be loaded, and reloads the page to see it', async () => {
      const visit = await open('/nosuch');
      await visit.page.route(/later-parts/, (route) => route.abort());
      await visit.page.goto(`${baseUrl}/#token=${await tokenOf(userId)}`);
      await visit.button('Upload').click();
      await visit.dialog.getByText('This part of the page could not be loaded.').waitFor();
      await expectAccessible(visit);
      await visit.page.unroute(/later-parts/);
      await visit.dialog.getByRole('button', { name: 'Reload the page' }).click();
      await visit.dialog.getByLabel('Name').waitFor();
    });

    it('who opens a path that does not exist finds the collection from there', async () => {
      const visit = await open('/no/such/page');
      await expectAccessible(visit);
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
      await expectAccessible(visit);
      await question.getByLabel('Token').fill(await tokenOf(userId));
      await question.getByRole('button', { name: 'Use this token' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await visit.dialog.getByLabel('Name').inputValue()).toBe('Typed before the token expired');
      await visit.dialog.getByRole('button', { name: 'Cancel' }).click();
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
  },
);
