import { loadDemo } from '@ugc/api/commands/load-demo';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { watch, type Watched } from './browser.ts';
import { startService, type Service } from '../processes/service.ts';
import { until } from '../jest/until.ts';

/** The web page, opened by a new visitor. */
export type Visit = {
  page: Page;
  watched: Watched;
  card(name: string): Locator;
  button(name: string | RegExp): Locator;
  searchField: Locator;
  dialog: Locator;
  heading: Locator;
};

/** Animations would be in the way of the rules for contrast. */
const CONTEXT: BrowserContextOptions = { locale: 'en-US', viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };

export async function newVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ ...CONTEXT, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return {
    page,
    watched: await watch(page),
    card: (name) => page.locator('.card', { has: page.getByRole('link', { name, exact: true }) }),
    button: (name) => page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }),
    searchField: page.getByRole('combobox', { name: 'Search the collection' }),
    dialog: page.getByRole('dialog'),
    heading: page.locator('.results-head h2'),
  };
}

/** Starts a service with the demo collection. `userId` is that of a creator with several items. */
export async function startDemoService(): Promise<{ service: Service; userId: number; itemId: number }> {
  const service = await startService();
  try {
    return { service, ...(await addDemo(service)) };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function addDemo(service: Service): Promise<{ userId: number; itemId: number }> {
  // The loader leaves a database with users alone.
  await service.database.query('delete from users');
  const loaded = await loadDemo(service, () => undefined);
  await service.indexed();
  const [row] = await service.database.query<{ creatorId: number; contentId: number }>(
    `select creator_id, content_id from content where name = 'Lighthouse at dusk'`,
  );
  await until('all items are listed', async () => (await service.client.list()).body.totalElements === loaded);
  return { userId: row?.creatorId ?? 0, itemId: row?.contentId ?? 0 };
}

/** What axe finds on the page as it is now, with all of its rules. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

export const isScrolledSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
