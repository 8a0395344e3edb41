import { expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator } from 'playwright-core';
import { FRONT_SHIFT_MAX, LAYOUT_SHIFT_MAX, SCREENS, unusableControls, watchLayoutShift } from '../support/browser/controls.ts';
import { describePage, expectAccessible, open, openAsUser, PICTURE } from '../support/browser/page-visits.ts';
import { readTexts, translate } from '../support/browser/translation.ts';
import { isScrolledSideways, newVisit, type Visit } from '../support/browser/web-page.ts';
import type { ChaosProxy } from '../support/cluster/chaos-proxy.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { rows } from '../support/jest/long.ts';
import { until } from '../support/jest/until.ts';
import type { Service } from '../support/processes/service.ts';

let service: Service;
let browser: Browser;
let proxy: ChaosProxy;
let baseUrl: string;
let userId: number;
let itemId: number;
let visits: Visit[];

describePage(
  'the web page, however it is used',
  (given) => ({ service, browser, proxy, baseUrl, userId, itemId, visits } = given),
  () => {
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
      await focused('[aria-label="Delete this item?"]');
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
      expect(shifts.filter(([path, shift]) => shift > (path === '/' ? FRONT_SHIFT_MAX : LAYOUT_SHIFT_MAX))).toEqual([]);
      // Whoever comes back has the number of rows of the visit before.
      const { page } = await open('/', { token });
      const layoutShift = await watchLayoutShift(page);
      for (const path of ['/', '/']) {
        await page.goto('about:blank');
        await page.goto(baseUrl + path);
        await page.waitForLoadState('networkidle');
      }
      expect(await layoutShift()).toBeLessThanOrEqual(FRONT_SHIFT_MAX);
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
      await own.button('More: Creators').click();
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
          await expectAccessible(visit);
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
  },
);
