import { isGif, readGif } from './gif.ts';
import { isJpeg, readJpeg } from './jpeg.ts';
import type { Picture } from './picture-reader.ts';
import { isPng, readPng } from './png.ts';
import { isWebp, readWebp } from './webp.ts';

/** A format, and the function that reads its pictures. @throws BrokenPicture, TooManyParts */
type Format = { mediaType: string; recognizes(bytes: Buffer): boolean; read(bytes: Buffer, partsMax: number): Picture };

const FORMATS: Format[] = [
  { mediaType: 'image/png', recognizes: isPng, read: readPng },
  { mediaType: 'image/jpeg', recognizes: isJpeg, read: readJpeg },
  { mediaType: 'image/webp', recognizes: isWebp, read: readWebp },
  { mediaType: 'image/gif', recognizes: isGif, read: readGif },
];

/** @returns the format that the first bytes name; undefined if it is none of a thumbnail's */
export function formatOf(bytes: Buffer): Format | undefined {
  return FORMATS.find(({ recognizes }) => recognizes(bytes));
}
