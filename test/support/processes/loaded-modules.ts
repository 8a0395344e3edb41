import { CHECKOUT } from '@ugc/local-stack/service-process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

const IMPORT = /^(?:import|(?:import|export)\b[^;'"]*?\bfrom)\s*'([^']+)'/gm;
const OWN_PACKAGE = /^@ugc\/([\w-]+)\/(.+)$/;
const SERVICES = ['api', 'indexer'];

/**
 * The packages that a module loads before its first line runs, with the imports that lead to each. What is imported by
 * `import()` is not among them.
 * @param file a path in this repository
 */
export function loadedPackages(file: string): Map<string, string> {
  const packages = new Map<string, string>();
  const seen = new Set([file]);
  for (const path of seen) {
    const source = stripTypeScriptTypes(readFileSync(join(CHECKOUT, path), 'utf8'));
    for (const [, name = ''] of source.matchAll(IMPORT)) {
      const own = sourceOf(name, path);
      if (own !== undefined) seen.add(own);
      else if (!packages.has(name)) packages.set(name, path);
    }
  }
  return packages;
}

function sourceOf(name: string, importer: string): string | undefined {
  if (name.startsWith('.')) return relative(CHECKOUT, resolve(CHECKOUT, dirname(importer), name));
  const [, owner = '', path] = OWN_PACKAGE.exec(name) ?? [];
  return path === undefined ? undefined : `${SERVICES.includes(owner) ? 'services' : 'packages'}/${owner}/src/${path}.ts`;
}
