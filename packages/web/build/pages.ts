import { readFileSync } from 'node:fs';

/** Each has a folder in `src` with the entry point main.tsx. */
export const PAGE_NAMES = ['page', 'operations'] as const;
export type PageName = (typeof PAGE_NAMES)[number];

/** Loaded by a page if it needs it. Each has a folder in `src` with the entry point main.ts. */
export const LATER_SCRIPTS = ['sign-in'] as const;

export const DIST = new URL('../dist/', import.meta.url);

/** @throws Error if the page is not built */
export function readBuiltPage(name: PageName): { script: Buffer; style: Buffer } {
  return { script: readBuilt(`${name}.js`), style: readBuilt(`${name}.css`) };
}

/** @throws Error if the script is not built */
export function readBuiltScript(name: (typeof LATER_SCRIPTS)[number]): Buffer {
  return readBuilt(`${name}.js`);
}

function readBuilt(fileName: string): Buffer {
  try {
    return readFileSync(new URL(fileName, DIST));
  } catch (cause) {
    throw new Error(`The web page is not built: ${fileName} is missing. node packages/web/build/build-pages.ts builds it.`, { cause });
  }
}
