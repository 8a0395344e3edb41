import bundled from '@sparticuz/chromium';

/** The package contains Chromium for Linux on x64, which needs no system packages. */
const HAS_BUNDLED = process.platform === 'linux' && process.arch === 'x64';

/**
 * The browser of CHROME_PATH or the bundled one, which the first call unpacks. Not for several processes at once.
 * @returns undefined if there is neither
 */
export async function chromiumPath(): Promise<string | undefined> {
  if (process.env['CHROME_PATH']) return process.env['CHROME_PATH'];
  return HAS_BUNDLED ? bundled.executablePath() : undefined;
}
