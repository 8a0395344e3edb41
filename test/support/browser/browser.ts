import { describe } from '@jest/globals';
import { withTimeout } from '@ugc/shared/timing/timeouts';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

const executablePath = await chromiumPath();

/** A group of tests that need Chromium: the one of CHROME_PATH or the bundled one. Without either they are skipped. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (executablePath === undefined) describe.skip(`${name} (skipped: CHROME_PATH must name a Chromium on this machine)`, tests);
  else describe(name, tests);
}

export function openBrowser(): Promise<Browser> {
  // The arguments that the package proposes turn off security checks, and end the browser together with a page.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

const CLOSE_TIMEOUT_MS = 20_000;

/** On a busy machine Chromium does not always end; then the end of the worker ends it. */
export async function closeBrowser(browser: Browser): Promise<void> {
  await withTimeout(CLOSE_TIMEOUT_MS, browser.close());
}

export type Watched = {
  /** What the Content-Security-Policy has prevented. */
  violations: string[];
  /** The origins of all requests. */
  origins: Set<string>;
  /** Uncaught exceptions of scripts. */
  errors: string[];
};

/** Records what a page does from its first request on. Must be called before the page is opened. */
export async function watch(page: Page): Promise<Watched> {
  const watched: Watched = { violations: [], origins: new Set(), errors: [] };
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http')) watched.origins.add(origin);
  });
  page.on('pageerror', (error) => watched.errors.push(String(error)));
  await page.exposeFunction('reportViolation', (text: string) => watched.violations.push(text));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber))`);
  return watched;
}
