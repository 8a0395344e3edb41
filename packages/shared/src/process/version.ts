import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string };

/** The version of the release: that of the package.json of the repository, which the image contains. */
export const VERSION = version;
