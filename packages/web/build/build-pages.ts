import { build } from 'esbuild';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DIST, LATER_SCRIPTS, PAGE_NAMES } from './pages.ts';

/** The first versions with the CSS function light-dark(). */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** Bundles the script and the styles of every page into `dist`. Takes about 0.1 s. */
export async function buildPages(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [...PAGE_NAMES.map((name) => entry(name, 'main.tsx')), ...LATER_SCRIPTS.map((name) => entry(name, 'main.ts'))],
    outdir: fileURLToPath(DIST),
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: BROWSERS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // The image does not contain the configuration of the type checker.
    tsconfigRaw: {},
    logLevel: 'warning',
  });
  await Promise.all(outputFiles.map(({ path, contents }) => replaceFile(path, contents)));
}

function entry(name: string, fileName: string): { in: string; out: string } {
  return { in: fileURLToPath(new URL(`../src/${name}/${fileName}`, import.meta.url)), out: name };
}

/** Renames a complete file to its place, because an API that is starting may read it now. */
async function replaceFile(path: string, contents: Uint8Array): Promise<void> {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, contents);
  await rename(unfinished, path);
}

if (import.meta.main) await buildPages();
