import { readFileSync } from 'node:fs';

/** Each has a folder in `src` with the entry point main.tsx. */
export const PAGE_NAMES = ['page', 'operations'] as const;
export type PageName = (typeof PAGE_NAMES)[number];

export const DIST = new URL('../dist/', import.meta.url);

/** @throws Error if the page is not built */
export function readBuiltPage(name: PageName): { script: Buffer; style: Buffer } {
  try {
    return { script: readFileSync(new URL(`${name}.js`, DIST)), style: readFileSync(new URL(`${name}.css`, DIST)) };
  } catch (cause) {
    throw new Error(`The web page "${name}" is not built. node packages/web/build/build-pages.ts builds it.`, { cause });
  }
}
