import { build, type Metafile } from 'esbuild';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FirstMessages, LaterMessages } from '../src/messages/fill.ts';
import { directionOf, isLanguage, LANGUAGES, type Language } from '../src/messages/languages.ts';
import { DIST, DOCUMENT_TEXTS, ENTRY_POINTS, type EntryName, type Manifest, type PageLanguage } from './pages.ts';

/** The first versions with the CSS function light-dark(). */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** Bundles the scripts and the styles of every page into `dist`. Takes about 0.1 s. */
export async function buildPages(): Promise<void> {
  await Promise.all((Object.keys(ENTRY_POINTS) as EntryName[]).map(buildEntry));
}

/** The list of the files comes last, because an API that is starting may read it now. */
async function buildEntry(name: EntryName): Promise<void> {
  const { outputFiles, metafile } = await bundle(name);
  await Promise.all(outputFiles.map(({ path, contents }) => replaceFile(path, contents)));
  const manifest = JSON.stringify({ ...manifestOf(metafile, ENTRY_POINTS[name]), languages: await languagesOf(metafile) });
  await replaceFile(fileURLToPath(new URL(`${name}.json`, DIST)), Buffer.from(manifest));
}

/** @returns the source files of what the script is made of, and of what it imports before it runs: paths in `src` */
export async function firstSources(name: EntryName): Promise<string[]> {
  const { outputs } = (await bundle(name)).metafile;
  const { script, imported } = manifestOf({ inputs: {}, outputs }, ENTRY_POINTS[name]);
  const first = Object.entries(outputs).filter(([path]) => [script, ...imported].includes(basename(path)));
  return first.flatMap(([, { inputs }]) => Object.keys(inputs));
}

function bundle(name: EntryName) {
  return build({
    absWorkingDir: fileURLToPath(new URL('../src/', import.meta.url)),
    entryPoints: [{ in: ENTRY_POINTS[name], out: name }],
    outdir: fileURLToPath(DIST),
    bundle: true,
    // What `import()` names becomes a file that is loaded later.
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: `${name}-[name]-[hash]`,
    metafile: true,
    write: false,
    minify: true,
    format: 'esm',
    // Modules are always UTF-8. By default each letter of Arabic is six characters.
    charset: 'utf8',
    target: BROWSERS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // The image does not contain the configuration of the type checker.
    tsconfigRaw: {},
    logLevel: 'warning',
  });
}

function manifestOf({ outputs }: Metafile, entryPoint: string): Omit<Manifest, 'languages'> {
  const [script = '', { cssBundle } = {}] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
  const imported = importsOf(script, outputs);
  const later = Object.keys(outputs).filter((path) => path.endsWith('.js') && path !== script && !imported.includes(path));
  const names = (paths: string[]): string[] => paths.map((path) => basename(path));
  return { script: basename(script), imported: names(imported), later: names(later), styles: names(cssBundle ? [cssBundle] : []) };
}

async function languagesOf({ outputs }: Metafile): Promise<Manifest['languages']> {
  const found = Object.entries(outputs).map(async ([path, { entryPoint = '' }]): Promise<[string, PageLanguage][]> => {
    const code = /^messages\/(\w+)\.ts$/.exec(entryPoint)?.[1];
    return isLanguage(code) ? [[code, await languageOf(code, basename(path))]] : [];
  });
  const byCode = Object.fromEntries((await Promise.all(found)).flat());
  return Object.fromEntries(Object.keys(LANGUAGES).flatMap((code) => (byCode[code] ? [[code, byCode[code]]] : [])));
}

async function languageOf(code: Language, script: string): Promise<PageLanguage> {
  const { messages: first } = (await import(`../src/messages/${code}.ts`)) as { messages: FirstMessages };
  const { messages: later } = (await import(`../src/messages/later/${code}.ts`)) as { messages: LaterMessages };
  const all = { ...first, ...later };
  const texts = Object.fromEntries(DOCUMENT_TEXTS.map((key) => [key, all[key]])) as PageLanguage['texts'];
  return { name: LANGUAGES[code], direction: directionOf(code), script, texts };
}

/** The files that must be loaded before this one runs. */
function importsOf(path: string, outputs: Metafile['outputs']): string[] {
  const direct = (outputs[path]?.imports ?? []).filter(({ kind }) => kind === 'import-statement').map((imported) => imported.path);
  return [...new Set(direct.flatMap((imported) => [imported, ...importsOf(imported, outputs)]))];
}

/** Renames a complete file to its place. */
async function replaceFile(path: string, contents: Uint8Array): Promise<void> {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, contents);
  await rename(unfinished, path);
}

if (import.meta.main) await buildPages();
