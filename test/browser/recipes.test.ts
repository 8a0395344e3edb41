import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser, watch } from '../support/browser/browser.ts';
import { png } from '../support/database/images.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { startHttpServer, type HttpServer } from '../support/servers/http-server.ts';

const API = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
const [, PICTURES = ''] = /<!-- pictures:.*?```js\n(.*?)```/s.exec(API) ?? [];

describeInBrowser("a page of one's own in a browser", () => {
  let service: Service;
  let browser: Browser;
  let site: HttpServer;
  let page = '';
  beforeAll(async () => {
    site = await startHttpServer((_, response) => void response.setHeader('content-type', 'text/html').end(page));
    service = await startService({ CORS_ORIGINS: site.url });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await site.stop();
    await service.stop();
  });

  it('shows the pictures of a list by the ten lines of the documentation, and requests none that does not exist', async () => {
    expect(PICTURES.trim().split('\n')).toHaveLength(10);
    await service.client.upload({ name: 'Without' });
    await service.client.upload({ name: 'With', thumbnail: png({ width: 3 }).toString('base64') });
    await service.indexed();
    const constants = `const [service, token] = ${JSON.stringify([service.url, await tokenOf(1)])};`;
    page = `<!doctype html><body><script type="module">${constants}\n${PICTURES}</script>`;
    const visit = await browser.newPage();
    const watched = await watch(visit);
    const statuses: number[] = [];
    visit.on('response', (response) => void (response.url().endsWith('/thumbnail') && statuses.push(response.status())));
    await visit.goto(site.url);
    await visit.getByAltText('With', { exact: true }).waitFor();
    expect(await visit.evaluate(`document.images[0].decode().then(() => document.images[0].naturalWidth)`)).toBe(3);
    expect(await visit.locator('img').count()).toBe(1);
    expect({ statuses, errors: watched.errors }).toEqual({ statuses: [200], errors: [] });
    await visit.close();
  });
});
