import { expect } from '@jest/globals';
import { CHECKOUT } from '@ugc/local-stack/service-process';
import { VERSION } from '@ugc/shared/process/version';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dateOf } from '../../../tools/release/changelog.ts';
import { HARMLESS_CHANGES, INTENDED_BREACHES } from './intended-breaches.ts';

const FOLDER = join(CHECKOUT, 'test/kept');

/** The releases whose promises are kept, the oldest first. */
export const KEPT_RELEASES = existsSync(FOLDER)
  ? readdirSync(FOLDER).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  : [];

/**
 * Expects that nothing which a release promises is missing. With FREEZE_RELEASE=1, which `npx pnpm release --freeze` sets,
 * what is promised now is kept as that of this version before.
 * @param findBreaches what of the first is missing in the second
 */
export function expectKept<T>(file: string, current: T, findBreaches: (kept: T, current: T) => string[]): void {
  const now = JSON.parse(JSON.stringify(current)) as T;
  expectStillKept<T>(
    file,
    () => now,
    (kept) => findBreaches(kept, now),
  );
}

/**
 * Expects that what a release has recorded still holds, of something that is only worth recording once.
 * @param record what is kept of this version
 */
export function expectStillKept<T>(file: string, record: () => T, findBreaches: (kept: T) => string[]): void {
  if (process.env['FREEZE_RELEASE'] === '1') freeze(file, `${JSON.stringify(record(), null, 1)}\n`);
  for (const release of KEPT_RELEASES) {
    const kept = readKept(release, file);
    if (kept !== undefined) expect(breachesBut(release, findBreaches(JSON.parse(kept) as T))).toEqual([]);
  }
}

/** A list whose entries are promised, each by itself. */
export function expectKeptEntries(file: string, current: string[]): void {
  expectKept(file, [...new Set(current)].toSorted(), (kept, now) => kept.filter((entry) => !now.includes(entry)));
}

/** A list to which nothing may be added, such as what the service needs of others. */
export function expectNoneAdded(file: string, current: string[]): void {
  expectKept(file, [...new Set(current)].toSorted(), (kept, now) => now.filter((entry) => !kept.includes(entry)));
}

export function keptPath(release: string, file: string): string {
  return join(FOLDER, release, file);
}

/** @returns the text of a kept file; undefined if this release had none */
export function readKept(release: string, file: string): string | undefined {
  const path = keptPath(release, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** @throws Error once this version is released: what is promised stays */
export function freeze(file: string, content: string | Buffer): void {
  if (dateOf(readFileSync(join(CHECKOUT, 'CHANGELOG.md'), 'utf8'), VERSION) !== undefined)
    throw new Error(`${VERSION} is released: its kept lists never change. Set the next version in package.json first.`);
  mkdirSync(join(FOLDER, VERSION), { recursive: true });
  writeFileSync(join(FOLDER, VERSION, file), content);
}

function breachesBut(release: string, breaches: string[]): string[] {
  const isMajor = release.split('.')[0] !== VERSION.split('.')[0];
  const intended = { ...HARMLESS_CHANGES, ...(isMajor && INTENDED_BREACHES) };
  return breaches.filter((breach) => !(breach in intended));
}
