import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { closeBrowser, describeInBrowser, openBrowser } from '../support/browser/browser.ts';
import { SCREENS, unusableControls } from '../support/browser/controls.ts';
import { accessibilityViolations, isScrolledSideways, newVisit, startDemoService, type Visit } from '../support/browser/web-page.ts';
import { declareFields } from '../support/database/declare-fields.ts';
import { storeContent } from '../support/database/stored-content.ts';
import { tokenOf } from '../support/http/tokens.ts';
import { until } from '../support/jest/until.ts';
import { createEnvironment } from '../support/processes/environment.ts';
import { openStores, startService, type Service } from '../support/processes/service.ts';

// The demo collection declares `kind`, `level`, `minutes`, `licence` and the group `worksWith`.

describeInBrowser('declared fields in the web page', () => {
  let service: Service;
  let browser: Browser;
  let userId: number;
  const visits: Visit[] = [];
  beforeAll(async () => {
    ({ service, userId } = await startDemoService());
    browser = await openBrowser();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await service.stop();
  });
  afterEach(async () => {
    for (const { page } of visits.splice(0)) await page.context().close();
  });

  const open = async (path = '/', screen = SCREENS[2]): Promise<Visit> => {
    const { width = 1440, height = 900, isTouch = false } = screen ?? {};
    const visit = await newVisit(browser, { viewport: { width, height }, hasTouch: isTouch });
    visits.push(visit);
    await visit.page.goto(`${service.client.baseUrl}${path}#token=${await tokenOf(userId)}`);
    await visit.heading.filter({ hasText: /\d/ }).waitFor();
    return visit;
  };
  const list = async (query: Record<string, string | string[]>) => {
    const parameters = new URLSearchParams();
    for (const [name, values] of Object.entries(query)) for (const value of [values].flat()) parameters.append(name, value);
    return (await service.client.get(`/api/content?${parameters.toString()}`)).body as {
      totalElements: number;
      content: Record<string, unknown>[];
    };
  };
  const total = async (query: Record<string, string | string[]>): Promise<number> => (await list(query)).totalElements;
  const untilShown = (visit: Visit, count: number) => visit.heading.filter({ hasText: new RegExp(`^${count} items?\\b`) }).waitFor();
  const queryOf = ({ page }: Visit) => new URL(page.url()).searchParams;
  const choice = (visit: Visit, legend: string, label: string) =>
    visit.page.getByRole('group', { name: legend, exact: true }).getByRole('checkbox', { name: new RegExp(`^${label}`) });

  it('two kinds, one licence and a range narrow the list, each with counts that ignore its own choice', async () => {
    const visit = await open('/?sort=best');
    await choice(visit, 'Kind', 'Recipe').check();
    await untilShown(visit, await total({ where: ['kind:Recipe'] }));
    await choice(visit, 'Kind', 'Game').check();
    const two = await total({ where: ['kind:Recipe', 'kind:Game'] });
    await untilShown(visit, two);
    await choice(visit, 'Licence', 'CC0-1.0').check();
    const conditions = ['kind:Recipe', 'kind:Game', 'licence:CC0-1.0'];
    await untilShown(visit, await total({ where: conditions }));
    await visit.page.getByRole('group', { name: 'Minutes', exact: true }).getByLabel('To').fill('30');
    await visit.page.keyboard.press('Enter');
    const all = [...conditions, 'minutes:<=30'];
    const found = await total({ where: all });
    await untilShown(visit, found);
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(two);
    expect(queryOf(visit).getAll('where')).toEqual(all);
    // Another kind would be found with the other filters.
    const cards = await total({ where: ['kind:Cards', 'licence:CC0-1.0', 'minutes:<=30'] });
    expect(await choice(visit, 'Kind', 'Cards').locator('xpath=..').innerText()).toContain(String(cards));
    expect(await accessibilityViolations(visit.page)).toEqual([]);
  });

  it('a field whose counts are estimated says so, and no other one', async () => {
    const visit = await open('/?sort=best');
    await visit.page.route(/api\/content\/facets/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), sampled: { 'fields.kind': 0.25 } } });
    });
    await visit.page.reload();
    const countsOf = (legend: string) => visit.page.getByRole('group', { name: legend, exact: true }).locator('.choice-count');
    const recipes = Number((await total({ where: ['kind:Recipe'] })).toPrecision(2));
    await choice(visit, 'Kind', `Recipe about ${recipes} items`).waitFor();
    for (const text of await countsOf('Kind').allInnerTexts()) expect(text).toMatch(/^about \d/);
    expect((await countsOf('Licence').allInnerTexts()).join()).toMatch(/^\d+[^a]*$/);
    expect(await accessibilityViolations(visit.page)).toEqual([]);
  });

  it('a shared address shows what narrows the list, and each can be removed', async () => {
    const visit = await open('/?where=kind:Recipe&where=kind:Game&where=minutes:%3E%3D20&where=minutes:%3C%3D60&whereNot=licence:MIT');
    const remove = (label: string) => visit.button(`Remove the filter ${label}`);
    await remove('Kind: Recipe or Game').waitFor();
    await remove('without Licence: MIT').waitFor();
    await remove('Minutes: 20 to 60').click();
    await untilShown(visit, await total({ where: ['kind:Recipe', 'kind:Game'], whereNot: ['licence:MIT'] }));
  });

  it('an address with a range in one condition shows its ends in the inputs, and changing one keeps the other', async () => {
    const visit = await open('/?where=minutes:20..60&where=worksWith.version:4..');
    await visit.button('Remove the filter Minutes: 20 to 60').waitFor();
    await visit.button('Remove the filter Works with, version: at least 4').click();
    await untilShown(visit, await total({ where: 'minutes:20..60' }));
    const minutes = visit.page.getByRole('group', { name: 'Minutes', exact: true });
    expect([await minutes.getByLabel('From').inputValue(), await minutes.getByLabel('To').inputValue()]).toEqual(['20', '60']);
    await minutes.getByLabel('From').fill('30');
    await visit.page.keyboard.press('Enter');
    await untilShown(visit, await total({ where: ['minutes:>=30', 'minutes:<=60'] }));
    expect(queryOf(visit).getAll('where')).toEqual(['minutes:>=30', 'minutes:<=60']);
  });

  it('a number that can be read in two ways is refused beside its input, and changes nothing', async () => {
    const visit = await open('/?sort=best');
    const to = visit.page.getByRole('group', { name: 'Minutes', exact: true }).getByLabel('To');
    await to.fill('1,500');
    await to.press('Enter');
    await visit.page.getByRole('group', { name: 'Minutes', exact: true }).getByText('This must be a number.').waitFor();
    expect([await to.inputValue(), await to.getAttribute('aria-invalid')]).toEqual(['1,500', 'true']);
    expect(queryOf(visit).getAll('where')).toEqual([]);
    expect(await accessibilityViolations(visit.page)).toEqual([]);
    await to.fill('30');
    await to.press('Enter');
    await untilShown(visit, await total({ where: 'minutes:<=30' }));
    expect(await to.getAttribute('aria-invalid')).toBe('false');
  });

  it('one entry of a group has both of its chosen values, and a value of an item leads to the others that have it', async () => {
    const visit = await open('/?where=worksWith.program:Godot');
    await choice(visit, 'Works with, version', '4.3').check();
    const both = ['worksWith.program:Godot', 'worksWith.version:4.3'];
    await untilShown(visit, await total({ where: both }));
    await visit.page.locator('.card a').first().click();
    await visit.dialog.getByRole('link', { name: 'Godot, 4.3', exact: true }).click();
    await untilShown(visit, await total({ where: both }));
  });

  it('the list can be sorted by a number, and items without one come last', async () => {
    const visit = await open();
    await visit.page.getByLabel('Sort by').selectOption('Minutes: largest first');
    const { content } = await list({ sort: 'fields.minutes,desc' });
    await visit.card(String(content[0]?.['name'])).waitFor();
    expect(await visit.page.locator('.card').first().getByRole('link').first().innerText()).toBe(content[0]?.['name']);
  });

  it('an upload says beside its input which value is wrong, is stored when it is right, and shows its values in the edit form', async () => {
    const visit = await open('/?form=upload');
    const { dialog } = visit;
    await dialog.getByLabel('Name').fill('A field trip');
    await dialog.getByLabel('Kind').selectOption('Route');
    await dialog.getByLabel('Minutes').fill('0');
    await dialog.getByLabel('program').fill('Godot');
    await dialog.getByLabel('version').first().fill('4.3');
    await visit.dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    const minutes = dialog.locator('.field', { has: visit.page.getByLabel('Minutes') });
    await minutes.locator('.error').filter({ hasText: 'at least 1' }).waitFor();
    expect(await dialog.getByLabel('Minutes').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Minutes').fill('25');
    await visit.dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await visit.card('A field trip').waitFor();
    const [item] = (await list({ prompt: '"A field trip"', include: 'fields' })).content;
    expect(item?.['fields']).toEqual({ kind: 'Route', minutes: 25, worksWith: [{ program: 'Godot', version: '4.3' }] });

    await visit.page.goto(`${service.client.baseUrl}/?item=${String(item?.['contentId'])}&form=edit`);
    await dialog.getByLabel('Minutes').filter({ visible: true }).waitFor();
    expect([await dialog.getByLabel('Minutes').inputValue(), await dialog.getByLabel('program').inputValue()]).toEqual(['25', 'Godot']);
    await dialog.getByLabel('Minutes').fill('');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    // The item is shown as it was until it has been read again.
    await dialog.getByRole('term').filter({ hasText: 'Kind' }).waitFor();
    await dialog.getByRole('term').filter({ hasText: 'Minutes' }).waitFor({ state: 'detached' });
    expect(await dialog.getByRole('term').allInnerTexts()).toEqual(['Kind', 'Works with']);
  });

  it.each(SCREENS)('at $width px, filters, an item and the form with declared fields fit and can be used', async (screen) => {
    const visit = await open('/?where=kind:Program&sort=best', screen);
    if (screen.width < 900) await visit.button(/^Filters/).click();
    await choice(visit, 'Licence', 'MIT').waitFor();
    expect([await unusableControls(visit.page), await isScrolledSideways(visit.page)]).toEqual([[], false]);
    expect(await accessibilityViolations(visit.page)).toEqual([]);
    const { content } = await list({ where: 'worksWith.program:Python', size: '1' });
    await visit.page.goto(`${service.client.baseUrl}/?item=${String(content[0]?.['contentId'])}`);
    await visit.dialog.getByRole('term').first().waitFor();
    expect([await unusableControls(visit.page), await accessibilityViolations(visit.page)]).toEqual([[], []]);
    await visit.page.goto(`${service.client.baseUrl}/?form=upload`);
    await visit.dialog.getByLabel('Minutes').waitFor();
    expect([await unusableControls(visit.page), await accessibilityViolations(visit.page)]).toEqual([[], []]);
  });
});

describeInBrowser('more declared fields than one request counts, in the web page', () => {
  const NAMES = Array.from({ length: 10 }, (_, n) => `field${n}`);
  const FILE = { ...Object.fromEntries(NAMES.map((name) => [name, { type: 'keyword' }])), engine: { type: 'version' } };
  let service: Service;
  let browser: Browser;
  let formerId: number;
  beforeAll(async () => {
    const env = await createEnvironment();
    const { close, ...stores } = openStores(env);
    await declareFields(stores.database, FILE);
    const fields = (value: string) => Object.fromEntries(NAMES.map((name) => [name, value]));
    const items = ['a', 'a', 'b'].map((value, n) => ({ name: `item ${n}`, fields: fields(value) }));
    // Values of the types that two fields had once.
    const former = { field0: { game: '1.20', loader: 'x' }, field1: ['a', 'b'], field2: 'c', engine: 'v1.20' };
    [, , , formerId = 0] = await storeContent(stores.database, [...items, { name: 'former', fields: former }]);
    await close();
    [service, browser] = await Promise.all([startService(env), openBrowser()]);
    await service.indexed();
  });
  afterAll(async () => {
    await closeBrowser(browser);
    await service.stop();
  });

  it('have their choices with counts, also the fifth one with a choice, and one that waits for a rebuild is not shown', async () => {
    await declareFields(service.database, { ...FILE, waiting: { type: 'keyword', values: ['a'] } });
    const isDeclared = async () => (await service.client.get('/api/fields')).body.fields.length === NAMES.length + 2;
    await until('the page has the new field', isDeclared);
    const visit = await newVisit(browser, { viewport: { width: 1440, height: 900 } });
    const group = (name: string) => visit.page.getByRole('group', { name, exact: true });
    const untilCounted = async (chosen: number[]): Promise<void> => {
      const query = chosen.map((n) => `where=${NAMES[n]}:a`).join('&');
      await visit.page.goto(`${service.client.baseUrl}/?${query}#token=${await tokenOf(1)}`);
      for (const n of NAMES.keys()) {
        const choice = group(`Field ${n}`).getByRole('checkbox', { name: 'a 2 items', exact: true });
        await choice.waitFor();
        expect(await choice.isChecked()).toBe(chosen.includes(n));
      }
    };
    await untilCounted([]);
    await untilCounted([0, 2, 4, 6, 7, 9]);
    expect(await group('Waiting').count()).toBe(0);
    await visit.page.context().close();
  });

  it('show values in an item as links to what the filters count, and none of an earlier type, which no filter finds', async () => {
    const visit = await newVisit(browser);
    await visit.page.goto(`${service.client.baseUrl}/?item=${formerId}#token=${await tokenOf(1)}`);
    await visit.dialog.getByRole('term').filter({ hasText: 'Field 2' }).waitFor();
    const values = visit.dialog.getByRole('definition');
    expect(await values.allInnerTexts()).toEqual(['c', 'v1.20']);
    expect(await values.getByRole('link').allInnerTexts()).toEqual(['c', 'v1.20']);
    await values.getByRole('link', { name: 'v1.20' }).click();
    const engine = visit.page
      .getByRole('group', { name: 'Engine', exact: true })
      .getByRole('checkbox', { name: '1.20 1 item', exact: true });
    await engine.waitFor();
    expect(await engine.isChecked()).toBe(true);
    await visit.page.context().close();
  });
});
