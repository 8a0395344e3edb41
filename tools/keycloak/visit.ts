import type { Browser, BrowserContext, Page } from 'playwright-core';
import { until } from '../../test/support/jest/until.ts';
import { PASSWORD, type Realm } from './realm.ts';

export type Visitor = { page: Page; context: BrowserContext };
type Surroundings = { browser: Browser; pageUrl: string; realm: Realm };

/** What a person sees, by the name under which it is reported. Each begins in a browser that knows nobody. */
export const VISITS: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  'who signs in can upload': async (surroundings) => {
    const { page } = await signIn(surroundings, 'ada');
    await button(page, 'Ada Lovelace').waitFor();
    await upload(page, 'Of Ada');
    await page.getByText('“Of Ada” is').waitFor();
  },
  'only a moderator can hide the item of another user': async (surroundings) => {
    const ada = await signIn(surroundings, 'ada');
    await upload(ada.page, 'Hidden by Boris');
    await ada.page.getByText('“Hidden by Boris” is').waitFor();
    await ada.page.getByRole('link', { name: 'Show it' }).click();
    await ada.page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    expectCount(await ada.page.getByRole('button', { name: 'Hide', exact: true }).count(), 0, 'buttons to hide');
    const boris = await signIn(surroundings, 'boris', new URL(ada.page.url()).search);
    await button(boris.page, 'Hide').waitFor();
  },
  'two users with the same name are told apart': async (surroundings) => {
    for (const [username, item] of [
      ['ada', 'Of the first'],
      ['boris', 'Of the second'],
    ] as const) {
      const { page } = await signIn(surroundings, username);
      await upload(page, item);
      await page.getByText(`“${item}” is`).waitFor();
      if (username === 'boris') await page.getByRole('button', { name: /^Ada Lovelace #\d+$/ }).waitFor();
    }
  },
  'a reload asks Keycloak, and Keycloak does not ask the user': async (surroundings) => {
    const { page } = await signIn(surroundings, 'ada');
    const token = await tokenIn(page);
    await page.reload();
    await list(page);
    if ((await tokenIn(page)) === token) throw new Error('the reload has got no new token');
  },
  'a tab goes on when the one with the refresh token is closed, and signs out at Keycloak without a question': async (surroundings) => {
    await surroundings.realm.change({ accessTokenLifespan: 10 });
    const first = await signIn(surroundings, 'ada');
    const page = await first.context.newPage();
    await page.goto(surroundings.pageUrl);
    await list(page);
    await first.page.close();
    await surroundings.realm.change({ accessTokenLifespan: 300 });
    const left = await tokenIn(page);
    await until('the token has ended', () => Date.now() > expiryOf(left));
    await upload(page, 'Typed before');
    await until('the tab has a token of its own', async () => ![left, undefined].includes(await tokenIn(page).catch(() => undefined)));
    // The upload that was refused with the old token goes on by itself.
    await page.getByText('“Typed before” is').waitFor();
    await page.locator('.header-actions button').last().click();
    await press(page, 'Sign out');
    await button(page, 'Sign in').waitFor();
    await press(page, 'Sign in');
    await page.locator('#username').waitFor();
  },
  'a refused consent is said': async ({ browser, pageUrl, realm }) => {
    await realm.changeClient({ consentRequired: true });
    const page = await (await browser.newContext()).newPage();
    await page.goto(pageUrl);
    await fillIn(page, 'ada');
    await page.locator('#kc-cancel').click();
    await page.getByText('you did not agree').waitFor();
    await realm.changeClient({ consentRequired: false });
  },
};

async function signIn({ browser, pageUrl }: Surroundings, username: string, path = ''): Promise<Visitor> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(pageUrl + path);
  await fillIn(page, username);
  await list(page);
  return { page, context };
}

async function fillIn(page: Page, username: string): Promise<void> {
  await press(page, 'Sign in');
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(PASSWORD);
  await page.locator('#kc-login').click();
}

async function upload(page: Page, name: string): Promise<void> {
  await press(page, 'Upload');
  const dialog = page.getByRole('dialog', { name: 'Upload' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Upload' }).click();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const press = (page: Page, name: string): Promise<void> => button(page, name).click();
const list = (page: Page): Promise<void> => page.locator('.results-head h2').filter({ hasText: /\d/ }).waitFor();
const tokenIn = (page: Page): Promise<string> => page.evaluate(`sessionStorage.getItem('token')`);
const expiryOf = (token: string): number => Number((JSON.parse(atob(token.split('.')[1] ?? '')) as { exp: number }).exp) * 1_000;

function expectCount(found: number, expected: number, what: string): void {
  if (found !== expected) throw new Error(`the page has ${found} ${what}, not ${expected}`);
}
