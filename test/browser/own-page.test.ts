import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser } from '../support/browser/browser.ts';
import { SCREENS, unusableControls } from '../support/browser/controls.ts';
import { accessibilityViolations, isScrolledSideways, newVisit, type Visit } from '../support/browser/web-page.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { startService, type Service } from '../support/processes/service.ts';

const ABOUT = 'Free brushes and palettes for painters.';
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32"><rect width="64" height="32" rx="6" fill="#0b6e4f"/></svg>';

describeInBrowser('a web page with the words, links, logo and colour of its operator', () => {
  let service: Service;
  let browser: Browser;
  let contentId: number;
  const folder = mkdtempSync(join(tmpdir(), 'own-page-'));
  beforeAll(async () => {
    const PAGE_LOGO = join(folder, 'logo.svg');
    writeFileSync(PAGE_LOGO, LOGO);
    const links = {
      imprint: 'https://example.com/imprint',
      terms: 'https://example.com/terms',
      report: 'https://example.com/report?item={id}',
    };
    service = await startService({
      PAGE_NAME: 'Brush & Brass',
      PAGE_ABOUT: ABOUT,
      PAGE_LINKS: JSON.stringify(links),
      PAGE_LOGO,
      PAGE_ACCENT: '#0b6e4f',
    });
    contentId = await service.client.upload({ name: 'Round brush', description: 'For skies', data: 'x' });
    await service.indexed();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const visited = async (work: (visit: Visit) => Promise<void>, options: Parameters<typeof newVisit>[1] = {}): Promise<void> => {
    const visit = await newVisit(browser, options);
    await visit.page.goto(service.client.baseUrl);
    await visit.page.getByText(ABOUT).waitFor();
    await work(visit);
    await visit.page.context().close();
  };
  const signIn = async ({ page, heading }: Visit, path = '/'): Promise<void> => {
    await page.goto(`${service.client.baseUrl}${path}#token=${await tokenOf(2)}`);
    await heading.filter({ hasText: '1 item' }).waitFor();
  };

  it('says what the place is before one signs in, and above the items until something is searched', async () => {
    await visited(async (visit) => {
      await signIn(visit);
      await visit.page.getByText(ABOUT).waitFor();
      await visit.searchField.fill('brush');
      await visit.heading.filter({ hasText: '1 item for “brush”' }).waitFor();
      expect(await visit.page.getByText(ABOUT).count()).toBe(0);
    });
  });

  it.each(SCREENS.flatMap((screen) => (['light', 'dark'] as const).map((colorScheme) => ({ ...screen, colorScheme }))))(
    'can be read and used at $width px in the $colorScheme scheme, with its links in the foot',
    async ({ width, height, isTouch, colorScheme }) => {
      await visited(
        async (visit) => {
          expect(await accessibilityViolations(visit.page)).toEqual([]);
          await signIn(visit);
          const foot = visit.page.getByRole('contentinfo');
          expect(await foot.getByRole('link').allInnerTexts()).toEqual(['Imprint', 'Terms']);
          const logo = `document.querySelector('.own-logo')`;
          expect(await visit.page.evaluate(`${logo}.decode().then(() => ${logo}.naturalWidth)`)).toBeGreaterThan(0);
          expect([await unusableControls(visit.page), await isScrolledSideways(visit.page)]).toEqual([[], false]);
          expect(await accessibilityViolations(visit.page)).toEqual([]);
        },
        { viewport: { width, height }, hasTouch: isTouch, colorScheme },
      );
    },
  );

  it('leads from an item to where it is reported', async () => {
    await visited(async (visit) => {
      await signIn(visit, `/?item=${contentId}`);
      const report = visit.dialog.getByRole('link', { name: 'Report', exact: true });
      await report.waitFor();
      expect(await report.getAttribute('href')).toBe(`https://example.com/report?item=${contentId}`);
      expect(await accessibilityViolations(visit.page)).toEqual([]);
    });
  });
});
