import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { request as httpRequest } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser, watch, type Watched } from '../support/browser/browser.ts';
import { accessibilityViolations } from '../support/browser/web-page.ts';
import { until } from '../support/jest/until.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import { startService, type Service } from '../support/processes/service.ts';
import { startHttpServer, type HttpServer } from '../support/servers/http-server.ts';
import { AUDIENCE, CLIENT_ID, startIdentityProvider, type IdentityProvider } from '../support/servers/identity-provider.ts';

const PREFIX = '/shop';

/** A reverse proxy that adds a prefix, and sends each request to the next of several replicas. */
async function startProxy(targets: URL[]): Promise<HttpServer> {
  let count = 0;
  return startHttpServer((request, response) => {
    const path = (request.url ?? '').replace(PREFIX, '');
    const target = new URL(path, targets[(count += 1) % targets.length]);
    const forwarded = httpRequest(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
}

type Visit = { page: Page; watched: Watched; requests: string[] };

describeInBrowser('signing in with a provider', () => {
  let service: Service;
  let provider: IdentityProvider;
  let browser: Browser;
  let proxy: HttpServer;
  let pageUrl: string;
  let itemId: number;
  const replicas: { stop(): Promise<void> }[] = [];
  const visits: Visit[] = [];
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    const targets: URL[] = [];
    proxy = await startProxy(targets);
    pageUrl = `${proxy.url}${PREFIX}/`;
    provider = await startIdentityProvider(pageUrl);
    service = await startService();
    itemId = await service.client.upload({ name: 'Lighthouse at dusk' });
    await service.indexed();
    const settings = {
      JWT_SECRET: '',
      JWT_JWKS_URL: provider.jwksUrl,
      JWT_ISSUER: provider.issuer,
      JWT_AUDIENCE: AUDIENCE,
      OIDC_CLIENT_ID: CLIENT_ID,
      USERS_FROM_TOKENS: 'true',
    };
    for (let count = 0; count < 2; count += 1) {
      const replica = await startAnotherApi({ ...service.env, ...settings });
      replicas.push(replica);
      targets.push(new URL(replica.client.baseUrl));
    }
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await proxy.stop();
    for (const replica of replicas) await replica.stop();
    await service.stop();
    await provider.stop();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    const watched = visits.splice(0).map((visit) => visit.watched);
    const refusals = provider.tokenRequests.filter(({ grantType, error }) => grantType === 'refresh_token' && error !== undefined);
    const mayRefuse = !provider.behaviour.acceptsRefreshTokens;
    provider.restore();
    const origins = new Set([new URL(pageUrl).origin, provider.issuer]);
    for (const each of watched) {
      expect(each).toMatchObject({ violations: [], errors: [] });
      expect([...each.origins].filter((origin) => !origins.has(origin))).toEqual([]);
    }
    // A refresh token that is used twice is refused.
    expect(mayRefuse ? [] : refusals).toEqual([]);
  });

  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] });
    contexts.push(context);
    return context;
  };
  const newVisit = async (context: BrowserContext): Promise<Visit> => {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const visit = { page, watched: await watch(page), requests };
    visits.push(visit);
    return visit;
  };
  const open = async (path = '', context?: BrowserContext): Promise<Visit> => {
    const visit = await newVisit(context ?? (await newContext()));
    await visit.page.goto(pageUrl + path);
    return visit;
  };
  const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in', exact: true });
  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const continueAs = async (page: Page, login: string): Promise<void> => {
    await page.getByLabel('Login').fill(login);
    await press(page, 'Continue');
  };
  const list = (page: Page): Promise<void> => page.locator('.results-head h2').filter({ hasText: /\d/ }).waitFor();
  const openSignedIn = async (login: string, path = '', context?: BrowserContext): Promise<Visit> => {
    const visit = await open(path, context);
    await press(visit.page, 'Sign in');
    await continueAs(visit.page, login);
    await list(visit.page);
    return visit;
  };
  const upload = async (page: Page, name: string): Promise<void> => {
    await press(page, 'Upload');
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await says(page, `“${name}” is`);
  };
  /** Reads it again if the page is left meanwhile, as it may be at any time to ask the provider. */
  const tokenIn = async (page: Page): Promise<string> =>
    page.evaluate<string>(`sessionStorage.getItem('token')`).catch(async (error: Error) => {
      if (!error.message.includes('navigation')) throw error;
      await page.waitForLoadState();
      return tokenIn(page);
    });
  const says = (page: Page, text: string): Promise<void> => page.getByText(text).first().waitFor();
  const authorizations = ({ requests }: Visit): URL[] =>
    requests.filter((url) => url.startsWith(`${provider.issuer}/auth?`)).map((url) => new URL(url));
  const refreshes = (): number => provider.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token').length;
  const addresses = async (page: Page): Promise<string[]> => {
    const session = await page.context().newCDPSession(page);
    const { entries } = await session.send('Page.getNavigationHistory');
    return entries.map(({ url }) => url);
  };
  /** Without a token the page asks the user to sign in. */
  const isSignedOut = (page: Page): Promise<void> => signInButton(page).waitFor();

  describe('a user', () => {
    it('signs in and sees the item of the link; neither the history nor the storage that stays has a code or a token', async () => {
      const visit = await open(`?item=${itemId}`);
      const { page } = visit;
      await isSignedOut(page);
      expect(await accessibilityViolations(page)).toEqual([]);
      await press(page, 'Sign in');
      await continueAs(page, 'ada');
      await page.getByRole('dialog', { name: 'Lighthouse at dusk' }).waitFor();
      expect(new URL(page.url()).searchParams.get('item')).toBe(String(itemId));
      expect((await addresses(page)).filter((url) => /[?&](code|state)=/.test(url))).toEqual([]);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('eyJ');
      const [asked] = authorizations(visit);
      expect(Object.fromEntries(asked?.searchParams ?? [])).toMatchObject({
        client_id: CLIENT_ID,
        redirect_uri: pageUrl,
        response_type: 'code',
        scope: 'openid profile',
        audience: AUDIENCE,
        code_challenge_method: 'S256',
        state: expect.stringMatching(/.{20}/),
        nonce: expect.stringMatching(/.{20}/),
      });
      expect(provider.tokenRequests).toEqual([{ grantType: 'authorization_code', error: undefined }]);
    });

    it('is called by the name in the token before the first write, and is told apart from another user with the same name', async () => {
      const account = (page: Page) => page.locator('.header-actions button').last();
      const { page } = await openSignedIn('zoe1');
      expect(await account(page).textContent()).toBe('zoe');
      await account(page).click();
      await page.getByRole('dialog', { name: 'You are zoe' }).waitFor();
      expect(await page.getByLabel('Token', { exact: true }).isVisible()).toBe(false);
      await page.keyboard.press('Escape');
      await upload(page, 'Of the first');
      await until('the page knows the id', async () => (await page.getByText('Mine').count()) > 0);
      expect(await account(page).textContent()).toBe('zoe');
      const other = await openSignedIn('zoe2');
      await upload(other.page, 'Of the second');
      const creators = other.page
        .locator('.card', { hasText: /Of the (first|second)/ })
        .locator('bdi')
        .first();
      await until('both are in the list', async () => (await other.page.getByText(/^zoe #\d+$/).count()) >= 3);
      expect(await creators.textContent()).toMatch(/^zoe #\d+$/);
      expect(await account(other.page).textContent()).toMatch(/^zoe #\d+$/);
    });

    it('stays signed in after a reload and in a new tab, without being asked and without sharing a refresh token', async () => {
      provider.behaviour.lifetimeSeconds = 8;
      const first = await openSignedIn('ada');
      const entry = await first.page.evaluate('history.state');
      await first.page.reload();
      await list(first.page);
      // The page knows by it where the list was scrolled to.
      expect(await first.page.evaluate('history.state')).toEqual(entry);
      const second = await open(`?item=${itemId}`, first.page.context());
      await second.page.getByRole('dialog', { name: 'Lighthouse at dusk' }).waitFor();
      const before = refreshes();
      await until('the first tab has renewed the token twice', () => refreshes() >= before + 2);
      await until('both tabs have the new token', async () => (await tokenIn(first.page)) === (await tokenIn(second.page)));
      expect(authorizations(first).map(({ searchParams }) => searchParams.get('prompt'))).toEqual([null, 'none']);
      expect(authorizations(second)).toEqual([]);
      await first.page.close();
      await second.page.reload();
      await second.page.getByRole('dialog', { name: 'Lighthouse at dusk' }).waitFor();
      expect(authorizations(second).map(({ searchParams }) => searchParams.get('prompt'))).toEqual(['none']);
    });

    it('copies the token for curl, and the API accepts it', async () => {
      const { page } = await openSignedIn('ada');
      await page.locator('.header-actions button').last().click();
      await page.getByText('For developers').click();
      await press(page, 'Copy token');
      await says(page, 'The token is copied.');
      const token = await page.evaluate<string>('navigator.clipboard.readText()');
      const response = await fetch(`${pageUrl}api/content?size=1`, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(200);
    });

    it('who opens a link with a token, also an older one of the same user, is asked before it replaces the sign-in', async () => {
      const token = await tokenIn((await openSignedIn('ada')).page);
      const again = await openSignedIn('ada');
      await again.page.goto(`${pageUrl}#token=${token}`);
      await again.page.getByRole('button', { name: /^Stay/ }).click();
      expect(await tokenIn(again.page)).not.toBe(token);
      const other = await openSignedIn('boris');
      for (const tab of [other.page, (await newVisit(other.page.context())).page]) {
        await tab.goto(`${pageUrl}#token=${token}`);
        await tab.getByRole('dialog', { name: 'Use the token of this link?' }).waitFor();
        await tab.getByRole('button', { name: /^Stay/ }).click();
        await list(tab);
        expect(await tokenIn(tab)).not.toBe(token);
      }
    });

    it('who opens a link with a token is asked before it is used, also one who is not signed in', async () => {
      const token = await tokenIn((await openSignedIn('boris')).page);
      const { page } = await open(`#token=${token}`);
      const question = page.getByRole('dialog', { name: 'Use the token of this link?' });
      await question.getByText('You are not signed in').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(page.url()).not.toContain('token');
      await press(page, 'Do not use it');
      await isSignedOut(page);
      expect(await tokenIn(page)).toBeNull();
      await page.goto(`${pageUrl}#token=${token}`);
      await press(page, 'Use the token');
      await list(page);
      expect(await tokenIn(page)).toBe(token);
    });

    it('whose subject at the provider is a number is not taken for the user with this id', async () => {
      const { creatorId } = (await service.client.get(`/api/content/${itemId}`)).body;
      const { page } = await openSignedIn(String(creatorId), `?item=${itemId}`);
      await page.getByRole('button', { name: '5 stars' }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await upload(page, 'Of a new user');
      await page.getByRole('link', { name: 'Show it' }).click();
      await page.getByRole('button', { name: 'Edit' }).waitFor();
    });

    it('does not see what another user has typed in this tab, whether that user has signed out or not', async () => {
      const token = await tokenIn((await openSignedIn('boris')).page);
      const { page } = await openSignedIn('ada', '?form=upload');
      const name = page.getByRole('dialog', { name: 'Upload' }).getByLabel('Name');
      await name.fill('Typed by ada');
      await page.goto(`${pageUrl}?form=upload#token=${token}`);
      await page.getByRole('button', { name: /^Become/ }).click();
      await until('the form is empty', async () => (await name.inputValue()) === '');
      await name.fill('Typed by boris');
      await page.keyboard.press('Escape');
      await says(page, 'Your draft is kept.');
      await page.locator('.header-actions button').last().click();
      await press(page, 'Forget the token');
      await isSignedOut(page);
      expect(await page.evaluate(`sessionStorage.getItem('drafts')`)).toBeNull();
    });

    it('signs out here first, in all tabs, also in one that was elsewhere, then at the provider, and stays signed out', async () => {
      const first = await openSignedIn('ada');
      const second = await open('', first.page.context());
      await list(second.page);
      const away = await open('', first.page.context());
      await list(away.page);
      await away.page.goto('about:blank');
      await first.page.locator('.header-actions button').last().click();
      await press(first.page, 'Sign out');
      await isSignedOut(second.page);
      await isSignedOut(first.page);
      expect(await tokenIn(first.page)).toBeNull();
      await away.page.goBack();
      await isSignedOut(away.page);
      await second.page.reload();
      await isSignedOut(second.page);
      await press(second.page, 'Sign in');
      await second.page.getByLabel('Login').waitFor();
    });
  });

  describe('a token that nears its end', () => {
    it('is renewed, one request at a time, while a form is open; the list is not read again', async () => {
      provider.behaviour.lifetimeSeconds = 8;
      const { page, requests } = await openSignedIn('ada', '?form=upload');
      await page.getByRole('dialog').getByLabel('Name').fill('Typed meanwhile');
      const lists = (): number => requests.filter((url) => url.includes('/api/content?')).length;
      const before = lists();
      await until('the token is renewed three times', () => refreshes() >= 3);
      expect(lists()).toBe(before);
      expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Typed meanwhile');
      expect(await page.getByRole('dialog').count()).toBe(1);
    });

    it('without a refresh token asks to sign in again; the view and what was typed survive', async () => {
      Object.assign(provider.behaviour, { lifetimeSeconds: 6, issuesRefreshTokens: false });
      const { page } = await openSignedIn('ada', '?prompt=lighthouse&form=upload');
      const name = page.getByRole('dialog', { name: 'Upload' }).getByLabel('Name');
      await name.fill('Typed before');
      const question = page.getByRole('dialog', { name: 'Sign in again' });
      await question.waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      provider.behaviour.lifetimeSeconds = 3_600;
      await question.getByRole('button', { name: 'Sign in again' }).click();
      await page.locator('.results-head h2').filter({ hasText: '“lighthouse”' }).waitFor();
      await question.waitFor({ state: 'detached' });
      expect(page.url()).toBe(`${pageUrl}?prompt=lighthouse&form=upload`);
      expect(await name.inputValue()).toBe('Typed before');
    });

    it('whose refresh token is refused asks to sign in again', async () => {
      Object.assign(provider.behaviour, { lifetimeSeconds: 6, acceptsRefreshTokens: false });
      const { page } = await openSignedIn('ada');
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      expect(refreshes()).toBe(1);
    });
  });

  describe('a tab that has the token of another one', () => {
    /** The tab in which a user has signed in is closed, and the token that it has left has ended. */
    const openLeftAlone = async (use: (first: Page) => Promise<Visit> = typeDraft, lifetimeSeconds = 8): Promise<Visit> => {
      provider.behaviour.lifetimeSeconds = lifetimeSeconds;
      const first = await openSignedIn('ada');
      const left = await use(first.page);
      await first.page.close();
      provider.behaviour.lifetimeSeconds = 3_600;
      const { exp = 0 } = decodeJwt(await tokenIn(left.page));
      await until('the token has ended', () => Date.now() > exp * 1_000);
      return left;
    };
    const typeDraft = async (first: Page): Promise<Visit> => {
      const left = await open('?form=upload', first.context());
      await left.page.getByRole('dialog', { name: 'Upload' }).getByLabel('Name').fill('Typed before');
      return left;
    };
    const send = (page: Page): Promise<void> =>
      page.getByRole('dialog', { name: 'Upload' }).getByRole('button', { name: 'Upload' }).click();
    const prompts = (visit: Visit) => authorizations(visit).map(({ searchParams }) => searchParams.get('prompt'));

    it('gets one of its own at the end of this token, and sends again what was refused', async () => {
      const visit = await openLeftAlone();
      const { page } = visit;
      const ended = await tokenIn(page);
      await send(page);
      await until('the tab has a token of its own', async () => (await tokenIn(page)) !== ended);
      await says(page, '“Typed before” is');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(prompts(visit)).toEqual(['none']);
    });

    it('asks to sign in again after one try, if the provider does not know the user any more', async () => {
      const visit = await openLeftAlone();
      await visit.page.context().clearCookies();
      await send(visit.page);
      await visit.page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      expect(prompts(visit)).toEqual(['none']);
      expect(new URL(visit.page.url()).searchParams.get('form')).toBe('upload');
    });

    it('is not left for a token while what was typed cannot be kept: it asks to sign in again', async () => {
      const visit = await openLeftAlone();
      const { page } = visit;
      await page.evaluate(
        `Storage.prototype.setItem = function (key) { if (key === 'drafts') throw new DOMException('full', 'QuotaExceededError'); }`,
      );
      await send(page);
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      expect(prompts(visit)).toEqual([]);
      expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
      // The click ends with the navigation that it begins, which waits for the answer.
      const asked = page.waitForEvent('dialog').then(async (dialog) => {
        await dialog.dismiss();
        return dialog.type();
      });
      await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('button', { name: 'Sign in again' }).click();
      expect(await asked).toBe('beforeunload');
    });

    it('deletes what was deleted before it was left for a token, and can undo it again', async () => {
      const visit = await openLeftAlone(async (first) => {
        await upload(first, 'Deleted before');
        const left = await open('', first.context());
        // The front shows it in several rows.
        await left.page.getByRole('link', { name: 'Deleted before' }).first().click();
        await left.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await left.page.getByRole('button', { name: 'Delete it' }).waitFor();
        return left;
      }, 20);
      const { page } = visit;
      const id = Number(new URL(page.url()).searchParams.get('item'));
      const ended = await tokenIn(page);
      await press(page, 'Delete it');
      await until('the tab has a token of its own', async () => (await tokenIn(page)) !== ended);
      await says(page, '“Deleted before” was deleted.');
      expect(await page.getByRole('link', { name: 'Deleted before' }).count()).toBe(0);
      const status = async (): Promise<number> => (await service.client.get(`/api/content/${id}`)).status;
      expect(await status()).toBe(200);
      await page.goto('about:blank');
      await until('it is deleted', async () => (await status()) === 404);
      expect(prompts(visit)).toEqual(['none']);
    });

    it('signs out without a question of the provider, also when the other one is closed', async () => {
      const first = await openSignedIn('ada');
      const { page } = await open('', first.page.context());
      await list(page);
      await first.page.close();
      await page.locator('.header-actions button').last().click();
      await press(page, 'Sign out');
      await isSignedOut(page);
      await press(page, 'Sign in');
      await page.getByLabel('Login').waitFor();
    });
  });

  describe('a provider that shows its form although it must not ask is left alone after the first time,', () => {
    it('whether the user comes back without an answer', async () => {
      provider.behaviour.ignoresPromptNone = true;
      const visit = await openSignedIn('ada');
      const { page } = visit;
      const token = await tokenIn(page);
      await page.reload();
      await page.getByLabel('Login').waitFor();
      for (let count = 0; count < 2; count += 1) {
        await page.goto(pageUrl);
        await list(page);
      }
      expect(await tokenIn(page)).toBe(token);
      const other = await open('', page.context());
      await list(other.page);
      await page.close();
      await other.page.reload();
      await list(other.page);
      expect([visit, other].map((each) => authorizations(each).length)).toEqual([2, 0]);
    });

    it('or answers its form', async () => {
      provider.behaviour.ignoresPromptNone = true;
      const visit = await openSignedIn('ada');
      const { page } = visit;
      const left = Date.now();
      await page.reload();
      await page.getByLabel('Login').waitFor();
      await until('a person can have typed', () => Date.now() - left > 5_000);
      await continueAs(page, 'ada');
      await list(page);
      await page.reload();
      await list(page);
      expect(authorizations(visit)).toHaveLength(2);
    });
  });

  describe('a provider that is down', () => {
    it('leaves the tokens that it has issued; the page says what is wrong, and continues when it is back', async () => {
      const { page } = await openSignedIn('ada');
      provider.network.reset();
      await page.reload();
      await list(page);
      await says(page, 'The sign-in service does not respond.');
      const token = await tokenIn(page);
      const other = await open();
      await press(other.page, 'Sign in');
      await says(other.page, 'The sign-in service does not respond.');
      expect(await accessibilityViolations(other.page)).toEqual([]);
      await other.page.getByText('Use a token instead').click();
      await other.page.getByLabel('Token').fill(token);
      await press(other.page, 'Use this token');
      await list(other.page);
      await other.page.getByText('The sign-in service does not respond.').waitFor({ state: 'detached' });
      provider.network.restore();
      await page.reload();
      await list(page);
      await page.getByText('The sign-in service does not respond.').waitFor({ state: 'detached' });
    });

    it('while a token ends is asked again until it responds', async () => {
      provider.behaviour.lifetimeSeconds = 8;
      const { page } = await openSignedIn('ada');
      provider.network.reset();
      const question = page.getByRole('dialog', { name: 'Sign in again' });
      await question.waitFor();
      await says(page, 'The sign-in service does not respond.');
      provider.network.restore();
      await question.waitFor({ state: 'detached' });
      await list(page);
    });
  });

  describe('a response is refused with a sentence and without a request for a token, if', () => {
    const expectRefused = async (page: Page, text: string): Promise<void> => {
      await says(page, text);
      await isSignedOut(page);
      expect(page.url()).toBe(pageUrl);
      expect((await addresses(page)).filter((url) => /[?&](code|state)=/.test(url))).toEqual([]);
      expect(provider.tokenRequests).toEqual([]);
    };

    it('the user has denied it', async () => {
      const { page } = await open();
      await press(page, 'Sign in');
      await press(page, 'Deny');
      await expectRefused(page, 'you did not agree');
      const [text, button] = await Promise.all([page.getByText('you did not agree'), signInButton(page)].map((each) => each.boundingBox()));
      const gap = (button?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0);
      expect(gap).toBeGreaterThanOrEqual(0);
      expect(gap).toBeLessThan(60);
    });

    it.each(['code=stolen&state=foreign', 'code=stolen', 'error=access_denied&error_description=Call+0123'])(
      'this tab has not asked for it: %s',
      async (response) => {
        const { page } = await open(`?${response}`);
        await expectRefused(page, 'This address belongs to another sign-in');
        expect(await page.getByText('0123').count()).toBe(0);
      },
    );

    it('it is of another issuer', async () => {
      const { page } = await open();
      await press(page, 'Sign in');
      await page.getByLabel('Login').waitFor();
      const state = new URL(visits[0]?.requests.find((url) => url.includes('/auth?')) ?? '').searchParams.get('state');
      await page.goto(`${pageUrl}?code=x&state=${state}&iss=https%3A%2F%2Fother.test`);
      await expectRefused(page, 'another sign-in service');
    });

    it('it was used before', async () => {
      const visit = await openSignedIn('ada');
      const response = visit.requests.find((url) => url.includes('?code=')) ?? '';
      provider.tokenRequests.splice(0);
      const other = await newVisit(await newContext());
      await other.page.goto(response);
      await expectRefused(other.page, 'was used before');
      await visit.page.goto(response);
      await says(visit.page, 'was used before');
      await list(visit.page);
      expect(provider.tokenRequests).toEqual([]);
    });
  });

  describe('a token that the service does not accept is named with its setting, and leads to no second redirect:', () => {
    const expectProblem = async (text: string): Promise<void> => {
      const visit = await open();
      await press(visit.page, 'Sign in');
      await continueAs(visit.page, 'ada');
      await says(visit.page, text);
      await isSignedOut(visit.page);
      await visit.page.reload();
      await isSignedOut(visit.page);
      expect(authorizations(visit)).toHaveLength(1);
    };

    it('one that is no JWT', async () => {
      provider.behaviour.format = 'opaque';
      await expectProblem('JWT_AUDIENCE');
    });

    it('one for another API', async () => {
      provider.behaviour.audience = 'https://other.test';
      await expectProblem(`JWT_AUDIENCE is ${AUDIENCE}, and the token is for https://other.test`);
    });
  });

  it('a provider that does not allow the origin of the page is named with the origin', async () => {
    provider.behaviour.allowsOrigins = false;
    const { page } = await open();
    await press(page, 'Sign in');
    await continueAs(page, 'ada');
    await says(page, `must allow the origin ${new URL(pageUrl).origin}`);
  });
});
