import { ConfigurationError } from '@ugc/shared/config/env';
import { readFileSync, statSync } from 'node:fs';
import { pagePolicy, shortHash, staticFile, type StaticFile } from './static-file.ts';

const MAX_BYTES = 102_400;

/** What a file begins with. */
const FORMATS: [extension: string, beginning: RegExp][] = [
  ['.png', /^\x89PNG\r\n\x1a\n/],
  ['.jpg', /^\xff\xd8\xff/],
  ['.webp', /^RIFF.{4}WEBP/s],
  ['.svg', /^(?:\xef\xbb\xbf)?\s*(?:<\?xml|<!--|<!doctype svg|<svg)[\s\S]*<svg|^\s*<svg/i],
];

/** Reads the file of the operator once, at the start. @param path PAGE_LOGO @throws ConfigurationError */
export function readLogo(path: string | undefined): StaticFile | undefined {
  if (path === undefined) return undefined;
  const content = readFile(path);
  const text = content.toString('latin1');
  const extension = FORMATS.find(([, beginning]) => beginning.test(text))?.[0];
  if (extension === undefined) throw invalid(`the file ${path} is none of SVG, PNG, JPEG and WebP`);
  const fileName = `logo-${shortHash(content)}${extension}`;
  // A browser that opens an SVG by itself runs its scripts, but not under this policy.
  return staticFile({
    path: `/assets/${fileName}`,
    fileName,
    content,
    isImmutable: true,
    policy: pagePolicy([]).replace(/script-src 'self'; /, ''),
  });
}

function readFile(path: string): Buffer {
  let size: number | undefined;
  try {
    size = statSync(path).size;
    if (size <= MAX_BYTES) return readFileSync(path);
  } catch {
    throw invalid(`the file ${path} cannot be read`);
  }
  throw invalid(`the file ${path} has ${size} bytes; the maximum is ${MAX_BYTES}`);
}

function invalid(problem: string): ConfigurationError {
  return new ConfigurationError([`PAGE_LOGO: ${problem}`]);
}
