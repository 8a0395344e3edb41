import { describe } from '@jest/globals';
import bundled from '@sparticuz/chromium';
import { chromium, type Browser, type Page } from 'playwright-core';

/** The package contains Chromium for Linux on x64, which needs no system packages. */
const HAS_BUNDLED = process.platform === 'linux' && process.arch === 'x64';
const CHROME_PATH = process.env['CHROME_PATH'] ?? '';

/** A group of tests that need Chromium: the one of CHROME_PATH or the bundled one. Without either they are skipped. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROME_PATH !== '' || HAS_BUNDLED) describe(name, tests);
  else describe.skip(`${name} (skipped: CHROME_PATH must name a Chromium on this machine)`, tests);
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = CHROME_PATH === '' ? await bundled.executablePath() : CHROME_PATH;
  // The arguments that the package proposes turn off security checks, and end the browser together with a page.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
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
