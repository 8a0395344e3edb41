import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { directionOf, LANGUAGES, type Language } from '@ugc/web/messages/languages';
import { messages as arabic } from '@ugc/web/messages/ar';
import { messages as arabicLater } from '@ugc/web/messages/later/ar';
import { messages as german } from '@ugc/web/messages/de';
import { messages as germanLater } from '@ugc/web/messages/later/de';
import type { Browser } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser } from '../support/browser/browser.ts';
import { SCREENS, unusableControls } from '../support/browser/controls.ts';
import { accessibilityViolations, isScrolledSideways, newVisit, startDemoService, type Visit } from '../support/browser/web-page.ts';
import { tokenOf } from '../support/http/tokens.ts';
import type { Service } from '../support/processes/service.ts';

const TEXTS = { de: { ...german, ...germanLater }, ar: { ...arabic, ...arabicLater } };
type Read = keyof typeof TEXTS;

describeInBrowser('the web page in the language of its reader', () => {
  let service: Service;
  let browser: Browser;
  let userId: number;
  let itemId: number;
  beforeAll(async () => {
    ({ service, userId, itemId } = await startDemoService());
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await service.stop();
  });

  const visited = async (options: Parameters<typeof newVisit>[1], work: (visit: Visit) => Promise<void>): Promise<void> => {
    const visit = await newVisit(browser, options);
    await work(visit);
    expect(visit.watched).toMatchObject({ violations: [], errors: [] });
    await visit.page.context().close();
  };
  const open = async ({ page }: Visit, query = ''): Promise<void> => {
    await page.goto('about:blank');
    await page.goto(`${service.client.baseUrl}/${query}#token=${await tokenOf(userId)}`);
  };
  const keepPicture = async ({ page }: Visit, name: string): Promise<void> => {
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };

  const screens = (['de', 'ar'] as Read[]).flatMap((language) => SCREENS.map((screen) => ({ ...screen, language })));

  it.each(screens)('can be read and used in $language at $width px', async ({ language, width, height, isTouch }) => {
    const texts = TEXTS[language];
    await visited({ locale: language, viewport: { width, height }, hasTouch: isTouch }, async (visit) => {
      const { page, dialog } = visit;
      const usable = async (name: string): Promise<void> => {
        await keepPicture(visit, `${language}-${width}-${name}`);
        expect([name, await isScrolledSideways(page), await unusableControls(page), await accessibilityViolations(page)]).toEqual([
          name,
          false,
          [],
          [],
        ]);
      };
      await page.goto(service.client.baseUrl);
      await page.getByText(texts.howToGet).waitFor();
      await usable('welcome');
      await open(visit, '?prompt=lighthouse');
      await page.getByRole('combobox', { name: texts.search }).waitFor();
      await visit.heading.filter({ hasText: 'lighthouse' }).waitFor();
      await page.locator('.card img').first().waitFor();
      await usable('search');
      await open(visit, `?item=${itemId}`);
      await dialog.getByRole('button', { name: texts.download, exact: true }).waitFor();
      await usable('item');
      await open(visit, '?form=upload');
      await dialog.getByLabel(texts.whoSees).waitFor();
      await dialog.getByRole('button', { name: texts.upload, exact: true }).click();
      await dialog.getByText(texts.notRight).waitFor();
      await dialog.getByText(texts.enterName).waitFor();
      await usable('upload');
      await open(visit, '?prompt=qwxyzzy');
      await page.getByText(texts.popularItems).waitFor();
      await usable('empty');
      await open(visit);
      await visit.heading.filter({ hasText: /\d/ }).waitFor();
      await page.getByRole('combobox', { name: texts.language }).scrollIntoViewIfNeeded();
      await keepPicture(visit, `${language}-${width}-foot`);
      const side = await page.evaluate<string>(`(() => {
        const [brand, actions] = ['.brand', '.header-actions'].map((each) => document.querySelector(each).getBoundingClientRect().x);
        return brand < actions ? 'ltr' : 'rtl';
      })()`);
      expect([side, await page.evaluate('document.dir')]).toEqual([directionOf(language), directionOf(language)]);
    });
  });

  it('says numbers, times and plurals as people of the language do', async () => {
    await visited({ locale: 'de' }, async (visit) => {
      await open(visit);
      await visit.heading.filter({ hasText: '500 Einträge' }).waitFor();
      await visit.page.locator('.card time', { hasText: /vor \d+ Tagen|\d\d\.\d\d\.\d{4}/ }).first().waitFor(); // prettier-ignore
      expect(await visit.page.locator('html').getAttribute('lang')).toBe('de');
    });
  });

  it('is another one if the reader chooses it, also when the page is opened again, and loads no file of a third one', async () => {
    await visited({ locale: 'fr' }, async (visit) => {
      const { page } = visit;
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(...(/\/page-([a-z]{2})-/.exec(request.url())?.slice(1) ?? [])));
      await open(visit);
      await visit.heading.filter({ hasText: '500 éléments' }).waitFor();
      expect(new Set(loaded)).toEqual(new Set(['fr']));
      await page.getByRole('combobox', { name: 'Langue' }).selectOption(LANGUAGES.de);
      await visit.heading.filter({ hasText: '500 Einträge' }).waitFor();
      await page.goto(service.client.baseUrl);
      await visit.heading.filter({ hasText: '500 Einträge' }).waitFor();
      const choice = page.getByRole('combobox', { name: german.language });
      expect([await choice.inputValue(), await page.locator('html').getAttribute('lang')]).toEqual(['de', 'de']);
      await choice.selectOption(LANGUAGES.ar satisfies (typeof LANGUAGES)[Language]);
      await page.locator('html[dir=rtl]').waitFor();
      expect(new Set(loaded)).toEqual(new Set(['fr', 'de', 'ar']));
    });
  });

  it('leads to the next item by the arrow that points to its button', async () => {
    await visited({ locale: 'ar' }, async (visit) => {
      const { page, dialog } = visit;
      await open(visit);
      const names = await page.locator('.card h3').allInnerTexts();
      await page.locator('.card h3 a').first().click();
      await dialog.getByRole('heading', { name: names[0] ?? '', level: 2 }).waitFor();
      await page.keyboard.press('ArrowLeft');
      await dialog.getByRole('heading', { name: names[1] ?? '', level: 2 }).waitFor();
    });
  });
});
