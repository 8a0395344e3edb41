import { hash } from 'node:crypto';
import { BrokenPicture, TooManyParts, type Picture } from './picture-reader.ts';
import { isGif, readGif } from './gif.ts';
import { isJpeg, readJpeg } from './jpeg.ts';
import { isPng, readPng } from './png.ts';
import { isWebp, readWebp } from './webp.ts';

/** What an error means for programs. */
type Code = { code: 'too-short' | 'too-many' | 'too-large'; values: Record<string, number> };

/** The message and the code are part of the response. */
export class InvalidThumbnail extends Error {
  override readonly name = 'InvalidThumbnail';
  readonly coded: Partial<Code>;

  constructor(message: string, coded: Partial<Code> = {}) {
    super(message);
    this.coded = coded;
  }
}

/**
 * `bytes` are stored: the picture without metadata. `sentHash` is that of the picture as the client has sent it.
 * `animationPixels`: the area of the picture for each of its frames, 0 for a still.
 */
export type Thumbnail = { mediaType: string; bytes: Uint8Array; sentHash: string; animationPixels: number };

/** A part may be empty, and its cost is that of a part: without this limit, 512 KiB have 170,000 of them. */
export const PARTS_MAX = 4_000;

/** Bytes decide the type, so a client may declare any picture, or bytes whose type it does not know. */
const DATA_URL = '[dD][aA][tT][aA]:([iI][mM][aA][gG][eE]/[^,]*|application/octet-stream);[bB][aA][sS][eE]64,';
const PREFIX = new RegExp(`^${DATA_URL}`);

// A digit of base64 (RFC 4648) for files or URLs. Line breaks and blanks may follow each.
const BLANKS = '[\\t\\n\\f\\r ]*';
const [DIGIT, LAST_OF_THREE, LAST_OF_TWO] = ['A-Za-z0-9+/_-', 'AEIMQUYcgkosw048', 'AQgw'].map((digits) => `[${digits}]${BLANKS}`);
const PADDING = `=${BLANKS}`;

/** Base64, optionally as a data URL (RFC 2397). The unused bits of the last digit are zero. Padding may be omitted. */
export const THUMBNAIL_PATTERN =
  `^(${DATA_URL})?${BLANKS}(${DIGIT}${DIGIT}${DIGIT}${DIGIT})*` +
  `(${DIGIT}${DIGIT}${DIGIT}${DIGIT}|${DIGIT}${DIGIT}${LAST_OF_THREE}(${PADDING})?|${DIGIT}${LAST_OF_TWO}(${PADDING}${PADDING})?)$`;

/** Both limits are those of the picture as it was sent. @throws InvalidThumbnail */
export function parseThumbnail(text: string, { limitBytes, limitSide }: { limitBytes: number; limitSide: number }): Thumbnail {
  const sent = decode(withoutPrefix(text), limitBytes);
  const { mediaType, width, height, bytes, frames } = read(sent);
  if (width < 1 || height < 1) throw new InvalidThumbnail('has a width or height of 0');
  if (width > limitSide || height > limitSide)
    throw new InvalidThumbnail(`has ${width} x ${height} pixels; the maximum is ${limitSide} x ${limitSide}`, {
      code: 'too-large',
      values: { max: limitSide, is: Math.max(width, height) },
    });
  const animationPixels = frames > 1 ? frames * width * height : 0;
  return { mediaType, bytes, sentHash: hash('sha256', sent, 'base64'), animationPixels };
}

/** @throws BrokenPicture, TooManyParts */
type Format = { mediaType: string; recognizes(bytes: Buffer): boolean; read(bytes: Buffer, partsMax: number): Picture };

const FORMATS: Format[] = [
  { mediaType: 'image/png', recognizes: isPng, read: readPng },
  { mediaType: 'image/jpeg', recognizes: isJpeg, read: readJpeg },
  { mediaType: 'image/webp', recognizes: isWebp, read: readWebp },
  { mediaType: 'image/gif', recognizes: isGif, read: readGif },
];

export function formatOf(bytes: Buffer): Format | undefined {
  return FORMATS.find(({ recognizes }) => recognizes(bytes));
}

function withoutPrefix(text: string): string {
  const prefix = PREFIX.exec(text)?.[0] ?? '';
  if (prefix === '' && /^data:/i.test(text))
    throw new InvalidThumbnail(
      'has a data URL prefix that is not supported; use data:image/png;base64, or the same with another image type',
    );
  return text.slice(prefix.length).replace(/[\t\n\f\r ]+/g, '');
}

function decode(base64: string, limitBytes: number): Buffer {
  if (base64 === '') throw new InvalidThumbnail('is empty; omit the field instead', { code: 'too-short', values: { min: 1, is: 0 } });
  const bytes = base64.length > Math.ceil(limitBytes / 3) * 4 ? undefined : Buffer.from(base64, 'base64');
  if (!bytes || bytes.length > limitBytes)
    throw new InvalidThumbnail(`is larger than ${limitBytes} bytes after decoding`, { code: 'too-large', values: { max: limitBytes } });
  if (!isBase64Of(bytes, base64)) throw new InvalidThumbnail('is not base64');
  return bytes;
}

/** Node ignores what is not base64, so that such a text differs from its encoded bytes. */
function isBase64Of(bytes: Buffer, text: string): boolean {
  const padded = bytes.toString('base64');
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  return standard === padded || standard === padded.replace(/=+$/, '');
}

function read(bytes: Buffer): Picture & { mediaType: string } {
  const format = formatOf(bytes);
  if (!format) throw new InvalidThumbnail('is not a PNG, JPEG, WebP or GIF image');
  try {
    return { mediaType: format.mediaType, ...format.read(bytes, PARTS_MAX) };
  } catch (error) {
    if (error instanceof BrokenPicture) throw new InvalidThumbnail(`is an incomplete or broken ${format.mediaType}`);
    if (error instanceof TooManyParts)
      throw new InvalidThumbnail(
        `has more than ${PARTS_MAX} parts (segments, chunks or blocks); use at most ${PARTS_MAX}, for example with fewer frames`,
        { code: 'too-many', values: { max: PARTS_MAX } },
      );
    throw error;
  }
}
