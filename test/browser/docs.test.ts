import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Writable } from 'node:stream';
import { startApiAlone, type ApiAlone } from '../support/processes/api-alone.ts';
import { closeBrowser, describeInBrowser, openBrowser, watch, type Watched } from '../support/browser/browser.ts';
import { SCREENS, unusableControls } from '../support/browser/controls.ts';
import { accessibilityViolations } from '../support/browser/web-page.ts';
import { rows } from '../support/jest/long.ts';
import { startHttpServer } from '../support/servers/http-server.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';

describeInBrowser('the interactive documentation in a browser', () => {
  let api: ApiAlone;
  let browser: Browser;
  let page: Page;
  let watched: Watched;
  let origin: string;
  let operationIds: string[];
  beforeAll(async () => {
    api = await startApiAlone();
    const { paths } = (await api.client.request('GET', '/openapi.json')).body;
    operationIds = Object.values<any>(paths).flatMap((methods) => Object.values<any>(methods).map(({ operationId }) => operationId));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await api.stop();
  });
  beforeEach(async () => {
    origin = api.client.baseUrl;
    page = await browser.newPage();
    watched = await watch(page);
  });
  afterEach(async () => {
    await page.close();
    expect(watched).toEqual({ violations: [], origins: new Set([origin]), errors: [] });
  });

  const open = async (fragment = ''): Promise<void> => {
    await page.goto(`${api.client.baseUrl}/docs${fragment}`);
    await page.locator('.opblock').first().waitFor();
  };
  const operation = (id: string) => page.locator(`.opblock[id$="-${id}"]`);
  const execute = async (id: string): Promise<string> => {
    const block = operation(id);
    await block.locator('.opblock-summary-control').click();
    await block.locator('button.execute').click();
    return (await block.locator('.live-responses-table .response-col_status').last().textContent()) ?? '';
  };
  /** Everything that the page has kept where it outlives the page. */
  const kept = (): Promise<unknown> =>
    page.evaluate('[document.cookie, ...Object.values(localStorage), ...Object.values(sessionStorage)].join()');

  it('shows every operation and each of its parts', async () => {
    await open();
    expect(await page.locator('.opblock').count()).toBe(operationIds.length);
    for (const id of operationIds) {
      await operation(id).locator('.opblock-summary-control').click();
      await operation(id).locator('.responses-wrapper').first().waitFor();
    }
    for (const group of ['Search', 'Items', 'Ratings and downloads', 'Service'])
      expect(await page.locator(`.opblock-tag[data-tag="${group}"]`).count()).toBe(1);
    expect(await page.locator('a[href$="openapi.json"]').count()).toBeGreaterThan(0);
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
  });

  it.each(SCREENS)('at $width pixels, nothing covers a control', async ({ width, height }) => {
    await page.setViewportSize({ width, height });
    await open();
    await page.getByText('All kinds of errors').click();
    expect(await unusableControls(page)).toEqual([]);
    await page.goto(`${api.client.baseUrl}/docs/api`);
    expect(await unusableControls(page)).toEqual([]);
  });

  it('executes an operation with the token of its address, which it removes from the address and keeps nowhere', async () => {
    const id = await api.client.upload({ name: 'Lighthouse at dusk' });
    expect(id).toBeLessThan(42);
    const token = await tokenOf(1);
    await open(`#token=${token}`);
    expect(page.url()).toBe(`${api.client.baseUrl}/docs`);
    expect(await execute('getIndexStatus')).toContain('404');
    expect(await execute('getLiveness')).toContain('200');
    expect(await kept()).not.toContain(token);
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    expect(await execute('countDownload')).toContain('403');
  });

  it('executes an operation with a token that is pasted, which it keeps nowhere', async () => {
    const token = await tokenOf(1);
    await open();
    await page.locator('button.authorize').first().click();
    await page.locator('.dialog-ux input').fill(token);
    await page.locator('.dialog-ux button.authorize').click();
    await page.locator('.dialog-ux button.btn-done').click();
    expect(await execute('uploadContent')).toContain('201');
    expect(await kept()).not.toContain(token);
  });

  it.each([1, 2])('fills in the id of user %i as the creator of the example upload, which is then accepted', async (userId) => {
    await open(`#token=${await tokenOf(userId)}`);
    await operation('uploadContent').locator('.opblock-summary-control').click();
    const body = operation('uploadContent').locator('textarea.body-param__text');
    await until('the creator is filled in', async () => (await body.inputValue()).includes(`"creatorId": ${userId}`));
    await operation('uploadContent').locator('button.execute').click();
    expect(await operation('uploadContent').locator('.live-responses-table .response-col_status').last().textContent()).toContain('201');
  });

  it.each(['/docs', '/docs/api'])('has commands with the address of the page, also below a path of a proxy: %s', async (path) => {
    const commands = async (url: string): Promise<string> => {
      await page.goto(`${url}${path}`);
      return (await page.locator('main pre').allTextContents()).join();
    };
    const direct = await commands(api.client.baseUrl);
    expect(direct).toContain(`"${api.client.baseUrl}/api/content?prompt=`);
    const proxy = await startHttpServer((request, response) => {
      const answer = async (): Promise<void> => {
        const { status, headers, body } = await fetch(api.client.baseUrl + (request.url ?? '').replace('/shop', ''));
        response.writeHead(status, { 'content-type': headers.get('content-type') ?? '' });
        await body?.pipeTo(Writable.toWeb(response));
      };
      // A page that is left closes the connections of what it still loads.
      answer().catch(() => response.destroy());
    });
    await page.close();
    page = await browser.newPage();
    watched = await watch(page);
    origin = proxy.url;
    expect(await commands(`${proxy.url}/shop`)).toBe(direct.replaceAll(api.client.baseUrl, `${proxy.url}/shop`));
    await proxy.stop();
  });

  it('opens the operation of its address, and has that of an operation that is opened', async () => {
    await open('#/Search/listContent');
    await operation('listContent').locator('.responses-wrapper').waitFor();
    await operation('uploadContent').locator('.opblock-summary-control').click();
    await page.waitForURL('**/docs#/Items/uploadContent');
  });

  it('shows the kind of error to which the type of an error leads', async () => {
    await open('#token-expired');
    await page.locator('#token-expired').waitFor({ state: 'visible' });
    expect(await page.locator('#token-expired + dd').textContent()).toContain('Get a new one');
  });

  const COLOURS = [
    ['dark', 'dark'],
    ['light', 'normal'],
  ] as const;

  it.each(rows(1, COLOURS))('has the %s colours that the user prefers', async (colorScheme, used) => {
    await page.emulateMedia({ colorScheme: colorScheme === 'light' ? 'dark' : 'light' });
    await open();
    await page.emulateMedia({ colorScheme });
    const scheme = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
    await until('the page has the other colours', async () => (await scheme()) === used);
  });

  it.each(rows(1, COLOURS))(
    'has no fault that axe finds in the %s colours, with operations, results and the dialog',
    async (...[colorScheme]) => {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${api.client.baseUrl}/docs/api`);
      expect(await accessibilityViolations(page)).toEqual([]);
      await open();
      await page.getByText('All kinds of errors').click();
      await page.locator('.scheme-container button.authorize').click();
      const dialog = page.getByRole('dialog', { name: 'Authorize' });
      await dialog.getByRole('textbox').fill(await tokenOf(1));
      expect(await accessibilityViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Authorize' }).click();
      await dialog.getByRole('button', { name: 'Logout' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      for (const id of ['listContent', 'uploadContent', 'editContent', 'rateContent', 'deleteContent']) await execute(id);
      expect(await accessibilityViolations(page)).toEqual([]);
    },
  );

  it('replaces a token by that of a link only if the user agrees', async () => {
    await open(`#token=${await tokenOf(1)}`);
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(`${api.client.baseUrl}/docs#token=${await tokenOf(2)}`);
    expect(await execute('uploadContent')).toContain('201');
    expect(asked).toEqual(['Replace the token of this page by that of the link?']);
    expect(page.url()).not.toContain('token');
  });
});
