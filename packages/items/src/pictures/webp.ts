import { onlyOrientation } from './orientation.ts';
import { PictureReader, type Picture } from './picture-reader.ts';

/** `length` bytes from `data` on. */
type Chunk = { type: string; data: number; length: number };

const HEADER_BYTES = 12;
/** Type and length before the data of a chunk. */
const HEAD_BYTES = 8;
const VISIBLE = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

export function isWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
}

/** RFC 9649. EXIF, XMP and unknown chunks are removed. @throws BrokenPicture, TooManyParts */
export function readWebp(bytes: Buffer, partsMax: number): Picture {
  // The header counts the bytes that follow its first two fields.
  const reader = new PictureReader(bytes, { partsMax, end: HEAD_BYTES + bytes.readUInt32LE(4) });
  reader.keep(reader.skip(HEADER_BYTES));
  const { headers, exif } = takeChunks(reader);
  // Without the chunk VP8X, programs do not look for EXIF.
  const orientation = exif && headers.length > 0 ? onlyOrientation(exif) : undefined;
  for (const header of headers) setFlags(header, orientation ? HAS_EXIF : 0);
  if (orientation) reader.insert(writeChunk('EXIF', orientation));
  const picture = reader.picture();
  picture.bytes.writeUInt32LE(picture.bytes.length - HEAD_BYTES, 4);
  return picture;
}

/** @returns the copies of the chunks VP8X that are in the picture, and the data of the first EXIF */
function takeChunks(reader: PictureReader): { headers: Buffer[]; exif?: Buffer } {
  const headers: Buffer[] = [];
  let exif: Buffer | undefined;
  while (reader.position < reader.end) {
    const start = reader.beginPart();
    const chunk = takeChunk(reader);
    const { type, data, length } = chunk;
    growToSize(reader, chunk);
    if (type === 'EXIF') exif ??= reader.bytes.subarray(data, data + length);
    if (type === 'VP8X' && length > 0) headers.push(insertCopy(reader, start));
    else if (VISIBLE.has(type)) reader.keep(start);
    else continue;
    // The last chunk, whose padding is omitted.
    if (reader.position % 2 === 1) reader.insert(Buffer.alloc(1));
  }
  return { headers, exif };
}

function takeChunk(reader: PictureReader): Chunk {
  const head = reader.skip(HEAD_BYTES);
  const length = reader.bytes.readUInt32LE(head + 4);
  const data = reader.skip(length);
  // A chunk of an odd length is padded; some programs omit that of the last one.
  if (length % 2 === 1 && reader.position < reader.end) reader.skip(1);
  return { type: reader.text(head, 4), data, length };
}

function insertCopy(reader: PictureReader, start: number): Buffer {
  const copy = Buffer.from(reader.bytes.subarray(start, reader.position));
  reader.insert(copy);
  return copy;
}

function setFlags(header: Buffer, hasExif: number): void {
  header[HEAD_BYTES] = (header.readUInt8(HEAD_BYTES) & ~(HAS_EXIF | HAS_XMP)) | hasExif;
}

function growToSize(reader: PictureReader, { type, data, length }: Chunk): void {
  if (type === 'ANMF') reader.frames += 1;
  if (length < 10) return;
  const { bytes } = reader;
  const uint24 = (at: number): number => bytes.readUIntLE(data + at, 3);
  if (type === 'VP8X') reader.growTo(uint24(4) + 1, uint24(7) + 1);
  if (type === 'VP8 ') reader.growTo(bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff);
  if (type === 'VP8L') {
    const bits = bytes.readUInt32LE(data + 1);
    reader.growTo((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  // A frame of an animation: half of left and top, and its size.
  if (type === 'ANMF' && length >= 12) reader.growTo(2 * uint24(0) + uint24(6) + 1, 2 * uint24(3) + uint24(9) + 1);
}

function writeChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}
