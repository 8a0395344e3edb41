import { expect, it } from '@jest/globals';
import type { Browser, Request } from 'playwright-core';
import { describePage, expectAccessible, openAsUser } from '../support/browser/page-visits.ts';
import { isScrolledSideways, newVisit, type Visit } from '../support/browser/web-page.ts';
import type { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { SlowServer } from '../support/http/slow-server.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Service } from '../support/processes/service.ts';

/** Counts what the page hears of the response to a slow request. */
const COUNT_PARTS = `window.parts = 0;
const { send } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.send = function (body) {
  this.addEventListener('progress', () => (parts += Number(/api\\/content\\/\\d+\\?/.test(this.responseURL))));
  send.call(this, body);
};`;

let service: Service;
let browser: Browser;
let proxy: ChaosProxy;
let userId: number;

describePage(
  'the web page while the service does not answer',
  (given) => ({ service, browser, proxy, userId } = given),
  () => {
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
      await expectAccessible(visit);
      await visit.page.locator('.card a').first().click();
      await visit.dialog.getByText('The page tries again by itself').waitFor();
      await expectAccessible(visit);
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
        await expectAccessible(visit);
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

    it('an item that arrives in parts over a slow network is read once, however long it takes, and again after a silence', async () => {
      const [id, other] = [await largeItem('Read slowly'), await largeItem('Read after a silence')];
      const slow = await SlowServer.before(service.client.baseUrl, new RegExp(`api/content/(${id}|${other})\\?`));
      const visit = await newVisit(browser);
      await visit.page.addInitScript(COUNT_PARTS);
      await visit.page.goto(`${slow.url}/#token=${await tokenOf(userId)}`);
      await visit.heading.filter({ hasText: /\d/ }).waitFor();
      await visit.page.clock.install();
      const parts = (): Promise<number> => visit.page.evaluate<number>('parts');
      const openItem = (item: number) =>
        visit.page.evaluate(`history.pushState(null, '', '?item=${item}'); dispatchEvent(new Event('popstate'))`);
      const hearPart = async (): Promise<void> => {
        const before = await parts();
        await slow.sendPart();
        await until('the part has arrived', async () => (await parts()) > before);
      };
      await openItem(id);
      for (let part = 0; part < 2; part += 1) {
        await hearPart();
        // Two of them are longer than the silence that ends a request.
        await visit.page.clock.runFor(8_000);
      }
      await slow.sendPart();
      await visit.dialog.getByRole('heading', { name: 'Read slowly' }).waitFor();
      expect(slow.count).toBe(1);
      await visit.dialog.getByRole('button', { name: 'Close' }).click();
      await openItem(other);
      await hearPart();
      await visit.page.clock.runFor(20_000);
      await until('it is asked for again', () => slow.count === 3);
      for (let part = 0; part < 3; part += 1) await slow.sendPart();
      await visit.dialog.getByRole('heading', { name: 'Read after a silence' }).waitFor();
      expect(visit.watched.errors).toEqual([]);
      await visit.page.context().close();
      await slow.close();
    });

    it('pictures that cannot be read are no outage, and are shown once they can', async () => {
      const visit = await openAsUser('/?prompt=lighthouse');
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      const asked: string[] = [];
      await visit.page.route('**/thumbnail', (route) => {
        asked.push(route.request().url());
        return route.abort();
      });
      await visit.page.reload();
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      await until('a picture is asked for again', () => new Set(asked).size < asked.length);
      expect(await visit.page.getByText('The page tries again by itself').count()).toBe(0);
      await visit.page.unroute('**/thumbnail');
      await visit.card('Lighthouse at dusk').locator('img').waitFor();
    });

    it('pictures are read a few at once, so that lists are read beside those that arrive slowly', async () => {
      const visit = await openAsUser();
      const open = new Set<Request>();
      visit.page.on('request', (request) => request.url().endsWith('/thumbnail') && open.add(request));
      visit.page.on('requestfinished', (request) => void open.delete(request));
      visit.page.on('requestfailed', (request) => void open.delete(request));
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await visit.page.route('**/thumbnail', async (route) => {
        await isReleased;
        await route.continue().catch(() => undefined);
      });
      await visit.page.goto(`${new URL(visit.page.url()).origin}/?sort=name,asc`);
      await visit.page.locator('.filters[aria-busy=false]').waitFor();
      await until('pictures are asked for', () => open.size >= 3);
      expect(open.size).toBe(3);
      await visit.searchField.fill('lighthouse');
      await visit.searchField.press('Enter');
      await visit.card('Lighthouse at dusk').waitFor();
      release();
      await visit.card('Lighthouse at dusk').locator('img').waitFor();
      await visit.card('Dice tower shaped like a lighthouse').locator('img').waitFor();
    });

    const largeItem = (name: string): Promise<number> => service.client.upload({ name, data: 'x'.repeat(200_000) }, userId);
  },
);
