import { expect, it } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { Browser } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser } from '../support/browser/browser.ts';
import { accessibilityViolations, isScrolledSideways, newVisit, startDemoService, type Visit } from '../support/browser/web-page.ts';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { tokenOf } from '../support/http/tokens.ts';
import { startAnotherApi } from '../support/processes/api-alone.ts';
import type { Service } from '../support/processes/service.ts';

const SCREENS = [390, 1440].map((width) => ({ width, height: 900 }));

describeInBrowser('the web page', () => {
  let browser: Browser;
  let service: Service;
  let reviewing: Awaited<ReturnType<typeof startAnotherApi>>;
  let userId: number;
  const visits: Visit[] = [];
  beforeAll(async () => {
    [browser, { service, userId }] = await Promise.all([openBrowser(), startDemoService()]);
    reviewing = await startAnotherApi({ ...service.env, NEW_ITEMS: 'review' });
  });
  afterEach(() => Promise.all(visits.splice(0).map(({ page }) => page.context().close())));
  afterAll(async () => {
    await closeBrowser(browser);
    await reviewing.stop();
    await service.stop();
  });

  const open = async (path: string, claims: JWTPayload = {}, screen = SCREENS[1]!, user = userId, url = service.url): Promise<Visit> => {
    const visit = await newVisit(browser, { viewport: screen });
    visits.push(visit);
    await visit.page.goto(`${url}${path}#token=${await tokenOf(user, claims)}`);
    return visit;
  };
  const look = async ({ page }: Visit, name: string): Promise<void> => {
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await isScrolledSideways(page)).toBe(false);
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  it.each(SCREENS)('at $width pixels keeps a draft, lists it among the own items, and makes it unlisted and public', async (screen) => {
    const name = `Draft of ${screen.width}`;
    const visit = await open('/?form=upload', {}, screen);
    await visit.dialog.getByLabel('Name', { exact: true }).fill(name);
    await visit.dialog.getByLabel('Who sees it').selectOption('draft');
    await visit.dialog.getByLabel('Show it to everybody at').waitFor();
    await look(visit, `form-${screen.width}`);
    await visit.dialog.getByRole('button', { name: 'Save as draft' }).click();
    await visit.card(name).getByText('Draft').first().waitFor();
    await look(visit, `mine-${screen.width}`);
    await visit.card(name).getByRole('link').click();
    await visit.dialog.getByText('A draft: only you see it.').waitFor();
    await look(visit, `draft-${screen.width}`);
    await visit.dialog.getByRole('button', { name: 'Make it unlisted' }).click();
    await visit.dialog.getByRole('button', { name: 'Copy its link' }).waitFor();
    await look(visit, `unlisted-${screen.width}`);
    const { body } = await service.client.get('/api/users/me/content?size=1', userId);
    const [{ contentId, key }] = body.content;
    const stranger = await open(`/?item=${contentId}&key=${key}`, {}, screen, userId + 1);
    await stranger.dialog.getByText('Unlisted: whoever has its link sees it').waitFor();
    await visit.dialog.getByRole('button', { name: 'Publish' }).click();
    await visit.dialog.getByText('Unlisted').waitFor({ state: 'hidden' });
    expect((await service.client.get(`/api/content/${contentId}`, userId + 1)).status).toBe(200);
  });

  it('makes an own item a draft, and public again, by the form of its edit', async () => {
    const id = await service.client.upload({ name: 'Seen by all' }, userId);
    const visit = await open(`/?item=${id}&form=edit`);
    const seen = async (user: number) => (await service.client.get(`/api/content/${id}`, user)).status;
    await visit.dialog.getByLabel('Who sees it').selectOption('draft');
    await visit.dialog.getByLabel('Show it to everybody at').fill('2999-12-24T18:00');
    await look(visit, 'edit-1440');
    await visit.dialog.getByRole('button', { name: 'Save as draft' }).click();
    await visit.dialog.getByText('Everybody sees it from Dec 24, 2999').waitFor();
    expect(await seen(userId + 1)).toBe(404);
    await visit.dialog.getByRole('button', { name: 'Edit' }).click();
    expect(await visit.dialog.getByLabel('Show it to everybody at').inputValue()).toBe('2999-12-24T18:00');
    await visit.dialog.getByLabel('Who sees it').selectOption('public');
    await visit.dialog.getByRole('button', { name: 'Publish' }).click();
    await visit.dialog.getByText('A draft: only you see it.').waitFor({ state: 'detached' });
    await visit.dialog.getByRole('button', { name: 'Edit' }).waitFor();
    expect(await seen(userId + 1)).toBe(200);
  });

  const moderate = (path: string): Promise<Visit> => open(path, { scope: 'content:moderate' }, SCREENS[1], userId + 1);
  const sendAsModerator = (method: string, path: string, body: unknown) =>
    service.client.send(method, path, body, { sub: String(userId + 1), scope: 'content:moderate' });
  const openReviewing = (path: string): Promise<Visit> => open(path, {}, SCREENS[1], userId, reviewing.client.baseUrl);

  it('says that an item waits for a review, and not who sees it, where its creator may not make it unlisted alone', async () => {
    const upload = (name: string): Promise<number> => service.client.upload({ name, visibility: 'draft' }, userId);
    const visit = await openReviewing(`/?item=${await upload('By a button')}`);
    await visit.dialog.getByRole('button', { name: 'Make it unlisted' }).click();
    await visit.dialog.getByText('“By a button” waits for a moderator.').waitFor();
    await visit.dialog.getByText('It waits for a moderator, and is in no list.').waitFor();
    const form = await openReviewing(`/?item=${await upload('By its form')}&form=edit`);
    await form.dialog.getByLabel('Who sees it').selectOption('unlisted');
    await form.dialog.getByRole('button', { name: 'Save unlisted' }).click();
    await form.dialog.getByText('“By its form” waits for a moderator.').waitFor();
    for (const { page } of [visit, form]) expect(await page.getByText('Whoever has its link may see it.').count()).toBe(0);
  });

  it('says nothing of who sees an item while it is hidden, and closes one that its moderator may not read once it is shown', async () => {
    const upload = { name: 'Unlisted and hidden', visibility: 'unlisted', publishAt: '2999-12-24T18:00:00Z' };
    const id = await service.client.upload(upload, userId);
    expect((await sendAsModerator('PUT', `/api/content/${id}/hidden`, { reason: 'Spam.' })).status).toBe(204);
    const creator = await open(`/?item=${id}`);
    await creator.dialog.getByText('Spam.').waitFor();
    await creator.dialog.getByText(/version \d/).waitFor();
    expect(await creator.dialog.getByText(/whoever has its link|Everybody sees it/).count()).toBe(0);
    const moderator = await moderate(`/?item=${id}`);
    await moderator.dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await moderator.dialog.getByRole('button', { name: 'Show it' }).click();
    await moderator.page.getByText('“Unlisted and hidden” is no longer hidden.').waitFor();
    await moderator.dialog.waitFor({ state: 'detached' });
  });

  it('shows an item as somebody has changed it to whoever decides about it meanwhile, who can then decide again', async () => {
    const change = (id: number) => service.client.send('PATCH', `/api/content/${id}`, { description: 'Changed meanwhile' }, userId);
    const waiting = await reviewing.client.upload({ name: 'Changed in review' }, userId);
    const moderator = await moderate(`/?item=${waiting}`);
    const draft = await service.client.upload({ name: 'Changed draft', visibility: 'draft' }, userId);
    const creator = await open(`/?item=${draft}`);
    const decisions = [
      { visit: moderator, id: waiting, decision: 'Publish', done: '“Changed in review” is published.' },
      { visit: creator, id: draft, decision: 'Make it unlisted', done: 'Whoever has its link may see it.' },
    ];
    for (const { visit, id, decision, done } of decisions) {
      const button = visit.dialog.getByRole('button', { name: decision });
      await button.waitFor();
      await change(id);
      await button.click();
      await visit.dialog.getByRole('alert').filter({ hasText: 'Somebody changed it since you opened it.' }).waitFor();
      await visit.dialog.getByText('Changed meanwhile').waitFor();
      await look(visit, `outdated-${decision}`);
      await button.click();
      await visit.page.getByText(done).first().waitFor();
    }
  });

  it('marks a hidden item, and a refused one, in each list of its creator', async () => {
    const [hidden, refused] = ['Marked as hidden', 'Marked as refused'];
    const hiddenId = await service.client.upload({ name: hidden }, userId);
    await sendAsModerator('PUT', `/api/content/${hiddenId}/hidden`, { reason: 'Spam.' });
    const refusedId = await reviewing.client.upload({ name: refused }, userId);
    await sendAsModerator('PUT', `/api/content/${refusedId}/review`, { decision: 'refuse', reason: 'No picture.' });
    const creator = await open('/?hidden=mine');
    await creator.card(hidden).locator('strong', { hasText: 'Hidden' }).waitFor();
    await creator.card(refused).getByText('Not published').waitFor();
    expect(await creator.card(refused).getByText('In review').count()).toBe(0);
    await look(creator, 'marks-of-own');
    const waiting = await open('/?hidden=review');
    await waiting.card(refused).getByText('Not published').waitFor();
  });

  it('tells moderators what an item becomes when they publish it, and closes it if they may not read it then', async () => {
    const upload = { name: 'For friends', visibility: 'unlisted', publishAt: '2999-12-24T18:00:00Z' };
    const id = await reviewing.client.upload(upload, userId);
    const moderator = await open(`/?item=${id}`, { scope: 'content:moderate' }, SCREENS[1], userId + 1);
    await moderator.dialog.getByText('Once it is published, whoever has its link sees it').waitFor();
    await moderator.dialog.getByText('Everybody sees it from Dec 24, 2999').waitFor();
    await look(moderator, 'becomes-unlisted');
    await moderator.dialog.getByRole('button', { name: 'Publish' }).click();
    await moderator.page.getByText('Whoever has its link may see it. Everybody sees it from Dec 24, 2999').waitFor();
    await moderator.dialog.waitFor({ state: 'detached' });
  });

  it('offers moderators no decision about a hidden item, until they show it again', async () => {
    const id = await reviewing.client.upload({ name: 'Hidden while it waits' }, userId);
    const moderator = await open(`/?item=${id}`, { scope: 'content:moderate' }, SCREENS[1], userId + 1);
    const publish = moderator.dialog.getByRole('button', { name: 'Publish' });
    await publish.waitFor();
    await moderator.dialog.getByRole('button', { name: 'Hide', exact: true }).click();
    await moderator.dialog.getByLabel('Reason').last().fill('Spam.');
    await moderator.dialog.getByRole('button', { name: 'Hide it' }).click();
    await publish.waitFor({ state: 'hidden' });
    expect(await moderator.dialog.getByText('It waits for a moderator').count()).toBe(0);
    await moderator.dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await moderator.dialog.getByRole('button', { name: 'Show it' }).click();
    await publish.waitFor();
  });

  it.each(SCREENS)('at $width pixels shows moderators what waits, and lets them refuse and publish it', async (screen) => {
    const id = await reviewing.client.upload({ name: `Waiting ${screen.width}` }, userId);
    const moderator = await open('/?hidden=review', { scope: 'content:moderate' }, screen, userId + 1);
    await moderator.card(`Waiting ${screen.width}`).waitFor();
    await look(moderator, `queue-${screen.width}`);
    await moderator.card(`Waiting ${screen.width}`).getByRole('link').click();
    await moderator.dialog.getByRole('button', { name: 'Refuse' }).click();
    await moderator.dialog.getByRole('alert').filter({ hasText: 'Enter a reason.' }).waitFor();
    await moderator.dialog.getByLabel('Reason').fill('It needs a picture.');
    await moderator.dialog.getByRole('button', { name: 'Refuse' }).click();
    await moderator.dialog.getByText('It needs a picture.').waitFor();
    await look(moderator, `refused-${screen.width}`);
    await moderator.dialog.getByRole('button', { name: 'Publish' }).click();
    await moderator.dialog.getByText('It needs a picture.').waitFor({ state: 'hidden' });
    expect((await service.client.get(`/api/content/${id}`, userId + 2)).status).toBe(200);
  });
});
