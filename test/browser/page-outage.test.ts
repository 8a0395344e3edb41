import { expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { describePage, expectAccessible, openAsUser } from '../support/browser/page-visits.ts';
import { isScrolledSideways, newVisit, type Visit } from '../support/browser/web-page.ts';
import type { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { freePorts } from '../support/cluster/cluster-servers.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Service } from '../support/processes/service.ts';

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
  },
);
