import { readFileSync } from 'node:fs';

/** The entry point of each page, and of a script that a page loads if it needs it. Paths in `src`. */
export const ENTRY_POINTS = { page: 'page/main.tsx', operations: 'operations/main.tsx', 'sign-in': 'sign-in/main.ts' } as const;
export type EntryName = keyof typeof ENTRY_POINTS;

export const DIST = new URL('../dist/', import.meta.url);

/** The names of the files that an entry point became. They change with the content. */
export type Manifest = {
  script: string;
  /** What the script imports before it runs. */
  imported: string[];
  /** What it loads when it is needed. */
  later: string[];
  styles: string[];
};

export type BuiltFile = { fileName: string; content: Buffer };
export type Built = { script: BuiltFile } & Record<'imported' | 'later' | 'styles', BuiltFile[]>;

/** @throws Error if it is not built */
export function readBuilt(name: EntryName): Built {
  const { script, imported, later, styles } = JSON.parse(read(`${name}.json`).content.toString()) as Manifest;
  return { script: read(script), imported: imported.map(read), later: later.map(read), styles: styles.map(read) };
}

function read(fileName: string): BuiltFile {
  try {
    return { fileName, content: readFileSync(new URL(fileName, DIST)) };
  } catch (cause) {
    throw new Error(`The web page is not built: ${fileName} is missing. node packages/web/build/build-pages.ts builds it.`, { cause });
  }
}
