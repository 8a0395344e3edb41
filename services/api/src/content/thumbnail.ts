import { disableTypes, imageSize, types } from 'image-size';

/** The message says what is wrong with the image, for the caller. */
export class ThumbnailRefused extends Error {
  override readonly name = 'ThumbnailRefused';
}

export type Thumbnail = { mediaType: string; bytes: Buffer };

const MEDIA_TYPES: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', gif: 'image/gif' };
disableTypes(types.filter((type) => !(type in MEDIA_TYPES)));

/** What a thumbnail looks like as text: canonical base64, perhaps of a data URL. */
export const THUMBNAIL_PATTERN =
  '^(data:image/(png|jpeg|webp|gif);base64,)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$';

export function thumbnailMaxLength(limitBytes: number): number {
  return 'data:image/jpeg;base64,'.length + base64Length(limitBytes);
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/**
 * Decodes a base64 thumbnail and verifies it by its bytes: type, declared type, size, and that it is whole with nothing behind it.
 * @param limitBytes of the decoded image
 * @param limitSide in pixels, of width and height
 * @throws ThumbnailRefused
 */
export function parseThumbnail(text: string, { limitBytes, limitSide }: { limitBytes: number; limitSide: number }): Thumbnail {
  const { declared, base64 } = splitDataUrl(text);
  const bytes = decode(base64, limitBytes);
  const { mediaType, width, height } = measure(bytes);
  if (declared !== undefined && declared !== mediaType)
    throw new ThumbnailRefused(`is declared as ${declared} but its bytes are ${mediaType}`);
  if (width < 1 || height < 1) throw new ThumbnailRefused('has no pixels');
  if (width > limitSide || height > limitSide)
    throw new ThumbnailRefused(`is ${width} x ${height} pixels; at most ${limitSide} x ${limitSide} are possible`);
  if (!isWhole(bytes, mediaType)) throw new ThumbnailRefused(`is not a whole ${mediaType}: it ends early, or something follows the image`);
  return { mediaType, bytes };
}

function splitDataUrl(text: string): { declared?: string; base64: string } {
  if (!text.startsWith('data:')) return { base64: text };
  const match = /^data:(image\/(?:png|jpeg|webp|gif));base64,/.exec(text);
  if (!match?.[1]) throw new ThumbnailRefused('has a data: prefix other than that of a base64 PNG, JPEG, WebP or GIF');
  return { declared: match[1], base64: text.slice(match[0].length) };
}

// Length first: nothing is decoded that is too large anyway. Encoding it again shows whether it was canonical base64.
function decode(base64: string, limitBytes: number): Buffer {
  if (base64 === '') throw new ThumbnailRefused('is empty; leave it out instead');
  const bytes = base64.length > base64Length(limitBytes) ? undefined : Buffer.from(base64, 'base64');
  if (!bytes || bytes.length > limitBytes) throw new ThumbnailRefused(`is larger than ${limitBytes} bytes decoded`);
  if (bytes.toString('base64') !== base64) throw new ThumbnailRefused('is not base64 (standard alphabet, padded, without line breaks)');
  return bytes;
}

function measure(bytes: Buffer): { mediaType: string; width: number; height: number } {
  try {
    const { type, width, height } = imageSize(bytes);
    const mediaType = MEDIA_TYPES[type ?? ''];
    if (mediaType !== undefined) return { mediaType, width, height };
  } catch {
    // Falls through: whatever the parser stumbled over, it is none of the four.
  }
  throw new ThumbnailRefused('is not a PNG, JPEG, WebP or GIF image');
}

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_END = Buffer.from('ffd9', 'hex');
const GIF_END = Buffer.from('3b', 'hex');

function isWhole(bytes: Buffer, mediaType: string): boolean {
  if (mediaType === 'image/webp') return bytes.readUInt32LE(4) + 8 === bytes.length;
  const end = { 'image/png': PNG_END, 'image/jpeg': JPEG_END }[mediaType] ?? GIF_END;
  return bytes.subarray(-end.length).equals(end);
}
