import { expect } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { VERSION } from '@ugc/shared/process/metrics';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dateOf } from '../../../tools/release/changelog.ts';
import { INTENDED_BREACHES } from './intended-breaches.ts';

const FOLDER = join(CHECKOUT, 'test/kept');

/** The releases whose promises are kept. */
export const KEPT_RELEASES = existsSync(FOLDER) ? readdirSync(FOLDER).toSorted() : [];

/**
 * Expects that nothing which a release promises is missing. With FREEZE_RELEASE=1, which `npx pnpm release --freeze` sets,
 * what is promised now is kept as that of this version before.
 * @param findBreaches what of the first is missing in the second
 */
export function expectKept<T>(file: string, current: T, findBreaches: (kept: T, current: T) => string[]): void {
  const written = `${JSON.stringify(current, null, 1)}\n`;
  if (process.env['FREEZE_RELEASE'] === '1') freeze(file, written);
  const now = JSON.parse(written) as T;
  for (const release of KEPT_RELEASES) {
    const kept = readKept(release, file);
    if (kept !== undefined) expect(breachesBut(release, findBreaches(JSON.parse(kept) as T, now))).toEqual([]);
  }
}

/** A list whose entries are promised, each by itself. */
export function expectKeptEntries(file: string, current: string[]): void {
  expectKept(file, [...new Set(current)].toSorted(), (kept, now) => kept.filter((entry) => !now.includes(entry)));
}

/** @returns the text of a kept file; undefined if this release had none */
export function readKept(release: string, file: string): string | undefined {
  const path = join(FOLDER, release, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** @throws Error once this version is released: what is promised stays */
export function freeze(file: string, text: string): void {
  if (dateOf(readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8'), VERSION) !== undefined)
    throw new Error(`${VERSION} is released: its kept lists never change. Set the next version in package.json first.`);
  mkdirSync(join(FOLDER, VERSION), { recursive: true });
  writeFileSync(join(FOLDER, VERSION, file), text);
}

function breachesBut(release: string, breaches: string[]): string[] {
  const intended = release.split('.')[0] === VERSION.split('.')[0] ? {} : INTENDED_BREACHES;
  return breaches.filter((breach) => !(breach in intended));
}
