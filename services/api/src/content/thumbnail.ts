import { disableTypes, imageSize, types } from 'image-size';

/** The message is part of the response. */
export class InvalidThumbnail extends Error {
  override readonly name = 'InvalidThumbnail';
}

export type Thumbnail = { mediaType: string; bytes: Buffer };

const MEDIA_TYPES: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', gif: 'image/gif' };
disableTypes(types.filter((type) => !(type in MEDIA_TYPES)));

/** Canonical base64 (RFC 4648, section 3.5), optionally as a data URL (RFC 2397). */
export const THUMBNAIL_PATTERN =
  '^(data:image/(png|jpeg|webp|gif);base64,)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)$';

export function thumbnailMaxLength(limitBytes: number): number {
  return 'data:image/jpeg;base64,'.length + base64Length(limitBytes);
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/**
 * @param limitBytes maximum size of the decoded image
 * @param limitSide maximum width and height, in pixels
 * @throws InvalidThumbnail also for an image that is incomplete or has trailing data
 */
export function parseThumbnail(text: string, { limitBytes, limitSide }: { limitBytes: number; limitSide: number }): Thumbnail {
  const { declared, base64 } = splitDataUrl(text);
  const bytes = decode(base64, limitBytes);
  const { mediaType, width, height } = measure(bytes);
  if (declared !== undefined && declared !== mediaType) throw new InvalidThumbnail(`is declared as ${declared} but is ${mediaType}`);
  if (width < 1 || height < 1) throw new InvalidThumbnail('has a width or height of 0');
  if (width > limitSide || height > limitSide)
    throw new InvalidThumbnail(`has ${width} x ${height} pixels; the maximum is ${limitSide} x ${limitSide}`);
  if (!isComplete(bytes, mediaType)) throw new InvalidThumbnail(`is an incomplete ${mediaType}, or has data after the end of the image`);
  return { mediaType, bytes };
}

function splitDataUrl(text: string): { declared?: string; base64: string } {
  if (!text.startsWith('data:')) return { base64: text };
  const match = /^data:(image\/(?:png|jpeg|webp|gif));base64,/.exec(text);
  if (!match?.[1])
    throw new InvalidThumbnail(
      'has a data URL prefix that is not supported; use data:image/png;base64, or the same with jpeg, webp or gif',
    );
  return { declared: match[1], base64: text.slice(match[0].length) };
}

// Text that is not canonical base64 differs from its re-encoded bytes.
function decode(base64: string, limitBytes: number): Buffer {
  if (base64 === '') throw new InvalidThumbnail('is empty; omit the field instead');
  const bytes = base64.length > base64Length(limitBytes) ? undefined : Buffer.from(base64, 'base64');
  if (!bytes || bytes.length > limitBytes) throw new InvalidThumbnail(`is larger than ${limitBytes} bytes after decoding`);
  if (bytes.toString('base64') !== base64)
    throw new InvalidThumbnail('is not canonical base64 (standard alphabet, padded, without line breaks)');
  return bytes;
}

function measure(bytes: Buffer): { mediaType: string; width: number; height: number } {
  try {
    const { type, width, height } = imageSize(bytes);
    const mediaType = MEDIA_TYPES[type ?? ''];
    if (mediaType !== undefined) return { mediaType, width, height };
  } catch {
    // The parser throws for data that is not an image.
  }
  throw new InvalidThumbnail('is not a PNG, JPEG, WebP or GIF image');
}

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');
const JPEG_END = Buffer.from('ffd9', 'hex');
const GIF_END = Buffer.from('3b', 'hex');

function isComplete(bytes: Buffer, mediaType: string): boolean {
  if (mediaType === 'image/webp') return bytes.readUInt32LE(4) + 8 === bytes.length;
  const end = { 'image/png': PNG_END, 'image/jpeg': JPEG_END }[mediaType] ?? GIF_END;
  return bytes.subarray(-end.length).equals(end);
}
