import { crc32 } from 'node:zlib';
import { onlyOrientation } from './orientation.ts';
import { PictureReader, type Picture } from './picture-reader.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length and type before the data, and the checksum after them. */
const [HEAD_BYTES, CHECKSUM_BYTES] = [8, 4];

/** The optional chunks that decide how the pixels look, also those of an animation. All others are metadata. */
const VISIBLE = new Set('tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs acTL fcTL fdAT'.split(' '));

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

/** ISO/IEC 15948. Texts, the time, EXIF and private chunks are removed. @throws BrokenPicture, TooManyParts */
export function readPng(bytes: Buffer, partsMax: number): Picture {
  const reader = new PictureReader(bytes, { partsMax });
  reader.keep(reader.skip(SIGNATURE.length));
  let orientation: Buffer | undefined;
  for (let type = ''; type !== 'IEND';) {
    const start = reader.beginPart();
    const length = bytes.readUInt32BE(reader.skip(HEAD_BYTES));
    type = reader.text(start + 4, 4);
    const data = reader.skip(length + CHECKSUM_BYTES);
    growToSize(reader, { type, data, length });
    if (isKept(type)) reader.keep(start);
    if (type !== 'eXIf' || orientation) continue;
    orientation = onlyOrientation(bytes.subarray(data, data + length));
    if (orientation) reader.insert(writeChunk('eXIf', orientation));
  }
  return reader.picture();
}

/** The first letter of a chunk without which a picture cannot be decoded is a capital one. */
function isKept(type: string): boolean {
  return /^[A-Z]/.test(type) || VISIBLE.has(type);
}

function growToSize(reader: PictureReader, { type, data, length }: { type: string; data: number; length: number }): void {
  const uint32 = (at: number): number => reader.bytes.readUInt32BE(data + at);
  if (type === 'IHDR' && length >= 8) reader.growTo(uint32(0), uint32(4));
  if (type === 'fcTL') reader.frames += 1;
  // A frame of an animation: its number, its size, and where it begins.
  if (type === 'fcTL' && length >= 20) reader.growTo(uint32(4) + uint32(12), uint32(8) + uint32(16));
}

function writeChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(data.length + 12);
  chunk.writeUInt32BE(data.length);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), data.length + 8);
  return chunk;
}
