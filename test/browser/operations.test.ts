import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { BacklogSample, OperationsStatus } from '@ugc/shared/contracts/operations-status';
import { pauseIndexing, resumeIndexing } from '@ugc/shared/indices/index-control';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { startApiAlone } from '../support/processes/api-alone.ts';
import { closeBrowser, describeInBrowser, openBrowser, watch, type Watched } from '../support/browser/browser.ts';
import { LAYOUT_SHIFT_MAX, SCREENS, unusableControls, watchLayoutShift } from '../support/browser/controls.ts';
import { withIndexLock } from '../support/indices/index-lock.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { silentServer } from '../support/servers/silent-server.ts';
import { until } from '../support/jest/until.ts';
import { readTexts, translate } from '../support/browser/translation.ts';
import { accessibilityViolations, isScrolledSideways } from '../support/browser/web-page.ts';

const SCHEMES = ['light', 'dark'] as const;

describeInBrowser("the operators' page in a browser", () => {
  let service: Service;
  let browser: Browser;
  let page: Page;
  let watched: Watched;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    service = await startService();
    await service.client.upload();
    await service.indexed();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await service.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage({ reducedMotion: 'reduce' });
    watched = await watch(page);
  });
  afterEach(async () => {
    await page.close();
    for (const stop of stops.splice(0)) await stop();
    await service.database.query(`delete from index_outbox where rejected_reason is not null`);
    await service.database.query(`delete from index_target where index_name = 'new'`);
    await resumeIndexing(service.database);
    expect(watched).toMatchObject({ violations: [], errors: [] });
    expect(watched.origins.size).toBe(1);
  });

  const open = async (operationsUrl = service.operationsUrl): Promise<void> => {
    await page.goto(operationsUrl);
    await page.locator('.columns').waitFor();
  };
  const headline = (text: string) => page.locator('.headline', { hasText: text });
  const finding = (text: string) => page.locator('.finding', { hasText: text });
  const card = (title: string) => page.locator('.card', { has: page.getByRole('heading', { name: title }) });
  /** Checked in every width and colour scheme. */
  const expectReadable = async (): Promise<void> => {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await accessibilityViolations(page)]).toEqual([colorScheme, []]);
    }
    for (const { width, height } of [{ width: 360, height: 640 }, ...SCREENS]) {
      await page.setViewportSize({ width, height });
      expect([width, await isScrolledSideways(page), await unusableControls(page)]).toEqual([width, false, []]);
    }
  };

  it('says that all is well, and shows the searched index, the stores, the backlog and the limits', async () => {
    const layoutShift = await watchLayoutShift(page);
    await open();
    expect(await page.locator('#page > *').count()).toBe(1);
    await headline('All is well').waitFor();
    await card('Indices')
      .locator('code', { hasText: service.env['CONTENT_ALIAS'] ?? '' })
      .waitFor();
    expect(await card('Stores').locator('.state-good').count()).toBe(3);
    expect(
      await card('Backlog')
        .getByRole('img', { name: /^Pending changes in the last hour: at least 0, at most/ })
        .count(),
    ).toBe(1);
    expect(await card('Limits').locator('.meter').count()).toBeGreaterThan(10);
    expect(await card('Searches').count()).toBe(0);
    expect(await layoutShift()).toBeLessThanOrEqual(LAYOUT_SHIFT_MAX);
    await expectReadable();
  });

  it('shows a rejected item with its reason as text, a pause, and the commands that change them', async () => {
    const reason = `failed to parse [tags]: '<img src=x onerror="document.title=1">'`;
    await service.database.query(`insert into index_outbox (content_id, revision, rejected_reason) values (4711, 3, $1)`, [reason]);
    await pauseIndexing(service.database);
    await open();
    await headline('Something needs attention').waitFor();
    await finding('Indexing is paused since').locator('code', { hasText: 'npx pnpm index:resume' }).waitFor();
    await finding('Elasticsearch rejects 1 item.').locator('code', { hasText: 'npx pnpm index:rejected list' }).waitFor();
    const rejected = card('Rejected items');
    expect(await rejected.locator('.reason').textContent()).toBe(reason);
    await rejected.locator('code', { hasText: 'npx pnpm index:rejected retry --all' }).waitFor();
    await expectReadable();

    await service.database.query(`delete from index_outbox where content_id = 4711`);
    await resumeIndexing(service.database);
    await headline('All is well').waitFor();
  });

  it('shows the progress of a rebuild', async () => {
    const insert = `insert into index_target (index_name, role, mapping_version, filled_to) values ('new', 'next', 4, 0)`;
    await withIndexLock(service.database, async () => {
      await service.database.query(insert);
      await open();
      await headline('work is under way').waitFor();
      await card('Indices').getByText('filled to item 0 of 1').waitFor();
      await expectReadable();
    });
  });

  it('shows what can be read while a store is down', async () => {
    const silent = await silentServer();
    stops.push(silent.stop);
    const api = await startApiAlone({ DATABASE_URL: `postgresql://u:p@${silent.address}/ugc` });
    stops.unshift(api.stop);
    await open(api.operationsUrl);
    await headline('Somebody is needed now').waitFor();
    await finding('PostgreSQL does not respond').waitFor();
    await card('Rejected items').getByText('PostgreSQL did not return it').waitFor();
    await card('Queue').getByText('Jobs that wait').waitFor();
    await expectReadable();
  });

  it('shows prompts that find nothing or are corrected, as text, if they are counted', async () => {
    const api = await startApiAlone({ SEARCH_INSIGHTS: 'true' });
    stops.push(api.stop);
    const prompts = ['lighthuose', `<img src=x onerror="document.title=1">`, 'منارة عند الغروب', 'x'.repeat(100)];
    await api.database.query(
      `insert into search_insight (day, prompt_hash, users, nothing_found, corrected, last_at, prompt, correction)
       select (now() at time zone 'UTC')::date, substr(sha256(prompt::bytea), 1, 16), 20 - n, 30, n % 2, now(), prompt,
         case n when 1 then 'lighthouse' end
       from unnest($1::text[]) with ordinality as t (prompt, n)`,
      [prompts],
    );
    await open(api.operationsUrl);
    const searches = card('Searches');
    await searches.getByRole('row').nth(4).waitFor();
    expect(await searches.getByRole('rowheader').allTextContents()).toEqual(prompts);
    expect(await searches.getByRole('row').nth(1).locator('td').allTextContents()).toEqual([
      'nothing found 30 of 31 timescorrected to lighthouse',
      '31',
      '19',
      expect.any(String),
    ]);
    await searches.locator('code', { hasText: 'npx pnpm search:insights' }).waitFor();
    await expectReadable();
  });

  it('says that the API is not reachable, keeps what it has shown, and recovers by itself', async () => {
    await open();
    await headline('All is well').waitFor();
    await page.route('**/status', (route) => route.abort());
    await headline('The API is not reachable').waitFor();
    await finding('The API has not responded since').waitFor();
    expect(await card('Indices').locator('code').count()).toBeGreaterThan(0);
    await expectReadable();
    await page.unroute('**/status');
    await headline('All is well').waitFor();
  });

  it('that a browser translates says after each change what it says untranslated', async () => {
    const other = await browser.newPage({ reducedMotion: 'reduce' });
    stops.push(() => other.close());
    // Both are told the same.
    const readStatus = async (): Promise<string> => (await fetch(new URL('status', service.operationsUrl))).text();
    const isWell = await readStatus();
    await pauseIndexing(service.database);
    await service.database.query(`insert into index_outbox (content_id, revision, rejected_reason) values (4711, 3, 'a reason')`);
    let isPaused = '';
    await until('the status has the rejected item', async () => {
      isPaused = await readStatus();
      return isPaused.includes('a reason');
    });
    let told: string | undefined = isWell;
    for (const each of [page, other]) {
      await each.route('**/status', (route) =>
        told === undefined ? route.abort() : route.fulfill({ body: told, contentType: 'application/json' }),
      );
      await each.goto(service.operationsUrl);
      await each.locator('.columns').waitFor();
    }
    await translate(other);
    let said = '';
    for (const [name, status] of Object.entries({ isWell, isPaused, isUnreachable: undefined, isWellAgain: isWell })) {
      told = status;
      await until(
        `both say the same: ${name}`,
        async () => {
          const [expected, read] = [await readTexts(page, '.summary'), await readTexts(other, '.summary')];
          if (read !== expected || read === said) return false;
          said = read;
          return true;
        },
        60_000,
      );
    }
  });

  it('shows why an item is found or not, and never the answer for the one that was asked for before', async () => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/item?id=1', async (route) => {
      await isReleased;
      await route.continue();
    });
    await open();
    const show = async (id: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Id' }).fill(id);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
    };
    await show('1');
    await show('2');
    await card('One item').getByText('PostgreSQL does not have it').waitFor();
    const late = page.waitForResponse('**/item?id=1');
    release();
    await (await late).finished();
    await page.waitForResponse('**/status');
    expect(await card('One item').locator('dd').first().textContent()).toBe('2');
    expect(await card('One item').getByText('PostgreSQL does not have it').count()).toBe(1);
    await show('1');
    await card('One item').getByText('revision 1').first().waitFor();
    expect(await card('One item').locator('dd').first().textContent()).toBe('1');
  });

  it('asks for the status every few seconds, but not while it is hidden or stopped', async () => {
    await page.clock.install();
    let requests = 0;
    page.on('request', (request) => void (requests += Number(request.url().endsWith('/status'))));
    /** @returns how many requests began in a minute of the page's clock */
    const requestsInAMinute = async (): Promise<number> => {
      const before = requests;
      for (let second = 0; second < 60; second++) await page.clock.runFor(1_000);
      return requests - before;
    };
    await open();
    expect(await requestsInAMinute()).toBeGreaterThan(1);
    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: true, configurable: true })`);
    expect(await requestsInAMinute()).toBe(0);
    const afterwards = page.waitForResponse('**/status');
    await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`);
    await afterwards;
    await page.getByRole('button', { name: 'Stop updates' }).click();
    expect(await requestsInAMinute()).toBe(0);
    await Promise.all([page.waitForResponse('**/status'), page.getByRole('button', { name: 'Update again' }).click()]);
  });

  if (process.env['UPDATE_DOCS'])
    it.each(SCHEMES)('the screenshot of the documentation in %s colours is written', async (colorScheme) => {
      await page.route('**/status', async (route) => {
        const response = await route.fetch();
        const status = (await response.json()) as OperationsStatus;
        await route.fulfill({
          response,
          json: {
            ...status,
            backlog: { ...status.backlog, lastHour: exampleHour(Date.parse(status.time)) },
            requests: exampleRequests(Date.parse(status.time)),
          },
        });
      });
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1280, height: 800 });
      await open();
      await headline('All is well').waitFor();
      await page.screenshot({ path: fileURLToPath(new URL(`../../docs/images/operations-${colorScheme}.png`, import.meta.url)) });
    });
});

/** A test has no hour for samples. */
function exampleHour(now: number): BacklogSample[] {
  return Array.from({ length: 241 }, (_, n) => {
    const pending = Math.round(900 * Math.exp(-(((n - 90) / 14) ** 2)) + 240 * Math.exp(-(((n - 190) / 8) ** 2)) + (n % 4));
    return { time: new Date(now - (240 - n) * 15_000).toISOString(), pending, oldestPendingSeconds: pending / 150 };
  });
}

function exampleRequests(now: number): OperationsStatus['requests'] {
  return Array.from({ length: 60 }, (_, n) => ({
    time: new Date(now - (59 - n) * 60_000).toISOString(),
    searches: Math.round(140 + 40 * Math.sin(n / 9) + (n % 7) * 3),
    uploads: Math.round(900 * Math.exp(-(((n - 22) / 4) ** 2)) * 0.25 + (n % 3)),
    failures: 0,
  }));
}
