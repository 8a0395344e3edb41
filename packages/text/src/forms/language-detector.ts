import type * as eldPackage from 'eld/small';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

type Package = typeof eldPackage;

let loaded: Package['eld'] | undefined;

/** Its figures take a quarter of a second to load, so a process that makes no document does not load them. */
export function languageDetector(): Package['eld'] {
  // By its path: the package names no file for `require`.
  loaded ??= (createRequire(import.meta.url)(fileURLToPath(import.meta.resolve('eld/small'))) as Package).eld;
  return loaded;
}
