import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ChaosProxy } from '../cluster/chaos-proxy.ts';
import { encodePng } from '../database/images.ts';
import { tokenOf } from '../http/tokens.ts';
import type { Service } from '../processes/service.ts';
import { closeBrowser, describeInBrowser, openBrowser } from './browser.ts';
import { accessibilityViolations, newVisit, startDemoService, type Visit } from './web-page.ts';

/** What the tests of a file share: a service with the demo collection, behind a proxy that fails on request. */
export type Started = {
  service: Service;
  browser: Browser;
  proxy: ChaosProxy;
  baseUrl: string;
  /** A creator with several items, `pixel_otter`. */
  userId: number;
  /** "Lighthouse at dusk", of this creator. */
  itemId: number;
  /** Those whose contexts are closed, and whose requests are looked at, after the test. */
  visits: Visit[];
};

type Options = Parameters<typeof newVisit>[1];

const visits: Visit[] = [];
/** Pictures that the page has requested and that do not exist: each is an error in the console. */
const missing: string[] = [];
let started: Started;

/** A group of tests of the page. @param assign called before the first test */
export function describePage(name: string, assign: (given: Started) => void, tests: () => void): void {
  describeInBrowser(name, () => {
    beforeAll(async () => {
      const demo = await startDemoService();
      const proxy = await ChaosProxy.before(demo.service.client.baseUrl);
      started = { ...demo, proxy, baseUrl: proxy.url.replace(/\/$/, ''), browser: await openBrowser(), visits };
      assign(started);
    });
    afterAll(async () => {
      await closeBrowser(started.browser);
      await started.proxy.close();
      await started.service.stop();
    });
    afterEach(async () => {
      started.proxy.restore();
      for (const { page } of visits) await page.context().close();
      const watched = visits.splice(0).map((visit) => visit.watched);
      expect(watched).toEqual(watched.map(() => ({ violations: [], origins: new Set([started.baseUrl]), errors: [] })));
      expect(missing.splice(0)).toEqual([]);
    });
    tests();
  });
}

/** Opens the page as a user, by default without a token. */
export async function open(path = '/', options: Options & { token?: string } = {}): Promise<Visit> {
  const { token, ...context } = options;
  const visit = await newVisit(started.browser, context);
  visits.push(visit);
  visit.page.on('response', (response) => {
    if (response.status() === 404 && response.url().endsWith('/thumbnail')) missing.push(response.url());
  });
  await visit.page.goto(started.baseUrl + path + (token === undefined ? '' : `#token=${token}`));
  return visit;
}

export async function openAsUser(path = '/', options: Options = {}): Promise<Visit> {
  const visit = await open(path, { token: await tokenOf(started.userId), ...options });
  await visit.heading.filter({ hasText: /\d/ }).waitFor();
  return visit;
}

export async function expectAccessible({ page }: Visit): Promise<void> {
  expect(await accessibilityViolations(page)).toEqual([]);
}

const KEEP_NOTES = `const { setTimeout: original } = window;
window.setTimeout = (run, ms, ...others) => ([8000, 20000].includes(ms) ? ((window.endNote = run), 0) : original(run, ms, ...others));`;

/** Notes of the page stay as long as the test needs, however slow the machine is. @returns a function that ends the newest */
export async function keepNotes({ page }: Visit): Promise<() => Promise<void>> {
  await page.evaluate(KEEP_NOTES);
  return () => page.evaluate('endNote()');
}

export const queryOf = ({ page }: Visit): string => new URL(page.url()).search;

export const PICTURE = {
  name: 'picture.png',
  mimeType: 'image/png',
  buffer: encodePng({
    width: 96,
    height: 96,
    channels: 3,
    pixels: Buffer.from(Array.from({ length: 96 * 96 * 3 }, (_, at) => (at * at) % 251)),
  }),
};
