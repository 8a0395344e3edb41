import { readFileSync } from 'node:fs';

/** The entry point of each page, and of a script that a page loads if it needs it. Paths in `src`. */
export const ENTRY_POINTS = { page: 'page/main.tsx', operations: 'operations/main.tsx', 'sign-in': 'sign-in/main.ts' } as const;
export type EntryName = keyof typeof ENTRY_POINTS;

export const DIST = new URL('../dist/', import.meta.url);

/** What the document says. */
export const DOCUMENT_TEXTS = [
  'loading',
  'notYet',
  'reload',
  'needsScript',
  'language',
  'imprint',
  'privacy',
  'terms',
  'contact',
  'missingTitle',
  'missingHead',
  'missingWhy',
  'missingBack',
] as const;

/** A language of the page. `name`: what it calls itself. `script`: the file with the texts that are said at first. */
export type PageLanguage = {
  name: string;
  direction: 'ltr' | 'rtl';
  script: string;
  texts: Record<(typeof DOCUMENT_TEXTS)[number], string>;
};

/** The names of the files that an entry point became. They change with the content. */
export type Manifest = {
  script: string;
  /** What the script imports before it runs. */
  imported: string[];
  /** What it loads when it is needed. */
  later: string[];
  styles: string[];
  /** By their codes, the first for readers of none of them; empty for a page that has one language only. */
  languages: Record<string, PageLanguage>;
};

export type BuiltFile = { fileName: string; content: Buffer };
export type Built = { script: BuiltFile } & Record<'imported' | 'later' | 'styles', BuiltFile[]> & Pick<Manifest, 'languages'>;

/** @throws Error if it is not built */
export function readBuilt(name: EntryName): Built {
  const { script, imported, later, styles, languages } = readManifest(name);
  return { script: read(script), imported: imported.map(read), later: later.map(read), styles: styles.map(read), languages };
}

/** @throws Error if it is not built */
export function readManifest(name: EntryName): Manifest {
  return JSON.parse(read(`${name}.json`).content.toString()) as Manifest;
}

function read(fileName: string): BuiltFile {
  try {
    return { fileName, content: readFileSync(new URL(fileName, DIST)) };
  } catch (cause) {
    throw new Error(`The web page is not built: ${fileName} is missing. node packages/web/build/build-pages.ts builds it.`, { cause });
  }
}
